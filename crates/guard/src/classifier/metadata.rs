//! The facts about a line that are safe to show.
//!
//! Everything is taken by name from an allow-list. Never taken: ids, paths,
//! models, costs, account and session data, or a text that is not one word of
//! a known kind.

use parlor_protocol::metadata as key;
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
    ("stop_reason", key::STOP_REASON.name()),
    ("stopReason", key::STOP_REASON.name()),
    ("finish_reason", key::STOP_REASON.name()),
    ("terminal_reason", key::TERMINAL_REASON.name()),
    ("status", key::STATUS.name()),
];

const NUMBERS: [(&str, &str); 12] = [
    ("duration_ms", key::DURATION_MS.name()),
    ("durationMs", key::DURATION_MS.name()),
    ("num_turns", key::NUM_TURNS.name()),
    ("exit_code", key::EXIT_CODE.name()),
    ("exitCode", key::EXIT_CODE.name()),
    ("api_error_status", key::ERROR_STATUS.name()),
    ("error_status", key::ERROR_STATUS.name()),
    ("attempt", key::ATTEMPT.name()),
    ("max_retries", key::MAX_RETRIES.name()),
    ("retry_delay_ms", key::RETRY_DELAY_MS.name()),
    ("tool_calls", key::TOOL_CALLS.name()),
    ("estimated_tokens", key::ESTIMATED_TOKENS.name()),
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
        key::USAGE.set(metadata, &usage);
    }
    if said.partial {
        key::PARTIAL.set(metadata, &true);
    }
    if said.warning {
        key::LEVEL.set(metadata, "warning");
    }
    match &classified.data {
        Some(Structured::ToolResult { name, is_error, .. }) => {
            key::IS_ERROR.set(metadata, is_error);
            add_tool(name, metadata);
            if said.results.is_empty() {
                key::STATUS.set(metadata, "running");
            }
        }
        Some(Structured::ToolCall { name, .. }) => add_tool(name, metadata),
        Some(Structured::Plan(_) | Structured::Question(_)) | None => {}
    }
    if !matches!(classified.data, Some(Structured::ToolResult { .. })) {
        key::STATUS.remove(metadata);
    }
}

fn add_tool(name: &str, metadata: &mut Map<String, Value>) {
    if !name.is_empty() {
        key::TOOL.set(metadata, name);
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
