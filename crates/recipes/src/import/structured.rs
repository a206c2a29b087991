//! A `Recipe` of schema.org in JSON-LD, as sites write it: alone, in a list, in a graph, or as
//! the main entity of something else.

use serde_json::{Map, Value};

use super::durations::iso_minutes;
use super::markup::{linked_data, plain_text};
use super::{Found, one_line};

/// How deep a recipe may stand in other things.
const DEPTH: usize = 12;

type Fields = Map<String, Value>;

/// The first recipe in JSON, or in the scripts of a page.
pub(super) fn find(text: &str) -> Option<Found> {
    let blocks = if text.starts_with(['{', '[']) { vec![text] } else { linked_data(text) };
    blocks.into_iter().find_map(|block| read(recipe_in(&parsed(block)?, DEPTH)?))
}

/// Some sites write line breaks into texts, which JSON does not allow.
fn parsed(block: &str) -> Option<Value> {
    serde_json::from_str(block).ok().or_else(|| {
        let mended: String = block.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        serde_json::from_str(&mended).ok()
    })
}

fn recipe_in(value: &Value, depth: usize) -> Option<&Fields> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Array(list) => list.iter().find_map(|one| recipe_in(one, depth)),
        Value::Object(fields) if is_a(fields, "Recipe") => Some(fields),
        Value::Object(fields) => fields
            .values()
            .filter(|value| value.is_object() || value.is_array())
            .find_map(|value| recipe_in(value, depth)),
        _ => None,
    }
}

/// Whether a thing is of this type: "Recipe", "schema:Recipe", "https://schema.org/Recipe".
fn is_a(fields: &Fields, wanted: &str) -> bool {
    let is = |name: &Value| {
        name.as_str().is_some_and(|name| name.rsplit(['/', ':', '#']).next() == Some(wanted))
    };
    match fields.get("@type") {
        Some(Value::Array(names)) => names.iter().any(is),
        Some(name) => is(name),
        None => false,
    }
}

fn read(fields: &Fields) -> Option<Found> {
    let text = |name: &str| fields.get(name).and_then(first_text).map(|text| one_line(&text));
    let minutes = |name: &str| iso_minutes(&fields.get(name).and_then(first_text)?);
    let (prep, cook, total) = (minutes("prepTime"), minutes("cookTime"), minutes("totalTime"));
    let mut found = Found {
        title: text("name").or_else(|| text("headline")).filter(|name| !name.is_empty())?,
        description: text("description"),
        servings: fields.get("recipeYield").or_else(|| fields.get("yield")).and_then(servings),
        prep_minutes: prep,
        cook_minutes: cook.or_else(|| total.map(|all| all.saturating_sub(prep.unwrap_or(0)))),
        ingredients: lines(fields.get("recipeIngredient").or_else(|| fields.get("ingredients"))),
        ..Found::default()
    };
    if let Some(instructions) = fields.get("recipeInstructions") {
        steps(instructions, DEPTH, &mut found);
    }
    Some(found)
}

/// The text of a value, or of the first of several.
fn first_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(plain_text(text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => list.iter().find_map(first_text),
        Value::Object(fields) => {
            fields.get("@value").or_else(|| fields.get("name")).and_then(first_text)
        }
        Value::Null | Value::Bool(_) => None,
    }
}

/// The first number of "4 servings"; of a list, the first that has one.
fn servings(value: &Value) -> Option<u32> {
    match value {
        Value::Array(list) => list.iter().find_map(servings),
        value => {
            let text = first_text(value)?;
            let digits = text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?;
            digits.parse().ok()
        }
    }
}

fn lines(value: Option<&Value>) -> Vec<String> {
    let texts: Vec<String> = match value {
        Some(Value::Array(list)) => list.iter().filter_map(first_text).collect(),
        Some(value) => first_text(value).into_iter().collect(),
        None => Vec::new(),
    };
    texts
        .iter()
        .flat_map(|text| text.lines())
        .map(one_line)
        .filter(|line| !line.is_empty())
        .collect()
}

fn steps(value: &Value, depth: usize, found: &mut Found) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::String(text) => {
            let text = plain_text(text);
            found.steps.extend(text.lines().map(one_line).filter(|line| !line.is_empty()));
        }
        Value::Array(list) => list.iter().for_each(|one| steps(one, depth, found)),
        Value::Object(fields) => {
            let inner = fields.get("itemListElement").or_else(|| fields.get("steps"));
            match (inner, fields.get("text").or_else(|| fields.get("name"))) {
                (Some(inner), name) => {
                    // The name of a section has no place in a recipe.
                    found.not_understood.extend(name.and_then(first_text));
                    steps(inner, depth, found);
                }
                (None, Some(text)) => {
                    let line = first_text(text).map(|text| one_line(&text)).unwrap_or_default();
                    if !line.is_empty() {
                        found.steps.push(line);
                    }
                }
                (None, None) => {}
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
