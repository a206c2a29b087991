//! `GET /api/conversations/{id}/events`: the events of a conversation after a given one,
//! past and live (H-5).

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use parlor_protocol::{ConversationId, EventId};
use serde::Deserialize;

use super::body::{Parameters, PathId};
use super::errors::ApiError;
use super::event_stream::{Until, stream};
use super::stream_end::ConnectionGuard;
use crate::app::App;
use crate::auth::Principal;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    after: Option<String>,
}

/// Streams what comes after `Last-Event-ID`, which browsers send by themselves, or
/// `?after=`.
pub(crate) async fn follow(
    State(app): State<Arc<App>>,
    principal: Principal,
    Extension(connection): Extension<ConnectionGuard>,
    PathId(conversation): PathId<ConversationId>,
    Parameters(query): Parameters<Query>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let after = last_event_id(&headers, query.after.as_deref())?;
    let reader = app.chat.subscribe(&principal.caller, conversation, after).await?;
    Ok(stream(&app, &principal, connection, reader, Until::ConversationGone))
}

fn last_event_id(headers: &HeaderMap, after: Option<&str>) -> Result<Option<EventId>, ApiError> {
    let header = headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
    let text = header.or(after).filter(|text| !text.is_empty());
    text.map(|text| text.parse().map_err(|error| ApiError::malformed(format!("{error}"))))
        .transpose()
}
