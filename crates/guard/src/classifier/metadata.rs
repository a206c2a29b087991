//! The facts about a line that are safe to show.
//!
//! Everything is taken by name from an allow-list. Never taken: ids, paths,
//! models, costs, account and session data, or a text that is not one word of
//! a known kind.

use serde_json::{Map, Value};

use super::envelope::Said;
use super::{Classified, Structured};

/// Where facts stand, as JSON pointers into a line.
const PLACES: [&str; 12] = [
    "", "/message", "/event/delta", "/delta", "/result", "/stats", "/item", "/params/item",
    "/params/turn", "/params/update", "/params/toolCall", "/choices/0",
];

/// Words of the agents' own vocabularies: `[a-z_]` only.
const WORDS: [(&str, &str); 5] = [
    ("stop_reason", "stop_reason"),
    ("stopReason", "stop_reason"),
    ("finish_reason", "stop_reason"),
    ("terminal_reason", "terminal_reason"),
    ("status", "status"),
];

const NUMBERS: [(&str, &str); 12] = [
    ("duration_ms", "duration_ms"),
    ("durationMs", "duration_ms"),
    ("num_turns", "num_turns"),
    ("exit_code", "exit_code"),
    ("exitCode", "exit_code"),
    ("api_error_status", "error_status"),
    ("error_status", "error_status"),
    ("attempt", "attempt"),
    ("max_retries", "max_retries"),
    ("retry_delay_ms", "retry_delay_ms"),
    ("tool_calls", "tool_calls"),
    ("estimated_tokens", "estimated_tokens"),
];

/// Where token counts stand that are final. Those of single messages are not.
const USAGE: [&str; 6] = [
    "/usage", "/result/usage", "/result/_meta/quota/token_count", "/stats",
    "/params/tokenUsage/last", "/response/usage",
];

const TOKENS: [(&str, &str); 14] = [
    ("input_tokens", "input_tokens"),
    ("inputTokens", "input_tokens"),
    ("prompt_tokens", "input_tokens"),
    ("output_tokens", "output_tokens"),
    ("outputTokens", "output_tokens"),
    ("completion_tokens", "output_tokens"),
    ("total_tokens", "total_tokens"),
    ("totalTokens", "total_tokens"),
    ("cache_read_input_tokens", "cached_tokens"),
    ("cached_input_tokens", "cached_tokens"),
    ("cachedInputTokens", "cached_tokens"),
    ("cachedReadTokens", "cached_tokens"),
    ("reasoning_output_tokens", "reasoning_tokens"),
    ("reasoningOutputTokens", "reasoning_tokens"),
];

/// Adds what is safe to what the rules already noted.
pub(super) fn add(value: &Value, said: &Said<'_>, classified: &mut Classified) {
    let metadata = &mut classified.metadata;
    for place in PLACES.iter().filter_map(|place| value.pointer(place)) {
        copy(place, &WORDS, is_word, metadata);
        copy(place, &NUMBERS, Value::is_number, metadata);
    }
    let mut usage = Map::new();
    for place in USAGE.iter().filter_map(|place| value.pointer(place)) {
        copy(place, &TOKENS, Value::is_u64, &mut usage);
    }
    if !usage.is_empty() {
        metadata.insert("usage".to_owned(), usage.into());
    }
    if said.partial {
        metadata.insert("partial".to_owned(), true.into());
    }
    if said.warning {
        metadata.insert("level".to_owned(), "warning".into());
    }
    match &classified.data {
        Some(Structured::ToolResult { name, is_error, .. }) => {
            metadata.insert("is_error".to_owned(), (*is_error).into());
            add_tool(name, metadata);
            if said.results.is_empty() {
                metadata.insert("status".to_owned(), "running".into());
            }
        }
        Some(Structured::ToolCall { name, .. }) => add_tool(name, metadata),
        Some(Structured::Plan(_) | Structured::Question(_)) | None => {}
    }
    if !matches!(classified.data, Some(Structured::ToolResult { .. })) {
        metadata.remove("status");
    }
}

fn add_tool(name: &str, metadata: &mut Map<String, Value>) {
    if !name.is_empty() {
        metadata.insert("tool".to_owned(), name.into());
    }
}

/// Copies fields under their own names; what is there already stays.
fn copy(
    from: &Value,
    names: &[(&str, &str)],
    fits: impl Fn(&Value) -> bool,
    to: &mut Map<String, Value>,
) {
    for (theirs, ours) in names {
        if let Some(value) = from.get(theirs).filter(|value| fits(value)) {
            to.entry(*ours).or_insert_with(|| value.clone());
        }
    }
}

fn is_word(value: &Value) -> bool {
    value.as_str().is_some_and(|word| {
        (1..=40).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    })
}
