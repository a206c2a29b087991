//! Results of tools: compact JSON with ids as text for the model and as structure for
//! programs; errors say what to do next.

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

/// The summary for the model, and the metadata by which the client opens its panel.
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

/// An internal failure is logged here, once; the model does not see its details.
pub(super) fn error(tool: Tool, error: &RecipeError) -> CallToolResult {
    let text = match error.code() {
        ErrorCode::Unavailable => {
            tracing::warn!(%error, tool = tool.name(), "the database is unavailable");
            "The recipes cannot be read or written right now; try again in a moment.".to_owned()
        }
        ErrorCode::Internal => {
            tracing::error!(%error, tool = tool.name(), "tool call failed");
            "Something failed in Recipe Vault; its log says what.".to_owned()
        }
        _ => error.to_string(),
    };
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| {
        tracing::error!(%error, "failed to serialize a result");
        Value::Null
    })
}
