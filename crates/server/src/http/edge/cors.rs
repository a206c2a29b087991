//! Pages of other sites that may use this server (`server.allowed_origins`): their browsers are told
//! so.
//!
//! Such a page brings a key. A cookie of ours is never taken from it, and the browser is not told
//! that it could send one: a person's session stays with our own pages.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;

const REQUEST_METHOD: HeaderName = header::ACCESS_CONTROL_REQUEST_METHOD;
const METHODS: &str = "GET, POST, PUT, PATCH, DELETE";
/// Headers of ours that a page may read.
const EXPOSED: &str =
    "etag, x-conversation-id, x-request-id, retry-after, x-should-retry, mcp-session-id";
/// Seconds for which a browser need not ask again.
const MAX_AGE: &str = "600";

/// The allowed origin that a request comes from, if it is one.
pub(super) fn allowed_origin(allowed: &[String], headers: &HeaderMap) -> Option<HeaderValue> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let (Some(origin), None) = (origins.next(), origins.next()) else { return None };
    allowed.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes()).then(|| origin.clone())
}

/// Takes the cookies out of a request from another site.
pub(super) fn remove_cookies(request: &mut Request) {
    request.headers_mut().remove(header::COOKIE);
}

/// Whether a browser asks what a page may send.
pub(super) fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(REQUEST_METHOD)
}

/// The answer to a browser that asks: whatever the page wants to send with its key.
pub(super) fn preflight(request: &Request) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    if let Some(wanted) = request.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
    response
}

/// Lets the page read the response.
pub(super) fn allow(origin: HeaderValue, headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    let cross_origin = HeaderValue::from_static("cross-origin");
    headers.insert("cross-origin-resource-policy", cross_origin);
}
