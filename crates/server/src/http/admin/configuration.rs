//! `GET /api/admin/configuration`: what holds, value by value, and where it comes from.
//!
//! The configuration is the server's, so it is shown to whoever runs the server: the administrators
//! of its only tenant, or the key that the environment sets. Where there are several tenants, the
//! administrators of each read their own section. Secrets were masked when it was read.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;

use crate::app::App;
use crate::auth::{ENVIRONMENT_KEY, Principal};
use crate::config::EffectiveValue;
use crate::http::errors::ApiError;
use crate::http::json;
use crate::http::principal::Admin;

#[derive(Debug, Serialize)]
struct Configuration {
    /// `server`: all of it. `tenant`: the tenant's own section.
    scope: &'static str,
    values: Vec<EffectiveValue>,
}

/// All of it, or the tenant's own section.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Admin(principal): Admin,
) -> Result<Response, ApiError> {
    let values = app.config.effective.values();
    if runs_the_server(&app, &principal) {
        return json(&Configuration { scope: "server", values: values.collect() });
    }
    let own = format!("tenants.{}.", principal.caller.tenant);
    let values = values.filter(|value| value.key.starts_with(&own));
    json(&Configuration { scope: "tenant", values: values.collect() })
}

fn runs_the_server(app: &App, principal: &Principal) -> bool {
    app.config.tenants.len() == 1 || principal.session.id == ENVIRONMENT_KEY
}
