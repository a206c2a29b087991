//! Extractors for who makes a request. A handler that takes a [`Principal`] or an
//! [`Admin`] cannot run without one.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use parlor_storage::AccessRole;

use super::errors::ApiError;
use super::held::{self, ProjectsOfPage};
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::limits::connections::ConnectionPermit;

/// A principal with the access role `admin`.
#[derive(Debug, Clone)]
pub(crate) struct Admin(pub(crate) Principal);

impl FromRequestParts<Arc<App>> for Principal {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let principal = app.access.authenticate_all(&parts.headers).await?;
        let mut principal = principal.ok_or_else(ApiError::unauthorized)?;
        let route = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
        if principal.is_visitor() && !held::serves_visitors(&parts.method, route) {
            return Err(ApiError::forbidden("This is not for visitors of other sites."));
        }
        if let Some(projects) = parts.extensions.get::<ProjectsOfPage>() {
            projects.hold(&mut principal)?;
        }
        if let Some(permit) = parts.extensions.get::<ConnectionPermit>() {
            permit.sign_in();
        }
        Ok(principal)
    }
}

impl FromRequestParts<Arc<App>> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let principal = Principal::from_request_parts(parts, app).await?;
        match principal.caller.role {
            AccessRole::Admin => Ok(Self(principal)),
            AccessRole::User => Err(ApiError::forbidden("This is for administrators.")),
        }
    }
}

impl FromRequestParts<Arc<App>> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let trusted = &app.config.server.trusted_proxies;
        Ok(Self::of(trusted, &parts.extensions, &parts.headers))
    }
}
