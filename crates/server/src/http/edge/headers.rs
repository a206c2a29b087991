//! What a browser is told about every answer: run nothing that is not ours,
//! guess no types, show us in no frame, tell no other site where a reader came from.

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};

use crate::config::PublicUrl;

/// No inline scripts or styles, nothing from elsewhere, and no text that becomes
/// a script or markup in the browser.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob:; connect-src 'self'; font-src 'self'; form-action 'self'; \
    frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; \
    trusted-types 'none'";

const ALWAYS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Not `no-referrer`: a browser that may not say where it comes from sends
    // `Origin: null` with a form, and nobody could log in.
    (header::REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

const TWO_YEARS: &str = "max-age=63072000";

/// Adds them. What a handler said about caching stands; otherwise nothing is kept.
pub(super) fn add(own: &PublicUrl, number: u64, headers: &mut HeaderMap) {
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if own.is_https() {
        let hsts = HeaderValue::from_static(TWO_YEARS);
        headers.insert(header::STRICT_TRANSPORT_SECURITY, hsts);
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    headers.insert("x-request-id", HeaderValue::from(number));
}
