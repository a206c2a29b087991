//! `GET /api/admin/prompts`: what waits in the tenant, whoever is asked, newest first.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use crate::app::App;
use crate::http::body::{Parameters, page_cursor};
use crate::http::errors::ApiError;
use crate::http::json;
use crate::http::principal::Admin;

/// How many are on a page.
const PER_PAGE: u32 = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    before: Option<String>,
}

/// A page of them.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Parameters(query): Parameters<Query>,
) -> Result<Response, ApiError> {
    let before = page_cursor(query.before.as_deref())?;
    json(&app.store.waiting_prompts(&principal.caller.scope, before.as_ref(), PER_PAGE).await?)
}
