//! Pages of other sites that may use this server: their browsers are told so.
//!
//! - `server.allowed_origins`: whatever their key may do.
//! - `allowed_origins` of a project: that project and nothing else of the tenant. If the path names
//!   the project, its list is asked at once. If only the body or a conversation says which it is, a
//!   browser that asks first is answered yes where some project allows the origin: it has no key
//!   yet, so the tenant is not known. The request itself is held to the projects that allow the
//!   origin ([`ProjectsOfPage`]), so that what others have is not found.
//!
//! Such a page brings a key. A cookie of ours is never taken from it, and the browser is not told
//! that it could send one: a person's session stays with our own pages.

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;

use crate::config::Config;
use crate::http::held::ProjectsOfPage;

const REQUEST_METHOD: HeaderName = header::ACCESS_CONTROL_REQUEST_METHOD;
const METHODS: &str = "GET, POST, PUT, PATCH, DELETE";
/// Headers of ours that a page may read.
const EXPOSED: &str =
    "etag, x-conversation-id, x-request-id, retry-after, x-should-retry, mcp-session-id";
/// Seconds for which a browser need not ask again.
const MAX_AGE: &str = "600";

/// A page of another site that may use this server.
#[derive(Debug, Clone)]
pub(super) struct AllowedPage {
    pub(super) origin: HeaderValue,
    /// What it is held to, if only some projects allow it.
    pub(super) projects: Option<ProjectsOfPage>,
}

impl AllowedPage {
    /// The page that a request comes from, if it is one of those.
    pub(super) fn of(config: &Config, request: &Request) -> Option<Self> {
        let mut origins = request.headers().get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (origins.next(), origins.next()) else { return None };
        let everywhere = &config.server.allowed_origins;
        if everywhere.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes()) {
            return Some(Self { origin: origin.clone(), projects: None });
        }
        let route = request.extensions().get::<MatchedPath>()?.as_str();
        let (method, path) = (wanted_method(request), request.uri().path());
        let projects = ProjectsOfPage::of(config, origin.to_str().ok()?, (&method, route, path))?;
        Some(Self { origin: origin.clone(), projects: Some(projects) })
    }
}

/// The method of the request, or of the one that a browser asks about.
fn wanted_method(request: &Request) -> Method {
    let asked = request.headers().get(REQUEST_METHOD).filter(|_| is_preflight(request));
    let asked = asked.and_then(|method| Method::from_bytes(method.as_bytes()).ok());
    asked.unwrap_or_else(|| request.method().clone())
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
