//! The preview of a change for its approval (P-7): the recipe before and after, as
//! text that a person reads.

use parlor_protocol::Preview;
use serde_json::{Map, Value, json};

use crate::recipe::{Content, Ingredient, Recipe, Step};

/// A recipe before and after. `None` is no recipe: it is new, or it is gone.
pub fn preview(before: Option<&Recipe>, after: Option<&Recipe>) -> Preview {
    let record = |recipe: &Recipe| Value::Object(record(&recipe.content));
    Preview::Record { old: before.map(record), new: after.map(record) }
}

fn record(content: &Content) -> Map<String, Value> {
    let mut record = Map::new();
    let mut field = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            record.insert(key.to_owned(), value);
        }
    };
    field("title", Some(json!(content.title)));
    field("description", content.description.as_ref().map(|text| json!(text)));
    field("servings", content.servings.map(|servings| json!(servings)));
    field("preparation", content.prep_time_minutes.map(|minutes| json!(time(minutes))));
    field("cooking", content.cook_time_minutes.map(|minutes| json!(time(minutes))));
    field("ingredients", Some(content.ingredients.iter().map(ingredient).collect()));
    field("steps", Some(content.steps.iter().map(step).collect()));
    record
}

/// "1/2 kg tomatoes, ripe".
fn ingredient(ingredient: &Ingredient) -> String {
    let quantity = ingredient.quantity.as_ref().map(ToString::to_string);
    let parts = [quantity.as_deref(), ingredient.unit.as_deref(), Some(&ingredient.name)];
    let line = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    match &ingredient.notes {
        Some(notes) => format!("{line}, {notes}"),
        None => line,
    }
}

/// "Simmer. (20 min)".
fn step(step: &Step) -> String {
    match step.duration_minutes {
        Some(minutes) => format!("{} ({})", step.instruction, time(minutes)),
        None => step.instruction.clone(),
    }
}

fn time(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}
