//! Payloads of hints between nodes.

use parlor_fanout::fuzz::rewritten;

/// `NOTIFY` takes less than this.
const NOTIFY: usize = 8_000;

/// What is read fits into payloads, and each of them is read the same way.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for payload in rewritten(text).unwrap_or_default() {
        assert!(payload.len() < NOTIFY, "{} bytes", payload.len());
        assert_eq!(rewritten(&payload).as_deref(), Some(&[payload][..]), "{text:?}");
    }
}
