//! `GET /api/images/{id}`: a picture that somebody sent.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use uuid::Uuid;

use super::body::PathId;
use super::errors::ApiError;
use crate::app::App;
use crate::auth::Visitor;

/// The bytes, as what they were found to be. A picture never changes.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    PathId(id): PathId<Uuid>,
) -> Result<Response, ApiError> {
    let image = app.chat.image(&visitor.caller, id).await?;
    let headers = [
        (header::CONTENT_TYPE, image.media_type.as_str()),
        (header::CACHE_CONTROL, "private, max-age=86400, immutable"),
        (header::CONTENT_DISPOSITION, "inline"),
    ];
    Ok((headers, image.bytes).into_response())
}
