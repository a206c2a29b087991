//! The checks before Recipe Vault's own routes: principal, rate limits, and the size of
//! the body. The routes are in `parlor-recipes`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use parlor_chat::Caller;
use parlor_recipes::{RecipeError, TenantScope};

use super::body::{read, require_content_type};
use super::errors::ApiError;
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::limits::Sender;

/// Admits a principal to the recipes of its tenant. A change counts as a message.
pub(crate) async fn admit(
    State(app): State<Arc<App>>,
    principal: Principal,
    ClientAddress(address): ClientAddress,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if !has_recipes(&app, &principal) {
        return Err(ApiError::not_found());
    }
    if !request.method().is_safe() {
        let Caller { session, tenant, .. } = &principal.caller;
        let sender = Sender { session, address, tenant, project: None };
        app.rate_limits.take(&sender).await?;
    }
    if [Method::POST, Method::PUT].contains(request.method()) {
        request = with_body(&app, request).await?;
    }
    request.extensions_mut().insert(TenantScope(principal.caller.tenant));
    Ok(next.run(request).await)
}

/// Whether somebody gets at recipes: a visitor of another site does by a project that has them.
fn has_recipes(app: &App, principal: &Principal) -> bool {
    let Some(visit) = &principal.session.visit else { return true };
    let tenant = app.config.tenants.get(&principal.caller.tenant);
    let project = tenant.and_then(|tenant| tenant.projects.get(&visit.project));
    project.is_some_and(|project| project.recipe_vault)
}

/// The response for an error of the routes.
pub(crate) fn refuse(error: RecipeError) -> Response {
    ApiError::from(error).into_response()
}

/// Reads the body within our limits.
async fn with_body(app: &App, request: Request) -> Result<Request, ApiError> {
    require_content_type(request.headers(), "application/json")?;
    let (head, body) = request.into_parts();
    let whole = Request::from_parts(head.clone(), body);
    let body = read(app, whole, app.config.server.limits.body).await?;
    Ok(Request::from_parts(head, Body::from(body.into_bytes())))
}
