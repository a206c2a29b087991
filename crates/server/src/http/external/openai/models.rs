//! `GET /v1/models`: the projects of the caller's tenant, each under both of its names.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use serde_json::{Value, json as value};

use super::conversation::model;
use super::errors::OpenAiError;
use crate::app::App;
use crate::auth::Principal;
use crate::http::errors::ApiError;
use crate::http::json;

/// `GET /v1/models`.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    principal: Principal,
) -> Result<Response, ApiError> {
    let tenant = &principal.caller.tenant;
    let projects = app.chat.projects().of(tenant);
    let projects = projects.filter(|project| principal.caller.scope.has_project(&project.id));
    let names = projects.flat_map(|project| {
        let name = project.id.to_string();
        [name.clone(), format!("{tenant}/{name}")]
    });
    let models: Vec<Value> = names.map(|name| one(&name, tenant.as_str())).collect();
    json(&value!({"object": "list", "data": models}))
}

/// `GET /v1/models/{model}`.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, OpenAiError> {
    let Path(name) = path.map_err(|_| ApiError::not_found())?;
    model(&app, &principal, &name)?;
    Ok(json(&one(&name, principal.caller.tenant.as_str()))?)
}

fn one(name: &str, tenant: &str) -> Value {
    value!({"id": name, "object": "model", "created": 0, "owned_by": tenant})
}
