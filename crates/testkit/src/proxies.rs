//! The reverse proxies that `cargo xtask services` found. Each is a path; a test skips its work if there
//! is none, and the reason is printed.

use std::path::PathBuf;
use std::sync::Once;

use crate::environment::service;

/// nginx: `TEST_NGINX`.
pub fn nginx() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    service("TEST_NGINX", "nginx", &SAID).map(PathBuf::from)
}

/// Caddy: `TEST_CADDY`.
pub fn caddy() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    service("TEST_CADDY", "Caddy", &SAID).map(PathBuf::from)
}

/// `HAProxy`: `TEST_HAPROXY`.
pub fn haproxy() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    service("TEST_HAPROXY", "HAProxy", &SAID).map(PathBuf::from)
}
