//! Handlers: extract, authorise, call, return; and everything else that knows HTTP.
//!
//! A request comes through [`edge`], its body through [`body`], its principal through
//! [`principal`]; an error becomes a response in [`errors`]. How streams end is in
//! [`stream_end`].

pub(crate) mod admin;
pub(crate) mod apps;
pub(crate) mod blocked_inputs;
pub(crate) mod body;
pub(crate) mod budgets;
pub(crate) mod chat;
pub(crate) mod conversations;
pub(crate) mod edge;
pub(crate) mod embed;
pub mod errors;
mod event_stream;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod export_all;
pub(crate) mod external;
pub(crate) mod files;
pub(crate) mod health;
pub(crate) mod held;
pub(crate) mod imports;
pub(crate) mod invitations;
pub(crate) mod link_page;
pub(crate) mod locale;
pub(crate) mod login;
pub(crate) mod logo;
pub(crate) mod mcp;
pub(crate) mod mcp_logins;
pub(crate) mod me;
pub(crate) mod metrics;
pub(crate) mod oidc;
pub(crate) mod openapi;
pub(crate) mod pages;
pub(crate) mod people;
pub(crate) mod person_logins;
pub(crate) mod principal;
pub(crate) mod prompts;
pub(crate) mod push;
pub(crate) mod recipe_import;
pub(crate) mod recipes;
pub(crate) mod redirect_target;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod share_links;
pub(crate) mod status;
pub(crate) mod stream_end;
pub(crate) mod web;
pub(crate) mod ws;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use serde::Serialize;

use errors::ApiError;

/// A response in JSON.
fn json(value: &impl Serialize) -> Result<Response, ApiError> {
    let body = serde_json::to_vec(value).map_err(|error| {
        tracing::error!(%error, "failed to serialize a response");
        ApiError::internal()
    })?;
    let mut response = Response::new(Body::from(body));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(response)
}
