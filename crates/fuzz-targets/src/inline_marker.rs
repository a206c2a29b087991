//! What stands between the inline markers of a prompt.

use parlor_guard::segmenter::{Segment, Segmenter};
use serde_json::Value;

use crate::segmenter::check;

/// The same promises as for any text, and never an approval (invariant 9).
pub fn run(data: &[u8]) {
    let body = String::from_utf8_lossy(data);
    let text = format!("So: <!-- userPrompt:start -->{body}<!-- userPrompt:end --> Well?");
    check(&text);
    // A `<` in it may be the end marker, and then the rest is another text.
    if !body.contains('<') && names_a_tool_call(&body) {
        let prompt = |segment: &Segment| matches!(segment, Segment::Prompt { .. });
        assert!(!Segmenter::split(&text).iter().any(prompt), "{text}");
    }
}

fn names_a_tool_call(body: &str) -> bool {
    let names = |value: Value| {
        ["toolCall", "tool_call"].iter().any(|key| value.get(key).is_some_and(|it| !it.is_null()))
    };
    serde_json::from_str(body).is_ok_and(names)
}
