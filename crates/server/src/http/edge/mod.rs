//! What happens to every request before and after its handler.
//!
//! 1. It gets a number, by which the log speaks of it.
//! 2. It must name this server, and not come from another site ([`origin`]); a
//!    health probe may call it by any name.
//! 3. Its answer must begin in time.
//! 4. Its answer carries the rules for browsers ([`headers`]).
//! 5. It is logged: method, route, status, time. No query, no header, no body.

mod headers;
mod origin;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use super::errors::ApiError;
use super::health;
use crate::app::App;

static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// The whole edge, as one layer: a request costs one boxed future.
pub(crate) async fn edge(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
    let span = tracing::info_span!("request", number);
    let line = Line::begin(&request);
    let mut response = answer(&app, request, next).instrument(span.clone()).await;
    headers::add(&app.public_url, number, response.headers_mut());
    span.in_scope(|| line.end(&response));
    response
}

async fn answer(app: &App, request: Request, next: Next) -> Response {
    if !health::is_probe(&request)
        && let Err(refusal) = origin::check(&app.public_url, &request)
    {
        return refusal.into_response();
    }
    let limit = app.config.server.limits.request_timeout;
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            tracing::warn!("a request took too long");
            ApiError::too_slow().into_response()
        }
    }
}

/// One line of the log.
struct Line {
    method: axum::http::Method,
    route: Option<MatchedPath>,
    began: Instant,
}

impl Line {
    fn begin(request: &Request) -> Self {
        Self {
            method: request.method().clone(),
            route: request.extensions().get::<MatchedPath>().cloned(),
            began: Instant::now(),
        }
    }

    fn end(&self, response: &Response) {
        let method = &self.method;
        let route = self.route.as_ref().map_or("(none)", MatchedPath::as_str);
        let status = response.status().as_u16();
        let ms = self.began.elapsed().as_millis();
        // What failed is logged where it failed, once.
        tracing::debug!(%method, route, status, ms, "answered");
    }
}
