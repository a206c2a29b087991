//! `GET /embed/{tenant}/{project}`: the web interface for a frame in a page of another site.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;

use crate::app::App;
use crate::http::errors::ApiError;
use crate::http::pages::not_found_page;
use crate::http::{edge, web};

/// The page. It holds nothing of anybody, so it needs no session; only pages of the project's sites
/// can show it.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let named = path.as_ref().ok();
    let origins = named.and_then(|Path((tenant, project))| app.config.sites_of(tenant, project));
    let Some(origins) = origins else {
        return Ok(not_found_page(&headers));
    };
    let mut response = web::embedded_page(&origins.join(" ")).ok_or_else(|| {
        ApiError::unavailable("The web interface was not built, so there is nothing to embed.")
    })?;
    let policy = edge::embedded_policy(origins).ok_or_else(ApiError::internal)?;
    response.extensions_mut().insert(edge::FramePolicy::for_sites(policy));
    Ok(response)
}
