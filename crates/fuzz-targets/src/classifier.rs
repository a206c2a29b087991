//! JSON of an agent, classified and cleaned.

use std::sync::LazyLock;

use parlor_guard::process_output;
use parlor_guard::sanitizer::Sanitizer;
use serde_json::Value;

static SANITIZER: LazyLock<Sanitizer> = LazyLock::new(Sanitizer::default);

/// Each line of JSON becomes a message that can be written as JSON.
pub fn run(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
        let processed = process_output(&SANITIZER, &value);
        assert!(serde_json::to_string(&processed).is_ok(), "{processed:?}");
    }
}
