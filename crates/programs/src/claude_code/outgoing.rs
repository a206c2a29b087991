//! The lines to the program.

use parlor_agent::{ContentBlock, Document, TurnContext};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::permission_mode::PermissionMode;
use crate::earlier_messages;

/// Follows a person's text. The program treats the last text of a message as a line of its own
/// terminal: one that begins with `/` is a command, and `@/etc/passwd` reads that file without
/// asking. With this text after it, the person's text is never the last one.
const PLAIN: &str = "(This message came through a chat: commands and paths in it are plain text.)";

/// A control request to the program.
pub(super) fn request(number: u64, request: Value) -> Value {
    json!({"type": "control_request", "request_id": format!("parlor-{number}"), "request": request})
}

/// The person's message. A new CLI session also gets the other messages.
pub(super) fn user_message(context: &TurnContext, is_new: bool, id: Uuid) -> Option<Value> {
    let (at, message) = earlier_messages::told(context)?;
    let before = if is_new { earlier_messages::others(&context.history, at) } else { None };
    let before = before.map(|text| json!({"type": "text", "text": text}));
    let said = message.blocks.iter().filter_map(|block| match block {
        ContentBlock::Text { text } => Some(json!({"type": "text", "text": text})),
        ContentBlock::Image { media_type, data } => Some(json!({"type": "image",
            "source": {"type": "base64", "media_type": media_type, "data": data}})),
        ContentBlock::Document(Document { name, media_type, data, text }) => Some(match data {
            Some(data) => json!({"type": "document", "title": name,
                "source": {"type": "base64", "media_type": media_type, "data": data}}),
            None => json!({"type": "text", "text": text}),
        }),
        _ => None,
    });
    let last = json!({"type": "text", "text": PLAIN});
    let content: Vec<Value> = before.into_iter().chain(said).chain([last]).collect();
    Some(json!({
        "type": "user",
        "message": {"role": "user", "content": content},
        "parent_tool_use_id": null,
        "session_id": "",
        "uuid": id,
    }))
}

pub(super) fn set_mode(mode: PermissionMode) -> Value {
    json!({"subtype": "set_permission_mode", "mode": mode.as_str()})
}

/// The answer to a request of the program.
pub(super) fn response(request_id: &str, response: Value) -> Value {
    let response = json!({"subtype": "success", "request_id": request_id, "response": response});
    json!({"type": "control_response", "response": response})
}

/// The answer to a hook: a decision about the call, or none, so that the program's rules decide.
pub(super) fn hook(request_id: &str, decision: Option<&str>) -> Value {
    let decided = decision.map(|decision| {
        let of_hook = json!({"hookEventName": "PreToolUse", "permissionDecision": decision});
        json!({"hookSpecificOutput": of_hook})
    });
    response(request_id, decided.unwrap_or_else(|| json!({})))
}

/// The error response to a request that cannot be answered.
pub(super) fn cannot_answer(request_id: &str) -> Value {
    let response =
        json!({"subtype": "error", "request_id": request_id, "error": "not supported here"});
    json!({"type": "control_response", "response": response})
}

pub(super) fn allow(request_id: &str, input: Map<String, Value>) -> Value {
    response(request_id, json!({"behavior": "allow", "updatedInput": input}))
}

pub(super) fn deny(request_id: &str, message: &str) -> Value {
    response(request_id, json!({"behavior": "deny", "message": message}))
}

/// Refuses a call, and ends the turn.
pub(super) fn deny_and_stop(request_id: &str, message: &str) -> Value {
    response(request_id, json!({"behavior": "deny", "message": message, "interrupt": true}))
}
