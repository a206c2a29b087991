//! From what a model wrote to a call: names first, against the schema that the
//! model was given, then values.

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
struct Which {
    recipe_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Planned {
    tool: String,
    arguments: Value,
}

/// What is meant by the arguments of a tool.
pub(super) fn parse(tool: Tool, arguments: &Value) -> Result<Call, RecipeError> {
    let mut faults = Vec::new();
    name_strangers(&tool.schema(), arguments, "", &mut faults);
    if !faults.is_empty() {
        return Err(RecipeError::Invalid(faults));
    }
    Ok(match tool {
        Tool::List => Call::List,
        Tool::Get => Call::Get(recipe_id(arguments)?),
        Tool::Display => Call::Display(recipe_id(arguments)?),
        Tool::Create => Call::Change(Change::Create(read::<RecipeInput>(arguments)?.complete()?)),
        Tool::Update => Call::Change(Change::Update(recipe_id(arguments)?, read(arguments)?)),
        Tool::Delete => Call::Change(Change::Delete(recipe_id(arguments)?)),
        Tool::Preview => {
            let planned: Planned = read(arguments)?;
            let tool = Tool::from_name(&planned.tool).filter(|tool| *tool != Tool::Preview);
            match tool.map(|tool| parse(tool, &planned.arguments)).transpose()? {
                Some(Call::Change(change)) => Call::Preview(change),
                _ => return Err(RecipeError::invalid("tool: it changes nothing")),
            }
        }
    })
}

/// A text that is no id names no recipe, as an unknown id does.
fn recipe_id(arguments: &Value) -> Result<RecipeId, RecipeError> {
    let which: Which = read(arguments)?;
    let id = which.recipe_id.unwrap_or_default();
    match id.parse() {
        Ok(id) => Ok(id),
        Err(_) if id.trim().is_empty() => {
            Err(RecipeError::invalid("recipe_id: give the id of a recipe, as list_recipes has it"))
        }
        Err(_) => Err(Refusal::NotFound { id }.into()),
    }
}

fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, RecipeError> {
    serde_path_to_error::deserialize(arguments).map_err(|error| RecipeError::misshapen(&error))
}

/// Names what the schema does not know.
fn name_strangers(schema: &Value, value: &Value, place: &str, faults: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let Some(known) = schema["properties"].as_object() else { return };
            for (name, value) in fields {
                let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
                match known.get(name) {
                    Some(schema) => name_strangers(schema, value, &place, faults),
                    None => faults.push(match known.is_empty() {
                        true => format!("{place}: there is no such field, and there are no others"),
                        false => {
                            let known: Vec<&str> = known.keys().map(String::as_str).collect();
                            format!(
                                "{place}: there is no such field; there are {}",
                                known.join(", ")
                            )
                        }
                    }),
                }
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                name_strangers(&schema["items"], item, &format!("{place}[{n}]"), faults);
            }
        }
        _ => {}
    }
}
