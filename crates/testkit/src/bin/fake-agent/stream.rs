//! The lines of a turn, as the real program writes them.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::write;

pub(crate) const SESSION: &str = "8c3f7c1e-0d52-4b8e-9d5c-6d1f0a4b2e90";
/// How many messages were begun.
static MESSAGES: AtomicU32 = AtomicU32::new(0);
const MODEL: &str = "claude-opus-5-5";

/// A whole turn that says this, in pieces.
pub(crate) fn answer(pieces: &[&str]) {
    begin();
    pieces.iter().for_each(|piece| say(piece));
    end(&pieces.concat());
}

/// A whole turn that says this without any pieces, as without partial messages.
pub(crate) fn whole(text: &str) {
    init();
    assistant(&json!({"type": "text", "text": text}));
    result(text);
}

/// The beginning of a turn and of a text.
pub(crate) fn begin() {
    init();
    event(json!({"type": "message_start", "message": {"id": message_id(), "type": "message",
        "role": "assistant", "model": MODEL, "content": [], "usage": {"input_tokens": 3}}}));
    event(json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "text", "text": ""}}));
}

/// A piece of the text.
pub(crate) fn say(piece: &str) {
    event(json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": piece}}));
}

/// The end of the text and of the turn.
pub(crate) fn end(text: &str) {
    assistant(&json!({"type": "text", "text": text}));
    event(json!({"type": "content_block_stop", "index": 0}));
    event(json!({"type": "message_stop"}));
    result(text);
}

/// A block of the message, whole.
pub(crate) fn assistant(block: &Value) {
    write(&json!({"type": "assistant", "session_id": SESSION, "parent_tool_use_id": null,
        "message": {"id": message_id(), "type": "message", "role": "assistant", "model": MODEL,
            "content": [block], "usage": {"input_tokens": 3, "output_tokens": 1}}}));
}

/// A tool call, and what came of it.
pub(crate) fn tool(name: &str, input: &Value, output: &str) {
    let id = "toolu_fake01";
    call(id, name, input);
    tool_result(id, output);
}

/// A tool call, whole.
pub(crate) fn call(id: &str, name: &str, input: &Value) {
    assistant(&json!({"type": "tool_use", "id": id, "name": name, "input": input}));
}

/// A subagent in the background runs a tool.
pub(crate) fn work_of_subagent() {
    let block = json!({"type": "tool_use", "id": "toolu_sub", "name": "Bash", "input": {}});
    write(&json!({"type": "assistant", "session_id": SESSION, "parent_tool_use_id": "toolu_task",
        "message": {"role": "assistant", "content": [block]}}));
    write(&json!({"type": "tool_progress", "session_id": SESSION, "tool_use_id": "toolu_sub",
        "parent_tool_use_id": "toolu_task", "tool_name": "Bash"}));
}

/// What came of a tool call.
pub(crate) fn tool_result(id: &str, output: &str) {
    write(&json!({"type": "user", "session_id": SESSION, "parent_tool_use_id": null,
        "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": output, "is_error": false}]},
        "tool_use_result": {"stdout": output, "stderr": ""}}));
}

/// A request for a permission.
pub(crate) fn permission(id: &str, tool: &str, input: &Value) -> Value {
    json!({"type": "control_request", "request_id": id, "request": {"subtype": "can_use_tool",
        "tool_name": tool, "input": input, "permission_suggestions": [],
        "tool_use_id": format!("toolu_{id}")}})
}

/// The end of a turn that went well.
pub(crate) fn result(text: &str) {
    write(&json!({"type": "result", "subtype": "success", "is_error": false, "result": text,
        "terminal_reason": "completed", "session_id": SESSION, "total_cost_usd": 0.001,
        "usage": {"input_tokens": 3, "output_tokens": 5}}));
}

/// The end of a turn before a call that was put off.
pub(crate) fn defer() {
    write(&json!({"type": "result", "subtype": "success", "is_error": false, "result": "",
        "terminal_reason": "tool_deferred", "session_id": SESSION, "total_cost_usd": 0.001,
        "usage": {"input_tokens": 3, "output_tokens": 5}}));
}

/// The end of a turn that was interrupted.
pub(crate) fn aborted() {
    write(&json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
        "errors": ["[ede_diagnostic] result_type=user"], "terminal_reason": "aborted_streaming",
        "session_id": SESSION, "usage": {"input_tokens": 3, "output_tokens": 5}}));
}

/// Its version: the first one that can put off calls, unless the environment names
/// another one.
pub(crate) fn version() -> String {
    std::env::var("FAKE_AGENT_VERSION").unwrap_or_else(|_| "2.1.325".to_owned())
}

/// The beginning of a turn.
pub(crate) fn init() {
    MESSAGES.fetch_add(1, Ordering::Relaxed);
    write(&json!({"type": "system", "subtype": "init", "session_id": SESSION, "model": MODEL,
        "cwd": "/home/agent/.claude/workspace", "tools": ["Bash"], "permissionMode": "default",
        "claude_code_version": version()}));
}

fn message_id() -> String {
    format!("msg_fake{:016}", MESSAGES.load(Ordering::Relaxed))
}

/// A piece of a message.
pub(crate) fn event(event: Value) {
    write(&json!({"type": "stream_event", "event": event, "session_id": SESSION,
        "parent_tool_use_id": null}));
}
