//! `GET /api/conversations/{id}/events`: what happened since, and what happens (H-5).

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use parlor_protocol::{ConversationId, EventId};
use serde::Deserialize;

use super::body::{Parameters, PathId};
use super::errors::ApiError;
use super::line::Line;
use super::stream::{Until, stream};
use crate::app::App;
use crate::auth::Visitor;

#[derive(Debug, Deserialize)]
pub(crate) struct From {
    after: Option<String>,
}

/// Goes on after `Last-Event-ID`, which a browser sends by itself, or `?after=`.
pub(crate) async fn follow(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Extension(line): Extension<Line>,
    PathId(conversation): PathId<ConversationId>,
    Parameters(from): Parameters<From>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let after = place(&headers, from.after.as_deref())?;
    let reader = app.chat.subscribe(&visitor.caller, conversation, after).await?;
    Ok(stream(&app, &visitor, line, reader, Until::TheEnd))
}

fn place(headers: &HeaderMap, after: Option<&str>) -> Result<Option<EventId>, ApiError> {
    let header = headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
    let text = header.or(after).filter(|text| !text.is_empty());
    text.map(|text| text.parse().map_err(|error| ApiError::malformed(format!("{error}"))))
        .transpose()
}
