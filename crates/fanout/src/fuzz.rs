//! The parser of this crate, reachable for the fuzz targets in `crates/fuzz-targets`. Nothing
//! else uses it.

use crate::payload::{encode, parse};

/// What is read of a payload, written again; `None` if nothing is.
pub fn rewritten(payload: &str) -> Option<Vec<String>> {
    let (from, lines) = parse(payload)?;
    let lines: Vec<_> = lines.collect();
    let mut rest = &lines[..];
    let mut payloads = Vec::new();
    loop {
        let (payload, count) = encode(from, rest);
        payloads.push(payload);
        rest = &rest[count..];
        if rest.is_empty() {
            return Some(payloads);
        }
    }
}
