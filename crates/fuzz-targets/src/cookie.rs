//! `Cookie` headers of a request.

use parlor_server::fuzz::session_cookie;

/// A token is never empty, and holds nothing that ends a cookie.
pub fn run(data: &[u8]) {
    let lines: Vec<&[u8]> = data.split(|byte| *byte == b'\n').collect();
    if let Some(token) = session_cookie(&lines) {
        assert!(!token.is_empty() && !token.contains([';', '\r', '\n', '\0']), "{token:?}");
    }
}
