//! Conversations: list, read, rename, delete, stop.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use parlor_protocol::{ConversationId, Mode};
use serde::Deserialize;
use serde_json::json as value;

use super::body::{Json, Parameters, PathId, page_cursor};
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Principal;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    q: Option<String>,
    before: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Changes {
    title: Option<String>,
    mode: Option<Mode>,
}

/// `GET /api/conversations?q=&before=`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    principal: Principal,
    Parameters(query): Parameters<Query>,
) -> Result<Response, ApiError> {
    let search = query.q.as_deref().filter(|text| !text.trim().is_empty());
    let before = page_cursor(query.before.as_deref())?;
    json(&app.chat.conversations(&principal.caller, search, before.as_ref()).await?)
}

/// `GET /api/conversations/{id}`.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<Response, ApiError> {
    json(&app.chat.conversation(&principal.caller, id).await?)
}

/// `PATCH /api/conversations/{id}`.
pub(crate) async fn update(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
    Json(changes): Json<Changes>,
) -> Result<Response, ApiError> {
    if changes.title.as_deref().is_some_and(|title| title.trim().is_empty()) {
        return Err(ApiError::malformed("title: it is blank"));
    }
    json(&app.chat.update(&principal.caller, id, changes.title, changes.mode).await?)
}

/// `DELETE /api/conversations/{id}`.
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<StatusCode, ApiError> {
    app.chat.delete(&principal.caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/conversations/{id}/stop`.
pub(crate) async fn stop(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
) -> Result<Response, ApiError> {
    json(&value!({"stopped": app.chat.stop(&principal.caller, id).await?}))
}
