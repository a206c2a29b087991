//! The nginx program that `cargo xtask services` found.

use std::path::PathBuf;
use std::sync::Once;

use crate::environment::service;

/// Its path: `TEST_NGINX`. A test skips its work if there is none; the reason is printed.
pub fn program() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    service("TEST_NGINX", "nginx", &SAID).map(PathBuf::from)
}
