//! The PostgreSQL server of `cargo xtask services`.

use std::sync::Once;

use crate::environment::service;

/// The address of a database whose user may create others: `TEST_POSTGRES_URL`. A test skips its
/// work if there is none; the reason is printed.
pub fn url() -> Option<String> {
    static SAID: Once = Once::new();
    service("TEST_POSTGRES_URL", "PostgreSQL", &SAID)
}
