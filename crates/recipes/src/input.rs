//! Input for a recipe, and its checks, which are the same for HTTP and MCP. Validation
//! errors are collected, and each says where it is and what to do.
//!
//! Absent and `null` are the same: models write `null` for what they leave alone.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use crate::error::RecipeError;
use crate::limits;
use crate::quantity::Quantity;
use crate::recipe::{Content, Ingredient, Step};

/// Unchecked input for a recipe.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(expecting = "a recipe: an object with title, ingredients and steps")]
pub struct RecipeInput {
    /// Its name for people.
    pub title: Option<String>,
    /// A sentence or two about it; an empty one removes it.
    pub description: Option<String>,
    /// How many it feeds.
    pub servings: Option<WholeNumber>,
    /// Work before the heat is on.
    pub prep_time_minutes: Option<WholeNumber>,
    /// Time on the stove or in the oven.
    pub cook_time_minutes: Option<WholeNumber>,
    /// The ingredients.
    pub ingredients: Option<Vec<IngredientInput>>,
    /// The steps.
    pub steps: Option<Vec<StepInput>>,
}

/// Unchecked input for an ingredient.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(expecting = "an ingredient: an object with name, quantity, unit and notes")]
pub struct IngredientInput {
    /// What.
    pub name: Option<String>,
    /// How much.
    pub quantity: Option<Quantity>,
    /// Of what measure.
    pub unit: Option<String>,
    /// How it is prepared.
    pub notes: Option<String>,
}

/// Unchecked input for a step.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(expecting = "a step: an object with instruction and duration_minutes")]
pub struct StepInput {
    /// What.
    pub instruction: Option<String>,
    /// For how long.
    pub duration_minutes: Option<WholeNumber>,
}

/// A number that should be whole. `30.0` is, for JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WholeNumber(pub f64);

impl RecipeInput {
    /// The content of a new recipe.
    pub fn complete(self) -> Result<Content, RecipeError> {
        let mut check = Check::default();
        if self.ingredients.is_none() {
            check.error("ingredients", "give the list of ingredients");
        }
        if self.steps.is_none() {
            check.error("steps", "give the list of steps");
        }
        let content = Content {
            title: check.title(self.title.unwrap_or_default()),
            description: check.text("description", self.description, limits::DESCRIPTION),
            servings: check.servings(self.servings),
            prep_time_minutes: check.minutes("prep_time_minutes", self.prep_time_minutes),
            cook_time_minutes: check.minutes("cook_time_minutes", self.cook_time_minutes),
            ingredients: check.ingredients(self.ingredients.unwrap_or_default()),
            steps: check.steps(self.steps.unwrap_or_default()),
        };
        check.end(content)
    }

    /// The content of a recipe with the given fields replaced.
    pub fn change(self, old: &Content) -> Result<Content, RecipeError> {
        if self == Self::default() {
            let all = "title, description, servings, prep_time_minutes, cook_time_minutes, \
                       ingredients or steps";
            return Err(RecipeError::invalid(format!("nothing is to be changed: give {all}")));
        }
        let mut check = Check::default();
        let mut new = old.clone();
        if let Some(title) = self.title {
            new.title = check.title(title);
        }
        if self.description.is_some() {
            new.description = check.text("description", self.description, limits::DESCRIPTION);
        }
        new.servings = check.servings(self.servings).or(old.servings);
        let prep = check.minutes("prep_time_minutes", self.prep_time_minutes);
        new.prep_time_minutes = prep.or(old.prep_time_minutes);
        let cook = check.minutes("cook_time_minutes", self.cook_time_minutes);
        new.cook_time_minutes = cook.or(old.cook_time_minutes);
        if let Some(ingredients) = self.ingredients {
            new.ingredients = check.ingredients(ingredients);
        }
        if let Some(steps) = self.steps {
            new.steps = check.steps(steps);
        }
        check.end(new)
    }
}

/// Checks the fields and collects validation errors.
#[derive(Default)]
struct Check {
    errors: Vec<String>,
}

impl Check {
    fn end(self, content: Content) -> Result<Content, RecipeError> {
        if self.errors.is_empty() { Ok(content) } else { Err(RecipeError::Invalid(self.errors)) }
    }

    fn error(&mut self, path: &str, what: impl fmt::Display) {
        self.errors.push(format!("{path}: {what}"));
    }

    fn title(&mut self, title: String) -> String {
        self.line("title", title, limits::TITLE, "give the recipe a title")
    }

    fn servings(&mut self, servings: Option<WholeNumber>) -> Option<u32> {
        self.whole("servings", servings, 1..=limits::SERVINGS, "a whole number")
    }

    fn minutes(&mut self, path: &str, minutes: Option<WholeNumber>) -> Option<u32> {
        self.whole(path, minutes, 0..=limits::MINUTES, "whole minutes")
    }

    fn ingredients(&mut self, given: Vec<IngredientInput>) -> Vec<Ingredient> {
        if self.too_many("ingredients", given.len()) {
            return Vec::new();
        }
        let checked = given.into_iter().enumerate().map(|(n, given)| {
            let path = |field: &str| format!("ingredients[{n}].{field}");
            let name = given.name.unwrap_or_default();
            Ingredient {
                name: self.line(&path("name"), name, limits::NAME, "name the ingredient"),
                quantity: self.quantity(&path("quantity"), given.quantity),
                unit: self.optional_line(&path("unit"), given.unit, limits::MEASURE),
                notes: self.text(&path("notes"), given.notes, limits::NOTES),
            }
        });
        checked.collect()
    }

    fn steps(&mut self, given: Vec<StepInput>) -> Vec<Step> {
        if self.too_many("steps", given.len()) {
            return Vec::new();
        }
        let checked = given.into_iter().enumerate().map(|(n, given)| {
            let path = |field: &str| format!("steps[{n}].{field}");
            let text = self.text(&path("instruction"), given.instruction, limits::INSTRUCTION);
            if text.is_none() {
                self.error(&path("instruction"), "say what is done in this step");
            }
            Step {
                instruction: text.unwrap_or_default(),
                duration_minutes: self.minutes(&path("duration_minutes"), given.duration_minutes),
            }
        });
        checked.collect()
    }

    fn quantity(&mut self, path: &str, given: Option<Quantity>) -> Option<Quantity> {
        let given = match given? {
            Quantity::Text(text) => {
                Quantity::Text(self.optional_line(path, Some(text), limits::MEASURE)?)
            }
            number @ Quantity::Number(_) => number,
        };
        let quantity = given.recognised();
        match quantity {
            Quantity::Number(number) if number <= 0.0 => {
                self.error(
                    path,
                    format!("{number} is not more than 0; leave it out if it is not known"),
                );
            }
            Quantity::Number(number) if number > f64::from(limits::QUANTITY) => {
                self.error(
                    path,
                    format!("{number} is more than {}; choose a larger unit", limits::QUANTITY),
                );
            }
            _ => {}
        }
        Some(quantity)
    }

    fn too_many(&mut self, path: &str, count: usize) -> bool {
        let too_many = count > limits::LIST;
        if too_many {
            self.error(
                path,
                format!("there are {count}, and there can be {} at most", limits::LIST),
            );
        }
        too_many
    }

    fn whole(
        &mut self,
        path: &str,
        given: Option<WholeNumber>,
        range: RangeInclusive<u32>,
        what: &str,
    ) -> Option<u32> {
        let WholeNumber(number) = given?;
        let (least, most) = (*range.start(), *range.end());
        if number.fract() == 0.0 && (f64::from(least)..=f64::from(most)).contains(&number) {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is in the range"
            )]
            return Some(number as u32);
        }
        let why = if number < 0.0 { "negative" } else { "not possible" };
        self.error(path, format!("{number} is {why}; give {what} from {least} to {most}"));
        None
    }

    /// A text of one line that must not be empty.
    fn line(&mut self, path: &str, text: String, most: usize, missing: &str) -> String {
        let line = self.optional_line(path, Some(text), most);
        if line.is_none() {
            self.error(path, missing);
        }
        line.unwrap_or_default()
    }

    /// A text of one line: white space becomes single spaces.
    fn optional_line(&mut self, path: &str, text: Option<String>, most: usize) -> Option<String> {
        let line = text?.split_whitespace().collect::<Vec<_>>().join(" ");
        self.text(path, Some(line), most)
    }

    /// A text that may have several lines. A blank one is none.
    fn text(&mut self, path: &str, text: Option<String>, most: usize) -> Option<String> {
        let text = text?.replace("\r\n", "\n").trim().to_owned();
        if text.is_empty() {
            return None;
        }
        let count = text.chars().count();
        if count > most {
            self.error(path, format!("it has {count} characters, and can have {most} at most"));
        }
        if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            self.error(path, "it holds control characters; write it as plain text");
        }
        Some(text)
    }
}

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeNumberVisitor)
    }
}

struct WholeNumberVisitor;

impl Visitor<'_> for WholeNumberVisitor {
    type Value = WholeNumber;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    #[allow(clippy::cast_precision_loss, reason = "what is too large for it is refused later")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(number as f64))
    }

    #[allow(clippy::cast_precision_loss, reason = "what is too large for it is refused later")]
    fn visit_u64<E: Error>(self, number: u64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<WholeNumber, E> {
        Ok(WholeNumber(number))
    }
}
