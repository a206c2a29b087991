//! `GET /api/search?q=&before=`: what was said, and titles, in the conversations that somebody takes part
//! in.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::body::{Parameters, page_cursor};
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Principal;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    #[serde(default)]
    q: String,
    before: Option<String>,
}

/// A page of what was found. Any text is taken: nothing in it is syntax.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    Parameters(Query { q, before }): Parameters<Query>,
) -> Result<Response, ApiError> {
    let before = page_cursor(before.as_deref())?;
    json(&app.chat.search(&principal.caller, &q, before.as_ref()).await?)
}
