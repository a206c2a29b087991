//! What `cargo xtask services` tells tests by environment variables.

use std::io::Write as _;
use std::sync::Once;

/// The value of a variable. If it is not set, the reason why tests are skipped is printed once, past
/// the capture of the test runner, which hides what a passing test prints.
pub(crate) fn service(variable: &str, name: &str, said: &Once) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        said.call_once(|| {
            let line = format!(
                "skipped: tests that need {name} ({variable} is not set; run cargo xtask services)\n"
            );
            let _shown = std::io::stderr().write_all(line.as_bytes());
        });
    }
    value
}
