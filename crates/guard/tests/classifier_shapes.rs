//! The same text in the formats of different agents and APIs has the same result.

#![allow(clippy::unwrap_used)]

use parlor_guard::classifier::{Classified, Structured, classify};
use parlor_protocol::MessageType;
use serde_json::{Value, json};

fn read(line: &Value) -> Classified {
    classify(line, &str::to_owned)
}

/// C-3: text is found in all usual fields.
#[test]
fn words_are_found_in_every_shape() {
    for line in [
        json!("Hello."),
        json!({"type": "text", "text": "Hello."}),
        json!({"content": "Hello."}),
        json!({"message": "Hello."}),
        json!({"message": {"content": "Hello."}}),
        json!({"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}),
        json!([{"type": "text", "text": "Hello."}]),
        json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hello."}], "model": "x"}),
        json!({"choices": [{"message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}]}),
        json!({"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "text": "Hello."}]}]}),
        json!({"type": "assistant", "message": {"content": [{"type": "text", "text": "Hello."}]}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "Hello."}),
        json!({"type": "item.completed", "item": {"type": "agent_message", "text": "Hello."}}),
        json!({"method": "item/completed", "params": {"item": {"type": "agentMessage", "text": "Hello.", "questions": null}}}),
    ] {
        let read = read(&line);
        assert_eq!(
            (read.message_type, read.content.as_str()),
            (MessageType::Info, "Hello."),
            "{line}"
        );
    }
}

/// C-2, 8: a tool call in every format.
#[test]
fn tools_are_found_in_every_shape() {
    for line in [
        json!({"type": "tool_use", "name": "search", "input": {"q": 1}}),
        json!({"tool_use": {"name": "search", "input": {"q": 1}}}),
        json!({"type": "tool_use", "tool_name": "search", "parameters": {"q": 1}}),
        json!({"type": "function_call", "name": "search", "arguments": "{\"q\": 1}"}),
        json!({"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}),
        json!({"type": "message", "content": [{"type": "server_tool_use", "name": "search", "input": {}}]}),
    ] {
        let read = read(&line);
        assert_eq!(
            (&read.message_type, read.content.as_str()),
            (&MessageType::ToolResult, "search"),
            "{line}"
        );
        assert_eq!(read.metadata["status"], "running", "{line}");
    }
}

/// C-2, 3: a tool's result in every format.
#[test]
fn tool_output_is_found_in_every_shape() {
    for (line, name, failed) in [
        (json!({"type": "tool_result", "content": "out", "is_error": false}), "", false),
        (
            json!({"type": "tool_result", "tool_id": "t", "status": "error", "output": "out"}),
            "",
            true,
        ),
        (json!({"role": "tool", "tool_call_id": "c", "content": "out"}), "", false),
        (json!({"type": "function_call_output", "call_id": "c", "output": "out"}), "", false),
        (json!({"tool_result": {"name": "search", "content": "out"}}), "search", false),
        (
            json!({"type": "item.completed", "item": {"type": "command_execution", "aggregated_output": "out", "exit_code": 1}}),
            "command_execution",
            true,
        ),
        (
            json!({"type": "item.completed", "item": {"type": "mcp_tool_call", "server": "s", "tool": "t", "result": {"content": [{"type": "text", "text": "out"}]}}}),
            "s.t",
            false,
        ),
        (
            json!({"method": "session/update", "params": {"update": {"sessionUpdate": "tool_call_update", "name": "Bash", "status": "failed", "rawOutput": "out"}}}),
            "Bash",
            true,
        ),
    ] {
        let read = read(&line);
        assert_eq!(
            (&read.message_type, read.content.as_str()),
            (&MessageType::ToolResult, "out"),
            "{line}"
        );
        assert_eq!(read.metadata["is_error"], failed, "{line}");
        assert!(
            matches!(read.data, Some(Structured::ToolResult { name: ref found, .. }) if found == name),
            "{line}"
        );
    }
}

/// A to-do list is text, not a plan to decide on.
#[test]
fn a_to_do_list_is_info() {
    let read = read(&json!({"type": "item.updated", "item": {"type": "todo_list", "items": [
        {"text": "Look", "completed": true}, {"text": "Leap", "completed": false}]}}));
    assert_eq!(
        (read.message_type, read.content.as_str()),
        (MessageType::Info, "- [x] Look\n- [ ] Leap")
    );
}
