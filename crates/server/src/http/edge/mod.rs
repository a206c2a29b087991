//! What happens to every request before and after its handler.
//!
//! 1. It gets a number, by which the log speaks of it.
//! 2. Its head must not be too large ([`head`]).
//! 3. It must name this server, and not come from another site ([`origin`]); a
//!    health probe may call it by any name.
//! 4. There must be room for whoever sends it ([`crate::connections`]).
//! 5. Its answer must begin in time.
//! 6. Its answer carries the rules for browsers ([`headers`]).
//! 7. It is logged: method, route, status, time. No query, no header, no body.

mod head;
mod headers;
mod origin;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::Instant;
use tracing::Instrument;

use super::body::Deadline;
use super::errors::ApiError;
use super::health;
use crate::app::App;
use crate::auth::{ClientAddress, Visitor};
use crate::connections::{ConnectionPermit, CountedRequest, TooMany};

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

async fn answer(app: &App, mut request: Request, next: Next) -> Response {
    if let Err(refusal) = check(app, &request) {
        return close_after(refusal.into_response());
    }
    let _counted = match admit(app, Asking::of(app, &request)).await {
        Ok(counted) => counted,
        Err(refusal) => return close_after(refusal.into_response()),
    };
    // Who sends the body too slowly is told so before the time for the answer is over.
    let deadline = Instant::now() + app.config.server.limits.request_timeout;
    request.extensions_mut().insert(Deadline(deadline));
    match tokio::time::timeout_at(deadline, next.run(request)).await {
        Ok(response) if response.status() == StatusCode::REQUEST_TIMEOUT => close_after(response),
        Ok(response) => response,
        Err(_) => {
            tracing::warn!("a request took too long");
            ApiError::too_slow().into_response()
        }
    }
}

/// Whether a request is for us, from us, and of a decent size.
fn check(app: &App, request: &Request) -> Result<(), ApiError> {
    head::check(request)?;
    if health::is_probe(request) { Ok(()) } else { origin::check(&app.public_url, request) }
}

/// Who asks for room.
struct Asking {
    permit: ConnectionPermit,
    address: ClientAddress,
    /// Where it has to be known who it is: only they are served over this connection.
    proof: Option<HeaderMap>,
}

impl Asking {
    /// A health probe does not ask.
    fn of(app: &App, request: &Request) -> Option<Self> {
        let permit = request.extensions().get::<ConnectionPermit>();
        let permit = permit.filter(|_| !health::is_probe(request))?.clone();
        let trusted = &app.config.server.trusted_proxies;
        let address = ClientAddress::of(trusted, request.extensions(), request.headers());
        let proof = permit.is_reserved().then(|| request.headers().clone());
        Some(Self { permit, address, proof })
    }
}

/// Whether there is room for a request. It counts for its address until it is answered.
async fn admit(app: &App, asking: Option<Asking>) -> Result<Option<CountedRequest>, ApiError> {
    let Some(Asking { permit, address, proof }) = asking else { return Ok(None) };
    if let Some(headers) = proof {
        match Visitor::of(app, &headers).await? {
            Some(_) => permit.sign_in(),
            None => return Err(ApiError::crowded()),
        }
    }
    permit.count_request(address).map_err(|TooMany| ApiError::crowded())
}

/// What is still to come on this connection is not read.
fn close_after(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
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
