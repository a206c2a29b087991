//! The Redis or Valkey server of `cargo xtask services`.

use std::sync::Once;

use crate::environment::service;

/// Its address: `TEST_REDIS_URL`. A test skips its work if there is none; the reason is printed.
/// All tests share the server, so names of keys and channels must not collide.
pub fn url() -> Option<String> {
    static SAID: Once = Once::new();
    service("TEST_REDIS_URL", "Redis", &SAID)
}
