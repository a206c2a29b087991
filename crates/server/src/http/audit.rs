//! `GET /api/audit`: what the guardrail refused or noticed, for admins (G-7).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;

use super::body::{Parameters, page_place};
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Admin;

#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    before: Option<String>,
}

/// The latest first; `?before=` takes a `next_before`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Admin(visitor): Admin,
    Parameters(which): Parameters<Which>,
) -> Result<Response, ApiError> {
    let before = page_place(which.before.as_deref())?;
    json(&app.chat.blocked_inputs(&visitor.caller, before.as_ref()).await?)
}
