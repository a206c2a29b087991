//! `GET /metrics`: numbers for Prometheus (O-3).
//!
//! 1. Who may read which: a monitoring system that sends the configured token reads all of them. An
//!    administrator reads those of their own tenant ([`projects`]), and those of the whole server
//!    ([`server`]) if it has no other tenant: they would tell one customer about another.
//! 2. What was counted is read where it is counted; nothing is counted here.
//! 3. It is added up as far as the configuration wants tenants and projects told apart
//!    ([`samples`]), and written as text.
//!
//! There are labels for what the configuration names, and for kinds of things: never for a person, a
//! conversation or an id.

mod projects;
mod samples;
mod server;
mod webhooks;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use parlor_metrics::Exposition;
use parlor_protocol::TenantId;

use super::errors::ApiError;
use super::principal::Admin;
use crate::app::App;
use crate::auth::given_key;

/// The path of the metrics.
const PATH: &str = "/metrics";
/// What Prometheus calls this format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Whether a monitoring system with a token asks: it may use any name of the server, because it
/// reaches it from inside. A browser sends no such header by itself.
pub(crate) fn is_scrape(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    route.is_some_and(|route| route.as_str() == PATH) && given_key(request.headers()).is_some()
}

/// Whose metrics somebody may read.
pub(crate) enum Readable {
    /// Those of all tenants, and of the server.
    All,
    /// Those of one tenant.
    OfTenant(TenantId),
}

impl FromRequestParts<Arc<App>> for Readable {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let given = given_key(&parts.headers);
        if app.metrics_token.as_ref().zip(given).is_some_and(|(token, given)| token.is(given)) {
            return Ok(Self::All);
        }
        let Admin(principal) = Admin::from_request_parts(parts, app).await?;
        let tenant = principal.caller.tenant;
        let is_only_one = app.config.tenants.keys().all(|other| *other == tenant);
        Ok(if is_only_one { Self::All } else { Self::OfTenant(tenant) })
    }
}

/// All that the reader may know.
pub(crate) async fn read(State(app): State<Arc<App>>, readable: Readable) -> Response {
    let mut text = Exposition::default();
    match &readable {
        Readable::All => {
            server::write(&app, &mut text).await;
            projects::write(&app, None, &mut text);
            webhooks::write(&app, None, &mut text);
        }
        Readable::OfTenant(tenant) => {
            projects::write(&app, Some(tenant), &mut text);
            webhooks::write(&app, Some(tenant), &mut text);
        }
    }
    let mut response = Response::new(Body::from(text.into_text()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(TEXT));
    response
}
