//! `/healthz`: the process is alive. `/readyz`: it can do its work.
//!
//! Both are for load balancers and supervisors, which call the server by an address
//! or by no name at all: they are answered for any `Host`. So they tell nothing that
//! a stranger could use, neither a version nor a name nor why something failed.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};

use super::errors::ApiError;
use crate::app::App;

/// Whether this asks for the health of the server, and for nothing else.
pub(crate) fn is_probe(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    route.is_some_and(|route| matches!(route.as_str(), "/healthz" | "/readyz"))
}

/// Alive.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// Able to read and write all that is stored, and not about to stop.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, ApiError> {
    if app.stopping.is_cancelled() {
        return Err(ApiError::unavailable("The server is stopping."));
    }
    let (chats, recipes) = tokio::join!(app.store.check(), app.recipes.check());
    let chats = chats.inspect_err(|error| tracing::warn!(%error, "not ready: the conversations"));
    let recipes = recipes.inspect_err(|error| tracing::warn!(%error, "not ready: the recipes"));
    match (chats, recipes) {
        (Ok(()), Ok(())) => Ok("ok\n"),
        _ => Err(ApiError::unavailable("The server cannot do its work; its log says why.")),
    }
}
