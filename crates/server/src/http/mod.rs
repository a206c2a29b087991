//! Handlers: extract, authorise, call, return. Nothing is decided here.

pub(crate) mod audit;
pub(crate) mod body;
pub mod body_room;
pub(crate) mod chat;
pub(crate) mod conversations;
pub(crate) mod edge;
pub mod errors;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod images;
pub(crate) mod landing;
pub(crate) mod line;
pub(crate) mod locale;
pub(crate) mod login;
pub(crate) mod me;
pub(crate) mod missing;
pub(crate) mod pages;
pub(crate) mod prompts;
pub(crate) mod recipes;
pub(crate) mod status;
mod stream;
pub(crate) mod web;
pub(crate) mod ws;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde::Serialize;

use errors::ApiError;

/// An answer in JSON.
fn json(value: &impl Serialize) -> Result<Response, ApiError> {
    let body = serde_json::to_vec(value).map_err(|error| {
        tracing::error!(%error, "an answer could not be written");
        ApiError::internal()
    })?;
    let mut response = Response::new(Body::from(body));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(response)
}
