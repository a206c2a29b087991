//! `/healthz`: the process is alive. `/readyz`: it can read and write its databases.
//! `/healthz/stream`: two lines with a pause between them, with which `parlor doctor` sees whether a proxy
//! holds back what streams.
//!
//! They are for load balancers and supervisors, which may use any name or none: they
//! are answered for any `Host`. So they reveal nothing, neither a version nor a name
//! nor why something failed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use futures_util::stream;

use super::errors::ApiError;
use crate::app::App;

/// The path of the two lines, and the pause between them.
pub(crate) const STREAM: &str = "/healthz/stream";
pub(crate) const PAUSE: Duration = Duration::from_millis(400);
const LINES: [&[u8]; 2] = [b": first\n\n", b": second\n\n"];

/// Whether a request is a health probe.
pub(crate) fn is_probe(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    route.is_some_and(|route| matches!(route.as_str(), "/healthz" | STREAM | "/readyz"))
}

/// `GET /healthz`.
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// `GET /healthz/stream`: streamed like the text of an answer.
pub(crate) async fn streaming() -> Response {
    let lines = stream::unfold(0, |sent| async move {
        let line = LINES.get(sent)?;
        if sent > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        Some((Ok::<_, Infallible>(Bytes::from_static(line)), sent + 1))
    });
    let mut response = Response::new(Body::from_stream(lines));
    let kind = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
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
