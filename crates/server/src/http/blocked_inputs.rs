//! `GET /api/admin/blocked-inputs`: inputs that the guardrail refused or flagged, for
//! admins (G-7). Also served under its older name, `GET /api/audit`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::body::{Parameters, page_cursor};
use super::errors::ApiError;
use super::json;
use super::principal::Admin;
use crate::app::App;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    before: Option<String>,
}

/// A page of them, newest first; `?before=` takes the `next_before` of the last page.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
    Parameters(query): Parameters<Query>,
) -> Result<Response, ApiError> {
    let before = page_cursor(query.before.as_deref())?;
    json(&app.chat.blocked_inputs(&principal.caller, before.as_ref()).await?)
}
