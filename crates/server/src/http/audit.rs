//! `GET /api/audit`: what the guardrail refused or noticed, for admins (G-7).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use parlor_protocol::Timestamp;
use parlor_storage::BlockedInput;
use serde::{Deserialize, Serialize};

use super::body::Parameters;
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Admin;

#[derive(Debug, Deserialize)]
pub(crate) struct Which {
    before: Option<i64>,
}

#[derive(Serialize)]
struct Page {
    blocked_inputs: Vec<BlockedInput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before: Option<Timestamp>,
}

/// Newest first; `?before=` takes a `next_before`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Admin(visitor): Admin,
    Parameters(which): Parameters<Which>,
) -> Result<Response, ApiError> {
    let before = which.before.map(Timestamp);
    let blocked_inputs = app.chat.blocked_inputs(&visitor.caller, before).await?;
    let next_before = blocked_inputs.last().map(|last| last.at);
    json(&Page { blocked_inputs, next_before })
}
