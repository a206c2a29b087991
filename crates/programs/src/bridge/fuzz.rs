//! The lines of a program, reachable for the fuzz targets in `crates/fuzz-targets`.
//! Nothing else uses it.

use serde_json::Value;

use super::line::Line;

/// The message on one line; `None` if there is none. An error is a line that ends the turn.
pub fn message(line: &[u8]) -> Result<Option<Value>, String> {
    match Line::parse(line) {
        Some(Line::Message(message, _)) => Ok(Some(message)),
        Some(Line::Broken(why)) => Err(why),
        Some(Line::Skipped(..) | Line::End) | None => Ok(None),
    }
}
