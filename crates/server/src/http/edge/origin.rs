//! Checks of `Host` and `Origin`.
//!
//! - Every request must have our `Host`. A foreign name that points at this address is
//!   refused (DNS rebinding).
//! - A request that changes something, or that opens a WebSocket, must come from our
//!   own pages: browsers say so in `Origin` and `Sec-Fetch-Site`. Other programs send
//!   neither header, and have no cookies that they could be tricked into sending.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, Method, header};

use crate::config::PublicUrl;
use crate::http::errors::ApiError;

/// Refuses a request for another server or from another site.
pub(super) fn check(own: &PublicUrl, request: &Request) -> Result<(), ApiError> {
    check_host(own, request)?;
    let only_reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if only_reads && !request.headers().contains_key(header::UPGRADE) {
        return Ok(());
    }
    check_origin(own, request.headers())
}

/// Refuses a request for another server.
pub(super) fn check_host(own: &PublicUrl, request: &Request) -> Result<(), ApiError> {
    let in_header = single(request.headers(), &header::HOST);
    // The request line may name the host too; then both must be ours.
    let in_line = request.uri().authority().is_none_or(|name| own.is_own_host(name.as_str()));
    if in_line && in_header.is_some_and(|host| own.is_own_host(host)) {
        Ok(())
    } else {
        Err(ApiError::forbidden("This server is not called by that name; see server.public_url."))
    }
}

fn check_origin(own: &PublicUrl, headers: &HeaderMap) -> Result<(), ApiError> {
    let origin_is_ours = !headers.contains_key(header::ORIGIN)
        || single(headers, &header::ORIGIN).is_some_and(|origin| own.is_own_origin(origin));
    let site = HeaderName::from_static("sec-fetch-site");
    let site_is_ours = !headers.contains_key(&site)
        || matches!(single(headers, &site), Some("same-origin" | "none"));
    if origin_is_ours && site_is_ours {
        Ok(())
    } else {
        Err(ApiError::forbidden("This request comes from another site."))
    }
}

/// The value of a header that occurs exactly once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn allowed(method: &str, uri: &str, headers: &[(&str, &str)]) -> bool {
        let own: PublicUrl = "https://chat.example.org".parse().unwrap();
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        check(&own, &request.body(Body::empty()).unwrap()).is_ok()
    }

    const HOST: (&str, &str) = ("host", "chat.example.org");

    /// FAULTS 21: a foreign name for our address is refused.
    #[test]
    fn the_host_must_be_ours() {
        assert!(allowed("GET", "/", &[HOST]));
        assert!(!allowed("GET", "/", &[]));
        assert!(!allowed("GET", "/", &[("host", "evil.com")]));
        assert!(!allowed("GET", "/", &[HOST, ("host", "evil.com")]));
        assert!(!allowed("GET", "http://evil.com/", &[HOST]));
        assert!(!allowed("GET", "https://chat.example.org/", &[("host", "evil.com")]));
        assert!(allowed("GET", "https://chat.example.org/", &[HOST]));
    }

    /// FAULTS 21, X-2: changes must come from our own pages.
    #[test]
    fn changes_come_from_our_own_pages() {
        let post = |headers: &[(&str, &str)]| allowed("POST", "/", &[&[HOST], headers].concat());
        assert!(post(&[]));
        assert!(post(&[("origin", "https://chat.example.org")]));
        assert!(post(&[("sec-fetch-site", "same-origin")]));
        for origin in [
            "null", "https://evil.com", "http://chat.example.org",
            "https://chat.example.org.evil.com", "https://chat.example.org:444",
        ] {
            assert!(!post(&[("origin", origin)]), "{origin}");
            assert!(!post(&[("origin", origin), ("sec-fetch-site", "same-origin")]), "{origin}");
        }
        for site in ["cross-site", "same-site", "nonsense"] {
            assert!(!post(&[("sec-fetch-site", site)]), "{site}");
        }
        let twice = ("origin", "https://chat.example.org");
        assert!(!post(&[twice, ("origin", "https://evil.com")]));
        assert!(allowed("GET", "/", &[HOST, ("origin", "https://evil.com")]));
        assert!(!allowed("DELETE", "/", &[HOST, ("origin", "https://evil.com")]));
    }

    /// FAULTS 21: a WebSocket is opened by a GET, and can change as much as a POST.
    #[test]
    fn a_websocket_is_opened_by_our_own_pages() {
        let open = |origin: &[(&str, &str)]| {
            allowed("GET", "/", &[&[HOST, ("upgrade", "websocket")], origin].concat())
        };
        assert!(open(&[]));
        assert!(open(&[("origin", "https://chat.example.org")]));
        for origin in ["null", "https://evil.com", "https://chat.example.org:444"] {
            assert!(!open(&[("origin", origin)]), "{origin}");
        }
        assert!(!open(&[("sec-fetch-site", "cross-site")]));
    }
}
