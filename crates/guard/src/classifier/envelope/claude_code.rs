//! The JSON stream of Claude Code (AGENT_WIRE.md), and the events of the
//! Messages API that it passes on.

use serde_json::Value;

use super::{Said, ToolUse, blocks, error_words, first_text, form, text_of};

/// Reads a line of this stream; nothing if it is of another.
pub(super) fn read(value: &Value) -> Option<Said<'_>> {
    let said = match text_of(value, "type")? {
        "assistant" => assistant(value),
        "user" => user(value),
        "result" => result(value),
        "stream_event" => event(value.get("event")?),
        "control_request" => control_request(value.get("request")?),
        // States, retries, background work; a refused tool says so in its result.
        "system" | "control_response" | "control_cancel_request" | "command_lifecycle" => {
            Said::nothing()
        }
        "message_start"
        | "content_block_start"
        | "content_block_delta"
        | "content_block_stop"
        | "message_delta"
        | "message_stop"
        | "ping" => event(value),
        _ => return None,
    };
    Some(said)
}

/// One model message comes as several lines, one for each block. A failure of
/// the API comes in the same shape, with an `error` beside the message.
fn assistant(value: &Value) -> Said<'_> {
    let message = value.get("message").unwrap_or(value);
    let said = message.get("content").map(blocks::of_content).unwrap_or_default();
    match value.get("error").and_then(error_words) {
        Some(kind) if said.text.is_empty() => Said::failed(kind),
        Some(_) => Said::failed(said.text.join("\n")),
        None => said,
    }
}

/// What tools gave back. Text on such a line is a person's, or the program
/// talking to its model: neither is the agent's.
fn user(value: &Value) -> Said<'_> {
    let message = value.get("message").unwrap_or(value);
    let said = message.get("content").map(blocks::of_content).unwrap_or_default();
    Said { results: said.results, ..Said::nothing() }
}

/// The end of a turn. The text of an interruption is not shown.
fn result(value: &Value) -> Said<'_> {
    if text_of(value, "terminal_reason").is_some_and(|reason| reason.starts_with("aborted_")) {
        return Said { aborted: true, ..Said::nothing() };
    }
    let failed = value.get("is_error").and_then(Value::as_bool) == Some(true)
        || text_of(value, "status").is_some_and(super::tool::is_failure);
    if failed {
        return Said::failed(failure_words(value));
    }
    let words = text_of(value, "result").map(Said::words).unwrap_or_default();
    Said { objects: value.get("structured_output").into_iter().collect(), ..words }
}

fn failure_words(value: &Value) -> String {
    if let Some(words) = first_text(value, &["result"]) {
        return words.to_owned();
    }
    if let Some(words) = value.get("error").and_then(error_words) {
        return words.to_owned();
    }
    let errors: Vec<&str> =
        value["errors"].as_array().into_iter().flatten().filter_map(error_words).collect();
    match errors.as_slice() {
        [] => first_text(value, &["subtype"]).unwrap_or_default().replace('_', " "),
        errors => errors.join("\n"),
    }
}

/// A piece of a message that is being written. Only its words matter: tools
/// come again, whole, when their arguments are complete.
fn event(event: &Value) -> Said<'_> {
    let delta = &event["delta"];
    match text_of(delta, "type") {
        Some("text_delta") => Said::fragment(text_of(delta, "text").unwrap_or_default()),
        Some("thinking_delta") => {
            Said::thought_fragment(text_of(delta, "thinking").unwrap_or_default())
        }
        _ => Said::nothing(),
    }
}

fn control_request(request: &Value) -> Said<'_> {
    match text_of(request, "subtype") {
        Some("can_use_tool") => Said::uses(ToolUse::read(request).asking()),
        Some("elicitation") => form::read(request),
        _ => Said::nothing(),
    }
}
