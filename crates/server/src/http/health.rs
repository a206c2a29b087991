//! `/healthz`: the process is alive. `/readyz`: it can read and write its databases.
//!
//! Both are for load balancers and supervisors, which may use any name or none: they
//! are answered for any `Host`. So they reveal nothing, neither a version nor a name
//! nor why something failed.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};

use super::errors::ApiError;
use crate::app::App;

/// Whether a request is a health probe.
pub(crate) fn is_probe(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    route.is_some_and(|route| matches!(route.as_str(), "/healthz" | "/readyz"))
}

/// `GET /healthz`.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the databases can be read and written, and the server is not stopping.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, ApiError> {
    if app.stopping.is_cancelled() {
        return Err(ApiError::unavailable("The server is stopping."));
    }
    let (chats, recipes) = tokio::join!(app.store.check(), app.recipes.check());
    let chats =
        chats.inspect_err(|error| tracing::warn!(%error, "not ready: conversation database"));
    let recipes = recipes.inspect_err(|error| tracing::warn!(%error, "not ready: recipe database"));
    match (chats, recipes) {
        (Ok(()), Ok(())) => Ok("ok\n"),
        _ => Err(ApiError::unavailable("The server cannot do its work; its log says why.")),
    }
}
