//! Validation errors: why an answer does not fit its prompt. A sentence for people, and
//! the problem of each field for clients with texts of their own.
//!
//! Neither repeats the value: a masked value must not leak through an error (S-5).

use jsonschema::error::{ValidationError as SchemaError, ValidationErrorKind as Kind};
use parlor_protocol::{FieldProblem, Problem};
use serde_json::{Number, Value};

use crate::schema;

/// The most fields that one error names.
const MAX_PROBLEMS: usize = 20;

/// Why an answer does not fit its prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    /// For people.
    pub message: String,
    /// For programs: the problem of each field, if it is about fields.
    pub problems: Vec<FieldProblem>,
}

impl ValidationError {
    /// A masked field was changed.
    pub(crate) fn masked(pointer: &str) -> Self {
        let problem = field(pointer.to_owned(), Problem::Masked, None);
        Self { message: sentence(&Value::Null, &problem), problems: vec![problem] }
    }

    /// The form has no such field.
    pub(crate) fn unknown(schema: &Value, name: &str) -> Self {
        let problem = field(inside("", name), Problem::Unknown, None);
        Self { message: sentence(schema, &problem), problems: vec![problem] }
    }
}

impl std::fmt::Display for ValidationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<String> for ValidationError {
    fn from(message: String) -> Self {
        Self { message, problems: Vec::new() }
    }
}

impl From<&str> for ValidationError {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// Validates a value. `None` if the schema cannot be compiled.
pub(crate) fn validate(schema: &Value, value: &Value) -> Option<Result<(), ValidationError>> {
    let validator = schema::compile(schema).ok()?;
    Some(validate_with(&validator, schema, value))
}

/// Validates a value with the validator that was made from the schema.
pub(crate) fn validate_with(
    validator: &jsonschema::Validator,
    schema: &Value,
    value: &Value,
) -> Result<(), ValidationError> {
    let mut problems: Vec<FieldProblem> = Vec::new();
    for problem in validator.iter_errors(value).take(MAX_PROBLEMS).flat_map(|e| problems_of(&e)) {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    let sentences: Vec<String> = problems.iter().map(|one| sentence(schema, one)).collect();
    Err(ValidationError { message: sentences.join(" "), problems })
}

fn problems_of(error: &SchemaError<'_>) -> Vec<FieldProblem> {
    let at = error.instance_path().to_string();
    let number = |limit: &Value| limit.as_number().cloned();
    let (problem, limit) = match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            return vec![field(inside(&at, name), Problem::Missing, None)];
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let unknown = |name: &String| field(inside(&at, name), Problem::Unknown, None);
            return unexpected.iter().take(MAX_PROBLEMS).map(unknown).collect();
        }
        Kind::MinLength { limit } => (Problem::TooShort, Some(Number::from(*limit))),
        Kind::MaxLength { limit } => (Problem::TooLong, Some(Number::from(*limit))),
        Kind::MinItems { limit } => (Problem::TooFew, Some(Number::from(*limit))),
        Kind::MaxItems { limit } => (Problem::TooMany, Some(Number::from(*limit))),
        Kind::Minimum { limit } | Kind::ExclusiveMinimum { limit } => {
            (Problem::TooSmall, number(limit))
        }
        Kind::Maximum { limit } | Kind::ExclusiveMaximum { limit } => {
            (Problem::TooLarge, number(limit))
        }
        Kind::Pattern { .. } | Kind::Format { .. } => (Problem::Pattern, None),
        Kind::Type { .. } => (Problem::WrongType, None),
        Kind::Enum { .. } | Kind::Constant { .. } => (Problem::NotAChoice, None),
        _ => (Problem::Other, None),
    };
    vec![field(at, problem, limit)]
}

fn field(pointer: String, problem: Problem, limit: Option<Number>) -> FieldProblem {
    FieldProblem { pointer, problem, limit }
}

fn inside(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn sentence(schema: &Value, FieldProblem { pointer, problem, limit }: &FieldProblem) -> String {
    let what = label(schema, pointer);
    let limit = limit.as_ref().map(Number::to_string).unwrap_or_default();
    match problem {
        Problem::Missing => format!("{what} is missing."),
        Problem::TooShort if limit == "1" => format!("{what} must not be empty."),
        Problem::TooShort => format!("{what} must have at least {limit} characters."),
        Problem::TooLong => format!("{what} must have at most {limit} characters."),
        Problem::TooSmall => format!("{what} is too small; the limit is {limit}."),
        Problem::TooLarge => format!("{what} is too large; the limit is {limit}."),
        Problem::TooFew => format!("{what} must have at least {limit} entries."),
        Problem::TooMany => format!("{what} must have at most {limit} entries."),
        Problem::Pattern => format!("{what} does not have the form that it must have."),
        Problem::WrongType => format!("{what} is of the wrong type."),
        Problem::NotAChoice => format!("{what} is none of the values that can be chosen."),
        Problem::Unknown => format!("{what} is not a field that can be given."),
        Problem::Masked => format!("{what} is masked and cannot be changed."),
        Problem::Other => format!("{what} does not fit."),
    }
}

/// The label of a field: its titles in the schema, or else its name.
fn label(schema: &Value, pointer: &str) -> String {
    let (mut schema, mut words) = (Some(schema), Vec::new());
    for step in pointer.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        if let Ok(index) = name.parse::<usize>() {
            schema = schema.and_then(|schema| schema.get("items"));
            words.push((index + 1).to_string());
            continue;
        }
        schema = schema.and_then(|schema| schema.get("properties")?.get(&name));
        let title = schema.and_then(|schema| schema.get("title")?.as_str());
        words.push(title.map_or_else(|| readable(&name), str::to_owned));
    }
    if words.is_empty() { "The answer".to_owned() } else { words.join(" ") }
}

/// `prep_time` as "Prep time".
fn readable(name: &str) -> String {
    let spaced = name.replace(['_', '-'], " ");
    let mut letters = spaced.trim().chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// P-5, S-5: an error is a plain sentence with the field's label and without the value.
    #[test]
    fn an_error_names_the_field_and_not_the_value() {
        let schema = json!({"type": "object", "required": ["recipe_id"],
        "additionalProperties": false, "properties": {
            "recipe_id": {"type": "string"},
            "title": {"type": "string", "minLength": 1, "maxLength": 5},
            "prep_time_minutes": {"type": "integer", "minimum": 0},
            "steps": {"type": "array", "items": {"type": "object",
                "properties": {"instruction": {"type": "string", "title": "What to do"}}}},
        }});
        let value = json!({"title": "", "prep_time_minutes": -1, "colour": 1,
            "steps": [{"instruction": 7}]});
        let error = validate(&schema, &value).unwrap().unwrap_err();
        for said in [
            "Recipe id is missing.", "Title must not be empty.",
            "Prep time minutes is too small; the limit is 0.",
            "Steps 1 What to do is of the wrong type.", "Colour is not a field that can be given.",
        ] {
            assert!(error.message.contains(said), "{said} in {}", error.message);
        }
        let short = error.problems.iter().find(|one| one.pointer == "/title").unwrap();
        assert_eq!((short.problem, short.limit.clone()), (Problem::TooShort, Some(1.into())));
        let secret = validate(&schema, &json!({"recipe_id": "a", "title": "sk-ant-secret"}));
        let secret = secret.unwrap().unwrap_err().message;
        assert_eq!(secret, "Title must have at most 5 characters.");
        assert_eq!(validate(&schema, &json!({"recipe_id": "a"})), Some(Ok(())));
        assert!(validate(&json!({"type": 3}), &json!({})).is_none());
    }
}
