//! The one way in which recipes change, and the run id that makes a change happen once.

use std::fmt;

use parlor_protocol::Timestamp;
use serde_json::Value;

use crate::error::RecipeError;
use crate::input::RecipeInput;
use crate::recipe::{Content, RecipeId};

/// A change of recipes.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Adds a recipe.
    Create(Content),
    /// Replaces the whole content of a recipe; with a time, only if it was last changed then.
    Replace(RecipeId, Content, Option<Timestamp>),
    /// Changes some fields of a recipe; the others stay.
    Update(RecipeId, RecipeInput),
    /// Deletes a recipe.
    Delete(RecipeId),
}

/// One call of a tool, by the id that its caller gave it: the same run again has
/// the first one's outcome and changes nothing.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The caller's id for it.
    pub id: &'a RunId,
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, as they came.
    pub arguments: &'a Value,
}

/// A caller's id for one call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunId(String);

impl RunId {
    const MAX_LENGTH: usize = 200;

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<&Value> for RunId {
    type Error = RecipeError;

    /// An invalid id is an error, not ignored: the caller relies on it.
    fn try_from(value: &Value) -> Result<Self, RecipeError> {
        match value.as_str() {
            Some(text)
                if (1..=Self::MAX_LENGTH).contains(&text.len())
                    && text.bytes().all(|b| b.is_ascii_graphic()) =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Err(RecipeError::invalid(format!(
                "a run id is a text of 1 to {} letters, digits and signs",
                Self::MAX_LENGTH
            ))),
        }
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
