//! Reading a request: the body within its limits, ids from the path, parameters from
//! the query. Invalid ones are refused in JSON.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use parlor_protocol::ErrorCode;
use parlor_storage::PageCursor;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::errors::ApiError;
use crate::app::App;
use crate::limits::{BodyBudget, BudgetedBytes};

/// A JSON body, with an error that names the field.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

/// An id in the path. An invalid one is a 404, like an unknown one.
#[derive(Debug)]
pub(crate) struct PathId<T>(pub(crate) T);

/// Parameters of the query.
#[derive(Debug)]
pub(crate) struct Parameters<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        // Another site can make a browser send text/plain, but not this.
        require_content_type(request.headers(), "application/json")?;
        let body = read(app, request, app.config.server.limits.body).await?;
        parse(body.as_slice(), "The body").map(Self)
    }
}

impl<T: FromStr + Send> FromRequestParts<Arc<App>> for PathId<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let text = Path::<String>::from_request_parts(parts, app).await;
        let id = text.ok().and_then(|text| text.parse().ok());
        id.map(Self).ok_or_else(ApiError::not_found)
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<App>> for Parameters<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, ApiError> {
        let query = Query::try_from_uri(&parts.uri);
        query.map(|query| Self(query.0)).map_err(|error| {
            let why = error.body_text();
            let why = why.rsplit_once("query string: ").map_or(why.as_str(), |(_, why)| why);
            ApiError::malformed(why.to_owned())
        })
    }
}

/// Parses a JSON object; errors name the field, or `what` it is as a whole.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, ApiError> {
    // serde would accept a list of the fields in their order.
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(ApiError::malformed(format!("{what} must be a JSON object.")));
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|e| explain(&e, what))?;
    json.end().map_err(|error| ApiError::malformed(format!("{what} is not JSON: {error}")))?;
    Ok(value)
}

/// Where a page of a list begins; an empty text means the first page.
pub(crate) fn page_cursor(before: Option<&str>) -> Result<Option<PageCursor>, ApiError> {
    let before = before.filter(|text| !text.is_empty());
    before
        .map(|text| text.parse().map_err(|error| ApiError::malformed(format!("before: {error}"))))
        .transpose()
}

/// Refuses a body with another content type.
pub(crate) fn require_content_type(
    headers: &HeaderMap,
    expected: &'static str,
) -> Result<(), ApiError> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = given.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(expected) {
        Ok(())
    } else {
        Err(ApiError::wrong_content_type(expected))
    }
}

/// Until when a request must be read and answered, set by the edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(pub(crate) Instant);

/// The whole body, or a refusal: it is too large or too slow, or the budget for all
/// bodies is exhausted.
pub(crate) async fn read(
    app: &App,
    request: Request,
    limit: usize,
) -> Result<BudgetedBytes, ApiError> {
    let deadline = request.extensions().get::<Deadline>().copied();
    let announced = content_length(request.headers());
    let reading = read_all(&app.body_budget, request.into_body(), announced, limit);
    match deadline {
        Some(Deadline(at)) => timeout_at(at, reading).await.map_err(|_| ApiError::slow_body())?,
        None => reading.await,
    }
}

async fn read_all(
    budget: &BodyBudget,
    mut body: Body,
    announced: Option<usize>,
    limit: usize,
) -> Result<BudgetedBytes, ApiError> {
    if announced.is_some_and(|length| length > limit) {
        drain(body, limit).await;
        return Err(ApiError::too_large(limit));
    }
    let mut read = BudgetedBytes::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::malformed("The body ended too early."))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = read.len() + data.len();
        if length > limit {
            drain(body, limit).await;
            return Err(ApiError::too_large(limit));
        }
        let rest = announced.unwrap_or(limit).saturating_sub(length);
        if budget.extend(&mut read, &data, rest).is_err() {
            drain(body, limit).await;
            return Err(ApiError::unavailable(
                "Many large requests are being read at the moment; please try again.",
            ));
        }
    }
    Ok(read)
}

/// Reads and drops the rest of a body for a moment before the connection ends: a client
/// that is still sending does not read the response.
async fn drain(mut body: Body, limit: usize) {
    let drain = async {
        let mut drained = 0;
        while let Some(Ok(frame)) = body.frame().await {
            drained += frame.data_ref().map_or(0, Bytes::len);
            if drained > 2 * limit {
                break;
            }
        }
    };
    let _enough = tokio::time::timeout(Duration::from_secs(5), drain).await;
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// An error that names the field. An invalid id is a 404, as it would be in a path.
fn explain(error: &serde_path_to_error::Error<serde_json::Error>, what: &str) -> ApiError {
    let path = error.path().to_string();
    let inner = error.inner();
    if !inner.is_data() {
        return ApiError::malformed(format!("{what} is not JSON: {inner}"));
    }
    let why = without_type_names(&inner.to_string());
    let is_id = matches!(path.as_str(), "tenant" | "project" | "conversation_id");
    if is_id && !why.starts_with("invalid type") {
        return ApiError::new(ErrorCode::NotFound, format!("{path}: {why}"));
    }
    let place = if path == "." { what } else { &path };
    ApiError::malformed(format!("{place}: {why}"))
}

/// serde names our Rust types where it expects an object.
fn without_type_names(why: &str) -> String {
    let Some((before, after)) = why.split_once("expected struct ") else { return why.to_owned() };
    let rest = after.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    format!("{before}expected an object{rest}")
}
