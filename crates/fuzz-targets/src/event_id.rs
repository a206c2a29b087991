//! The event id with which a reader resumes.

use parlor_protocol::EventId;

/// What is read is written the same way.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(id) = text.parse::<EventId>() {
        assert_eq!(id.to_string().parse(), Ok(id), "{text:?}");
    }
}
