//! Security headers on every response: only our own scripts, no type sniffing, no
//! framing, no referrer for other sites.

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue};

use crate::config::PublicUrl;

/// No inline scripts or styles, nothing from other sites, and no strings that become
/// scripts or markup in the browser, but for the address of the service worker.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob:; connect-src 'self'; font-src 'self'; frame-src 'self'; \
    manifest-src 'self'; worker-src 'self'; form-action 'self'; \
    frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; \
    trusted-types service-worker";

const ALWAYS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Not `no-referrer`: with it, browsers send `Origin: null` with a form, and nobody
    // could log in.
    (header::REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

const TWO_YEARS: &str = "max-age=63072000";

/// The policy of a page that is shown inside another one.
#[derive(Debug, Clone)]
pub(crate) struct FramePolicy {
    policy: HeaderValue,
    /// Whether that may be a page of another site: the policy names it.
    in_sites: bool,
}

impl FramePolicy {
    /// Of a page that is shown inside one of ours.
    pub(crate) fn for_own_pages(policy: HeaderValue) -> Self {
        Self { policy, in_sites: false }
    }

    /// Of a page that is shown inside one of another site, which its policy names.
    pub(crate) fn for_sites(policy: HeaderValue) -> Self {
        Self { policy, in_sites: true }
    }
}

/// A response that any page may load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForEverySite;

/// The policy of our own pages for one that is shown inside pages of these origins, and of no other.
pub(crate) fn embedded_policy(origins: &[String]) -> Option<HeaderValue> {
    let ancestors = format!("frame-ancestors {}", origins.join(" "));
    let policy = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", &ancestors);
    HeaderValue::try_from(policy).ok()
}

/// Lets a response be shown in a frame, under its own policy.
pub(super) fn allow_framing(frame: FramePolicy, headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, frame.policy);
    match frame.in_sites {
        // It cannot name them.
        true => headers.remove(header::X_FRAME_OPTIONS),
        false => headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN")),
    };
}

/// Lets any page load a response.
pub(super) fn allow_every_site(headers: &mut HeaderMap) {
    let everywhere = HeaderValue::from_static("cross-origin");
    headers.insert("cross-origin-resource-policy", everywhere);
}

/// Whether an address has the token of a link to share in it.
pub(super) fn is_shared(path: &str) -> bool {
    path.starts_with("/s/") || path.starts_with("/api/shared/")
}

/// What is behind a link to share is in no index of the web, and its address goes to nobody.
pub(super) fn keep_unlisted(headers: &mut HeaderMap) {
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex, nofollow"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// Adds the headers. Without a `Cache-Control` of the handler, nothing is cached.
pub(super) fn add(own: &PublicUrl, number: u64, headers: &mut HeaderMap) {
    for (name, value) in ALWAYS {
        // A file of a person has a stricter policy of its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
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
