//! `GET /api/images/{id}`: an image that somebody sent.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use uuid::Uuid;

use super::body::PathId;
use super::errors::ApiError;
use crate::app::App;
use crate::auth::Principal;

/// The bytes, with the type that was detected. An image never changes.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<Uuid>,
) -> Result<Response, ApiError> {
    let image = app.chat.image(&principal.caller, id).await?;
    let headers = [
        (header::CONTENT_TYPE, image.media_type.as_str()),
        (header::CACHE_CONTROL, "private, max-age=86400, immutable"),
        (header::CONTENT_DISPOSITION, "inline"),
    ];
    Ok((headers, image.bytes).into_response())
}
