//! What a model reads: compact JSON with ids, the same as structure for programs,
//! and in an error what to do next.

use parlor_protocol::{ErrorCode, Preview};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

use super::ARTIFACT_META;
use super::tools::{Tool, meta};
use crate::error::RecipeError;
use crate::recipe::{Recipe, Summary};

/// The kind of artifact that a recipe is.
const RECIPE: &str = "recipe";

pub(super) fn list(recipes: &[Summary]) -> CallToolResult {
    CallToolResult::structured(json!({"recipes": recipes}))
}

pub(super) fn recipe(recipe: &Recipe) -> CallToolResult {
    CallToolResult::structured(value(recipe))
}

/// Enough to talk about it, and the mark by which the client opens its panel.
pub(super) fn display(recipe: &Recipe) -> CallToolResult {
    let note = "A client with a recipe panel shows the whole recipe now: do not repeat it. Only \
                without a panel, read it with get_recipe and write it out.";
    let artifact = json!({"kind": RECIPE, "id": recipe.id});
    CallToolResult::structured(json!({"displayed": recipe.summary(), "note": note}))
        .with_meta(Some(meta(ARTIFACT_META, artifact)))
}

pub(super) fn deleted(recipe: &Recipe) -> CallToolResult {
    let deleted = json!({"id": recipe.id, "title": recipe.content.title});
    CallToolResult::structured(json!({"deleted": deleted}))
}

pub(super) fn preview(preview: &Preview) -> CallToolResult {
    CallToolResult::structured(value(preview))
}

/// What failed inside is logged here, once, and not told.
pub(super) fn error(tool: Tool, error: &RecipeError) -> CallToolResult {
    let text = match error.code() {
        ErrorCode::Unavailable => {
            tracing::warn!(%error, tool = tool.name(), "the database does not work right now");
            "The recipes cannot be read or written right now; try again in a moment.".to_owned()
        }
        ErrorCode::Internal => {
            tracing::error!(%error, tool = tool.name(), "a call failed");
            "Something failed in Recipe Vault; its log says what.".to_owned()
        }
        _ => error.to_string(),
    };
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| {
        tracing::error!(%error, "an answer could not be written");
        Value::Null
    })
}
