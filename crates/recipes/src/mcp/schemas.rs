//! The JSON Schemas of the tools' arguments: exactly the parameters that there
//! are, with the limits that are checked. An argument that is not here is refused
//! by name, so that a model notices its mistake.

use serde_json::{Value, json};

use crate::limits;

pub(super) fn nothing() -> Value {
    closed(&json!({}), &[])
}

pub(super) fn recipe_id_alone() -> Value {
    closed(&json!({"recipe_id": recipe_id()}), &["recipe_id"])
}

pub(super) fn create() -> Value {
    closed(&fields(), &["title", "ingredients", "steps"])
}

pub(super) fn update() -> Value {
    let mut properties = json!({"recipe_id": recipe_id()});
    if let (Value::Object(all), Value::Object(fields)) = (&mut properties, fields()) {
        all.extend(fields);
    }
    closed(&properties, &["recipe_id"])
}

pub(super) fn preview(tools: &[&str]) -> Value {
    let properties = json!({
        "tool": {"type": "string", "enum": tools, "description": "The tool that would be called."},
        "arguments": {"type": "object", "description": "The arguments that it would be called with."},
    });
    closed(&properties, &["tool", "arguments"])
}

fn closed(properties: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn recipe_id() -> Value {
    json!({"type": "string", "format": "uuid",
           "description": "The recipe's id, as list_recipes or create_recipe gave it."})
}

/// The fields of a recipe.
fn fields() -> Value {
    json!({
        "title": text(1, limits::TITLE, "The recipe's name."),
        "description": text(0, limits::DESCRIPTION, "A sentence or two about the dish."),
        "servings": {"type": "integer", "minimum": 1, "maximum": limits::SERVINGS,
                     "description": "How many people it feeds, or how many pieces it makes."},
        "prep_time_minutes": minutes("Work before the heat is on, in minutes."),
        "cook_time_minutes": minutes("Time on the stove or in the oven, in minutes."),
        "ingredients": {"type": "array", "maxItems": limits::LIST, "items": ingredient(),
                        "description": "All ingredients, in the order of their use."},
        "steps": {"type": "array", "maxItems": limits::LIST, "items": step(),
                  "description": "All steps, in their order."},
    })
}

fn ingredient() -> Value {
    let quantity = json!({
        "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": limits::QUANTITY},
                  {"type": "string", "maxLength": limits::MEASURE}],
        "description": "How much: a number where it is one (2, 0.5), so that it can be scaled; \
                        otherwise a text such as \"1/2\" or \"2-3\". Leave it out for \"to taste\".",
    });
    let properties = json!({
        "name": text(1, limits::NAME, "What it is, such as \"plain flour\"."),
        "quantity": quantity,
        "unit": text(0, limits::MEASURE, "Of what measure: g, ml, tbsp, cup. Leave it out for pieces."),
        "notes": text(0, limits::NOTES, "How it is prepared, or what to take instead."),
    });
    closed(&properties, &["name"])
}

fn step() -> Value {
    let properties = json!({
        "instruction": text(1, limits::INSTRUCTION, "What to do."),
        "duration_minutes": minutes("How long this step takes, in minutes."),
    });
    closed(&properties, &["instruction"])
}

fn minutes(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": limits::MINUTES, "description": description})
}

fn text(least: usize, most: usize, description: &str) -> Value {
    json!({"type": "string", "minLength": least, "maxLength": most, "description": description})
}
