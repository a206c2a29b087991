//! What stands between the inline markers of a prompt.

use parlor_guard::segmenter::{Segment, Segmenter};
use serde_json::Value;

use crate::segmenter::check;

/// The same promises as for any text, and an approval never comes out (invariant 9).
pub fn run(data: &[u8]) {
    let body = String::from_utf8_lossy(data);
    let text = format!("So: <!-- userPrompt:start -->{body}<!-- userPrompt:end --> Well?");
    check(&text);
    for segment in Segmenter::split(&text) {
        if let Segment::Prompt { prompt, .. } = segment {
            let json = serde_json::to_value(&prompt).unwrap_or_default();
            assert!(json.get("tool_call").is_none_or(Value::is_null), "{json}");
        }
    }
}
