//! What a recipe is: as it is stored, and as it is on the wire.

use std::fmt;
use std::str::FromStr;

use parlor_protocol::Timestamp;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::quantity::Quantity;

/// The id of a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RecipeId(Uuid);

/// A text that is not a recipe id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a recipe id is a UUID such as 0198c5a2-7b1e-7cc0-8000-000000000000")]
pub struct NotAnId;

/// A recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Its id.
    pub id: RecipeId,
    /// Its content.
    #[serde(flatten)]
    pub content: Content,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// The content of a recipe: made by the checks of [`crate::RecipeInput`], and read back
/// from the database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Content {
    /// Its name for people.
    pub title: String,
    /// A sentence or two about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How many it feeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servings: Option<u32>,
    /// Work before the heat is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prep_time_minutes: Option<u32>,
    /// Time on the stove or in the oven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cook_time_minutes: Option<u32>,
    /// The ingredients.
    pub ingredients: Vec<Ingredient>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// An ingredient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ingredient {
    /// What.
    pub name: String,
    /// How much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantity: Option<Quantity>,
    /// Of what measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// How it is prepared, or what to take instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What.
    pub instruction: String,
    /// For how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_minutes: Option<u32>,
}

/// A recipe in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Its id.
    pub id: RecipeId,
    /// Its name for people.
    pub title: String,
    /// A sentence or two about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How many it feeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub servings: Option<u32>,
    /// Work before the heat is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prep_time_minutes: Option<u32>,
    /// Time on the stove or in the oven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cook_time_minutes: Option<u32>,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl RecipeId {
    /// A new one.
    pub(crate) fn make() -> Self {
        Self(Uuid::now_v7())
    }
}

impl Recipe {
    /// The recipe in a list.
    pub fn summary(&self) -> Summary {
        let content = &self.content;
        Summary {
            id: self.id,
            title: content.title.clone(),
            description: content.description.clone(),
            servings: content.servings,
            prep_time_minutes: content.prep_time_minutes,
            cook_time_minutes: content.cook_time_minutes,
            updated_at: self.updated_at,
        }
    }
}

impl Content {
    /// The normal form by which titles are compared: "FEIJÃO" equals "feijão", whether
    /// the tilde is part of its letter or a combining character.
    pub(crate) fn title_key(&self) -> String {
        self.title.nfkc().collect::<String>().to_lowercase()
    }
}

impl FromStr for RecipeId {
    type Err = NotAnId;

    /// Takes the hyphenated form only, so that one id has one spelling.
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let id = Uuid::try_parse(text).map_err(|_| NotAnId)?;
        if text.len() == uuid::fmt::Hyphenated::LENGTH { Ok(Self(id)) } else { Err(NotAnId) }
    }
}

impl TryFrom<String> for RecipeId {
    type Error = NotAnId;

    fn try_from(text: String) -> Result<Self, NotAnId> {
        text.parse()
    }
}

impl From<RecipeId> for String {
    fn from(id: RecipeId) -> String {
        id.to_string()
    }
}

impl fmt::Display for RecipeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}
