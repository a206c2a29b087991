//! `GET /api/projects/{project}/logo`: the logo of a project of the caller's tenant.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use parlor_protocol::ProjectId;

use super::body::PathId;
use super::errors::ApiError;
use crate::app::App;
use crate::auth::Principal;
use crate::logo;

/// The picture. Another tenant's project is not found, like one without a logo.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(project): PathId<ProjectId>,
) -> Result<Response, ApiError> {
    let tenant = app.config.tenants.get(&principal.caller.tenant);
    let tenant = tenant.filter(|_| principal.caller.scope.has_project(&project));
    let project = tenant.and_then(|tenant| tenant.projects.get(&project));
    let path = project.and_then(|project| project.look.logo.as_deref());
    let logo = logo::read(path.ok_or_else(ApiError::not_found)?).await.map_err(|error| {
        tracing::warn!(error, "a logo cannot be read any more");
        ApiError::not_found()
    })?;
    let headers = [
        (header::CONTENT_TYPE, logo.media_type),
        (header::CACHE_CONTROL, "private, max-age=3600"),
        (header::CONTENT_DISPOSITION, "inline"),
    ];
    Ok((headers, logo.bytes).into_response())
}
