//! What happens to every request before and after its handler.
//!
//! 1. It gets a number, for the log and for `X-Request-Id`.
//! 2. Its head must not be too large ([`head`]).
//! 3. It must name this server, and must not come from another site ([`origin`]) that is not
//!    allowed ([`cors`]). A health probe may use any name, and so may who reads metrics with a key.
//! 4. The limits on connections must allow it ([`crate::limits::connections`]).
//! 5. Its response must begin in time, unless it is a whole answer of an agent, which takes its
//!    time ([`openai::takes_its_time`]). The body has to come in time all the same.
//! 6. A refusal below `/v1` gets OpenAI's shape ([`openai::errors`]).
//! 7. Its response gets the security headers ([`headers`]).
//! 8. It is logged: method, route, status, time. No query, no header, no body.

mod cors;
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

use self::cors::AllowedPage;
pub(crate) use self::headers::{ForEverySite, FramePolicy, embedded_policy};
use super::body::Deadline;
use super::errors::ApiError;
use super::external::openai;
use super::{health, metrics};
use crate::app::App;
use crate::client_address::ClientAddress;
use crate::config::PublicUrl;
use crate::limits::connections::{ConnectionPermit, CountedRequest, TooMany};

static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// The whole edge, as one layer: a request costs one boxed future.
pub(crate) async fn edge(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
    let span = tracing::error_span!("request", request = number);
    let log = RequestLog::begin(&request);
    let allowed = AllowedPage::of(&app.config, &request);
    let is_shared = headers::is_shared(request.uri().path());
    let is_openai = openai::is_address(request.uri().path());
    let mut response = answer(&app, request, next, allowed.as_ref()).instrument(span.clone()).await;
    if is_openai {
        response = openai::errors::reshaped(response);
    }
    headers::add(&app.public_url, number, response.headers_mut());
    if is_shared {
        headers::keep_unlisted(response.headers_mut());
    }
    if let Some(policy) = response.extensions_mut().remove::<FramePolicy>() {
        headers::allow_framing(policy, response.headers_mut());
    }
    if response.extensions_mut().remove::<ForEverySite>().is_some() {
        headers::allow_every_site(response.headers_mut());
    }
    if let Some(page) = allowed {
        cors::allow(page.origin, response.headers_mut());
    }
    app.metrics.answered(response.status());
    span.in_scope(|| log.end(&response));
    response
}

async fn answer(
    app: &App,
    mut request: Request,
    next: Next,
    allowed: Option<&AllowedPage>,
) -> Response {
    if let Err(refusal) = check(app, &request, allowed.is_some()) {
        return close_after(refusal.into_response());
    }
    if let Some(page) = allowed {
        cors::remove_cookies(&mut request);
        if let Some(projects) = &page.projects {
            request.extensions_mut().insert(projects.clone());
        }
        if cors::is_preflight(&request) {
            return cors::preflight(&request);
        }
    }
    let _counted = match admit(app, Admission::of(app, &request)).await {
        Ok(counted) => counted,
        Err(refusal) => return close_after(refusal.into_response()),
    };
    // A slow body is refused by its reader before this timeout ends the request.
    let deadline = Instant::now() + app.config.server.limits.request_timeout;
    request.extensions_mut().insert(Deadline(deadline));
    if openai::takes_its_time(&request) {
        return close_if_slow(next.run(request).await);
    }
    match tokio::time::timeout_at(deadline, next.run(request)).await {
        Ok(response) => close_if_slow(response),
        Err(_) => {
            tracing::warn!("request timed out");
            ApiError::too_slow().into_response()
        }
    }
}

/// Refuses a request that is too large, for another server, or from another site that is not
/// allowed.
fn check(app: &App, request: &Request, is_allowed: bool) -> Result<(), ApiError> {
    let is_any_name = health::is_probe(request) || metrics::is_scrape(request);
    match (is_any_name, is_allowed) {
        (true, _) => head::check(request),
        (false, true) => {
            head::check(request)?;
            origin::check_host(&app.public_url, request)
        }
        (false, false) => check_head(&app.public_url, request),
    }
}

/// The same for a server that is reached under this URL, for every request of its own pages and of
/// programs.
pub(crate) fn check_head(own: &PublicUrl, request: &Request) -> Result<(), ApiError> {
    head::check(request)?;
    origin::check(own, request)
}

/// What decides whether the limits on connections allow a request.
struct Admission {
    permit: ConnectionPermit,
    address: ClientAddress,
    /// Set on a connection of the reserve, which serves only people who sign in.
    credentials: Option<HeaderMap>,
}

impl Admission {
    /// A health probe is always admitted.
    fn of(app: &App, request: &Request) -> Option<Self> {
        let permit = request.extensions().get::<ConnectionPermit>();
        let permit = permit.filter(|_| !health::is_probe(request))?.clone();
        let trusted = &app.config.server.trusted_proxies;
        let address = ClientAddress::of(trusted, request.extensions(), request.headers());
        let credentials = permit.is_reserved().then(|| request.headers().clone());
        Some(Self { permit, address, credentials })
    }
}

/// Counts the request for its address until it is answered, or refuses it.
async fn admit(
    app: &App,
    admission: Option<Admission>,
) -> Result<Option<CountedRequest>, ApiError> {
    let Some(Admission { permit, address, credentials }) = admission else { return Ok(None) };
    if let Some(headers) = credentials {
        match app.access.authenticate_all(&headers).await? {
            Some(_) => permit.sign_in(),
            None => return Err(ApiError::too_many_connections()),
        }
    }
    permit.count_request(address).map_err(|TooMany| ApiError::too_many_connections())
}

/// A request that did not come in time leaves a rest on the connection.
fn close_if_slow(response: Response) -> Response {
    match response.status() {
        StatusCode::REQUEST_TIMEOUT => close_after(response),
        _ => response,
    }
}

/// Closes the connection after the response: the rest of the request is not read.
fn close_after(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The log line of a request.
struct RequestLog {
    method: axum::http::Method,
    route: Option<MatchedPath>,
    began: Instant,
}

impl RequestLog {
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
        // Failures are logged once, where they happen.
        tracing::debug!(%method, route, status, ms, "request");
    }
}
