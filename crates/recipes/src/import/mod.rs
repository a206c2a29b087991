//! A recipe from a page of somebody else, as a draft that a person reviews.
//!
//! 1. JSON, or a page with `<script type="application/ld+json">`: its schema.org `Recipe`
//!    ([`structured`]). A page without one holds no recipe: its words are not guessed at.
//! 2. Any other text is read line by line, by its headings ([`plain`]).
//! 3. An ingredient's line is taken apart by rule ([`ingredient`]); what no rule knows stays in
//!    its name.
//! 4. What was not understood is said, and what is over a limit counts as not understood. The
//!    rest goes through the same checks as any recipe.
//!
//! Linear in the length of the text.

mod durations;
mod ingredient;
mod markup;
mod plain;
mod structured;

use serde::Serialize;
use serde::de::IgnoredAny;

use crate::error::RecipeError;
use crate::input::{IngredientInput, RecipeInput, StepInput, WholeNumber};
use crate::limits;
use crate::recipe::Content;

/// What a draft was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftSource {
    /// A `Recipe` of schema.org.
    StructuredData,
    /// Lines of text.
    Text,
}

/// A recipe that is not stored yet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Draft {
    /// The recipe.
    pub recipe: Content,
    /// What it was made from.
    pub source: DraftSource,
    /// Lines that are not in it.
    pub not_understood: Vec<String>,
}

/// How many lines that were not understood are given back, and how much of each.
const LINES: usize = 50;
const LINE: usize = 300;

/// Reads a recipe out of a page, out of JSON, or out of plain text.
pub fn import(text: &str) -> Result<Draft, RecipeError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(RecipeError::invalid("there is nothing to read"));
    }
    let (found, source) = if let Some(found) = structured::find(text) {
        (found, DraftSource::StructuredData)
    } else if markup::is_page(text) || is_json(text) {
        return Err(RecipeError::NoRecipe);
    } else {
        (plain::read(text).ok_or(RecipeError::NoRecipe)?, DraftSource::Text)
    };
    found.into_draft(source)
}

/// Whether a text is data, and not words.
fn is_json(text: &str) -> bool {
    text.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// What was found, before the limits.
#[derive(Debug, Default)]
struct Found {
    title: String,
    description: Option<String>,
    servings: Option<u32>,
    prep_minutes: Option<u32>,
    cook_minutes: Option<u32>,
    ingredients: Vec<String>,
    steps: Vec<String>,
    not_understood: Vec<String>,
}

impl Found {
    fn into_draft(mut self, source: DraftSource) -> Result<Draft, RecipeError> {
        let title = clipped(&self.title, limits::TITLE);
        if title.is_empty() {
            return Err(RecipeError::NoRecipe);
        }
        let servings = self.servings.filter(|number| (1..=limits::SERVINGS).contains(number));
        let minutes = |given: Option<u32>| {
            given.filter(|minutes| *minutes <= limits::MINUTES).map(|n| WholeNumber(f64::from(n)))
        };
        let mut rest = Vec::new();
        let mut ingredients = Vec::new();
        for line in self.ingredients {
            let parsed = ingredient::parse(&line);
            let full = ingredients.len() >= limits::LIST;
            match parsed.filter(|parsed| !full && fits(parsed)) {
                Some(parsed) => ingredients.push(parsed),
                None => rest.push(line),
            }
        }
        let mut steps = Vec::new();
        for line in self.steps.into_iter().filter(|line| !line.trim().is_empty()) {
            if steps.len() >= limits::LIST || line.chars().count() > limits::INSTRUCTION {
                rest.push(line);
            } else {
                steps.push(StepInput { instruction: Some(line), duration_minutes: None });
            }
        }
        let description = self.description.map(|text| clipped(&text, limits::DESCRIPTION));
        let recipe = RecipeInput {
            title: Some(title),
            description,
            servings: servings.map(|number| WholeNumber(f64::from(number))),
            prep_time_minutes: minutes(self.prep_minutes),
            cook_time_minutes: minutes(self.cook_minutes),
            ingredients: Some(ingredients),
            steps: Some(steps),
        };
        self.not_understood.append(&mut rest);
        let not_understood = self.not_understood.iter().take(LINES).map(|line| clipped(line, LINE));
        Ok(Draft {
            recipe: recipe.complete()?,
            source,
            not_understood: not_understood.filter(|line| !line.is_empty()).collect(),
        })
    }
}

fn fits(ingredient: &IngredientInput) -> bool {
    let within = |text: &Option<String>, most| {
        text.as_ref().is_none_or(|text: &String| text.chars().count() <= most)
    };
    within(&ingredient.name, limits::NAME) && within(&ingredient.notes, limits::NOTES)
}

/// A text on one line, without control characters, cut off at a limit.
fn clipped(text: &str, most: usize) -> String {
    one_line(text).chars().take(most).collect::<String>().trim().to_owned()
}

/// White space and control characters become single spaces.
fn one_line(text: &str) -> String {
    let parts = text.split(|c: char| c.is_whitespace() || c.is_control());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
