//! Parses the arguments of a tool call: first the names of fields, by the tool's own
//! schema, then their values.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::tools::Tool;
use crate::change::Change;
use crate::error::{RecipeError, Refusal};
use crate::input::RecipeInput;
use crate::recipe::RecipeId;

/// A tool with its arguments.
#[derive(Debug)]
pub(super) enum Call {
    List,
    Get(RecipeId),
    Display(RecipeId),
    Change(Change),
    Preview(Change),
}

#[derive(Debug, Deserialize)]
struct RecipeArgument {
    recipe_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct PreviewArguments {
    tool: String,
    arguments: Value,
}

/// The call that the arguments of a tool mean.
pub(super) fn parse(tool: Tool, arguments: &Value) -> Result<Call, RecipeError> {
    let mut errors = Vec::new();
    check_names(&tool.schema(), arguments, "", &mut errors);
    if !errors.is_empty() {
        return Err(RecipeError::Invalid(errors));
    }
    Ok(match tool {
        Tool::List => Call::List,
        Tool::Get => Call::Get(recipe_id(arguments)?),
        Tool::Display => Call::Display(recipe_id(arguments)?),
        Tool::Create => Call::Change(Change::Create(read::<RecipeInput>(arguments)?.complete()?)),
        Tool::Update => Call::Change(Change::Update(recipe_id(arguments)?, read(arguments)?)),
        Tool::Delete => Call::Change(Change::Delete(recipe_id(arguments)?)),
        Tool::Preview => {
            let preview: PreviewArguments = read(arguments)?;
            let tool = Tool::from_name(&preview.tool).filter(|tool| *tool != Tool::Preview);
            match tool.map(|tool| parse(tool, &preview.arguments)).transpose()? {
                Some(Call::Change(change)) => Call::Preview(change),
                _ => return Err(RecipeError::invalid("tool: it changes nothing")),
            }
        }
    })
}

/// A text that is not an id is answered like an unknown id.
fn recipe_id(arguments: &Value) -> Result<RecipeId, RecipeError> {
    let argument: RecipeArgument = read(arguments)?;
    let id = argument.recipe_id.unwrap_or_default();
    match id.parse() {
        Ok(id) => Ok(id),
        Err(_) if id.trim().is_empty() => {
            Err(RecipeError::invalid("recipe_id: give the id of a recipe, as list_recipes has it"))
        }
        Err(_) => Err(Refusal::NotFound { id }.into()),
    }
}

fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, RecipeError> {
    serde_path_to_error::deserialize(arguments).map_err(|error| RecipeError::wrong_type(&error))
}

/// Collects the fields that the schema does not have.
fn check_names(schema: &Value, value: &Value, path: &str, errors: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let Some(known) = schema["properties"].as_object() else { return };
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                match known.get(name) {
                    Some(schema) => check_names(schema, value, &path, errors),
                    None => errors.push(match known.is_empty() {
                        true => format!("{path}: there is no such field, and there are no others"),
                        false => {
                            let known: Vec<&str> = known.keys().map(String::as_str).collect();
                            format!(
                                "{path}: there is no such field; there are {}",
                                known.join(", ")
                            )
                        }
                    }),
                }
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                check_names(&schema["items"], item, &format!("{path}[{n}]"), errors);
            }
        }
        _ => {}
    }
}
