//! Prompts: answer, preview, extend, list; and allowances.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use parlor_protocol::{ConversationId, PromptAnswer, PromptId, PromptOutcome, PromptStatus};
use serde::Deserialize;
use serde_json::json as value;

use super::body::{Json, Parameters, PathId, page_cursor};
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Principal;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    status: Option<PromptStatus>,
    before: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Extension {
    #[serde(default)]
    seconds: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Edited {
    input: serde_json::Value,
}

/// `POST /api/prompts/{id}/response`.
pub(crate) async fn respond(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<PromptId>,
    Json(answer): Json<PromptAnswer>,
) -> Result<Response, ApiError> {
    let answered = app.chat.answer(&principal.caller, id, answer).await?;
    let outcome = match answered.outcome {
        PromptOutcome::Refused => "refused",
        PromptOutcome::Answered | PromptOutcome::Expired | PromptOutcome::Cancelled => "answered",
    };
    let mut body = value!({"messageId": id, "outcome": outcome});
    if let Some(turn) = answered.turn {
        body["conversation_id"] = value!(turn.conversation_id);
        body["turn_id"] = value!(turn.turn_id);
        body["after"] = value!(turn.after);
    }
    json(&body)
}

/// `POST /api/prompts/{id}/preview`: what a tool call would change with these arguments.
/// Nothing runs.
pub(crate) async fn preview(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<PromptId>,
    Json(Edited { input }): Json<Edited>,
) -> Result<Response, ApiError> {
    app.rate_limits.take_preview(&principal.caller.counted_as()).await?;
    let previewed = app.chat.preview(&principal.caller, id, &input).await?;
    let mut body = value!({"messageId": id, "toolCall": previewed.call});
    if let Some(preview) = previewed.preview {
        body["preview"] = value!(preview);
    }
    json(&body)
}

/// `POST /api/prompts/{id}/extend`.
pub(crate) async fn extend(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<PromptId>,
    Json(Extension { seconds }): Json<Extension>,
) -> Result<Response, ApiError> {
    let expires_at = app.chat.extend(&principal.caller, id, seconds).await?;
    json(&value!({"messageId": id, "expires_at": expires_at}))
}

/// `GET /api/prompts?status=&before=`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    principal: Principal,
    Parameters(Query { status, before }): Parameters<Query>,
) -> Result<Response, ApiError> {
    let before = page_cursor(before.as_deref())?;
    json(&app.chat.prompts(&principal.caller, status, before.as_ref()).await?)
}

/// `GET /api/prompts/{id}`.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<PromptId>,
) -> Result<Response, ApiError> {
    json(&app.chat.prompt(&principal.caller, id).await?)
}

/// `GET /api/conversations/{id}/allowances`.
pub(crate) async fn allowances(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<Response, ApiError> {
    json(&value!({"allowances": app.chat.allowances(&principal.caller, id).await?}))
}

/// `DELETE /api/conversations/{id}/allowances`.
pub(crate) async fn revoke_all(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<StatusCode, ApiError> {
    app.chat.revoke_allowances(&principal.caller, id, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /api/conversations/{id}/allowances/{tool}`.
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    principal: Principal,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<StatusCode, ApiError> {
    let Path((id, tool)) = path.map_err(|_| ApiError::not_found())?;
    let id: ConversationId = id.parse().map_err(|_| ApiError::not_found())?;
    app.chat.revoke_allowances(&principal.caller, id, Some(&tool)).await?;
    Ok(StatusCode::NO_CONTENT)
}
