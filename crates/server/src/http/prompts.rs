//! Prompts: answer, preview, give more time, list; and what is always allowed.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use parlor_protocol::{ConversationId, PromptAnswer, PromptId, PromptOutcome, PromptStatus};
use serde::Deserialize;
use serde_json::json as value;

use super::body::{Json, Parameters, PathId, page_place};
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Visitor;

#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    status: Option<PromptStatus>,
    before: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct MoreTime {
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
    visitor: Visitor,
    PathId(id): PathId<PromptId>,
    Json(answer): Json<PromptAnswer>,
) -> Result<Response, ApiError> {
    let answered = app.chat.answer(&visitor.caller, id, answer).await?;
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

/// `POST /api/prompts/{id}/preview`: what an approval would change with these
/// arguments. Nothing runs.
pub(crate) async fn preview(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(id): PathId<PromptId>,
    Json(Edited { input }): Json<Edited>,
) -> Result<Response, ApiError> {
    app.quotas.take_preview(&visitor.caller.session).map_err(ApiError::rate_limited)?;
    let previewed = app.chat.preview(&visitor.caller, id, &input).await?;
    let mut body = value!({"messageId": id, "toolCall": previewed.call});
    if let Some(preview) = previewed.preview {
        body["preview"] = value!(preview);
    }
    json(&body)
}

/// `POST /api/prompts/{id}/extend`.
pub(crate) async fn extend(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(id): PathId<PromptId>,
    Json(MoreTime { seconds }): Json<MoreTime>,
) -> Result<Response, ApiError> {
    let expires_at = app.chat.extend(&visitor.caller, id, seconds).await?;
    json(&value!({"messageId": id, "expires_at": expires_at}))
}

/// `GET /api/prompts?status=&before=`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Parameters(Which { status, before }): Parameters<Which>,
) -> Result<Response, ApiError> {
    let before = page_place(before.as_deref())?;
    json(&app.chat.prompts(&visitor.caller, status, before.as_ref()).await?)
}

/// `GET /api/prompts/{id}`.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(id): PathId<PromptId>,
) -> Result<Response, ApiError> {
    json(&app.chat.prompt(&visitor.caller, id).await?)
}

/// `GET /api/conversations/{id}/allowances`.
pub(crate) async fn allowances(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(id): PathId<ConversationId>,
) -> Result<Response, ApiError> {
    json(&value!({"allowances": app.chat.allowances(&visitor.caller, id).await?}))
}

/// `DELETE /api/conversations/{id}/allowances`.
pub(crate) async fn revoke_all(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(id): PathId<ConversationId>,
) -> Result<StatusCode, ApiError> {
    app.chat.revoke_allowances(&visitor.caller, id, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /api/conversations/{id}/allowances/{tool}`.
pub(crate) async fn revoke(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<StatusCode, ApiError> {
    let Path((id, tool)) = path.map_err(|_| ApiError::not_found())?;
    let id: ConversationId = id.parse().map_err(|_| ApiError::not_found())?;
    app.chat.revoke_allowances(&visitor.caller, id, Some(&tool)).await?;
    Ok(StatusCode::NO_CONTENT)
}
