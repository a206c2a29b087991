//! `/healthz`: the process is alive. `/readyz`: it can do its work.

use std::sync::Arc;

use axum::extract::State;

use super::errors::ApiError;
use crate::app::App;

/// Alive.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// Able to write, and not about to stop.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, ApiError> {
    if app.stopping.is_cancelled() {
        return Err(ApiError::unavailable("The server is stopping."));
    }
    app.store.check_writable().await?;
    Ok("ok\n")
}
