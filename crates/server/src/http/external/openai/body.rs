//! The body of a request with its hash: a client that repeats a request sends the same bytes.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use serde::de::DeserializeOwned;

use super::conversation::header_of;
use crate::app::App;
use crate::http::body::{parse, read, require_content_type};
use crate::http::errors::ApiError;
use crate::http::external::ids;

/// The header in which OpenAI's clients count how often they repeated a request.
const RETRY_COUNT: &str = "x-stainless-retry-count";

/// A JSON body that may come again.
#[derive(Debug)]
pub(crate) struct Repeatable<T> {
    pub(super) request: T,
    /// The hash of the request.
    pub(super) hash: String,
    /// Whether the client says that it sent the same request before.
    pub(super) is_repeated: bool,
}

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Repeatable<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let headers = request.headers();
        require_content_type(headers, "application/json")?;
        let count = headers.get(RETRY_COUNT).and_then(|count| count.to_str().ok());
        let is_repeated = count.and_then(|count| count.parse().ok()).is_some_and(|n: u32| n > 0);
        let conversation = header_of(headers).unwrap_or_default().to_owned();
        let path = request.uri().path().to_owned();
        let body = read(app, request, app.config.server.limits.body).await?;
        let bytes = body.as_slice();
        let hash = ids::hash(&[path.as_bytes(), bytes, conversation.as_bytes()]);
        Ok(Self { request: parse(bytes, "The body")?, hash, is_repeated })
    }
}
