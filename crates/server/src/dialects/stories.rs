//! Stories of turns, as the log has them, for the tests of the dialects.

use bytes::BytesMut;
use parlor_protocol::{DoneReason, EventBody};
use parlor_storage::Served;
use serde_json::{Value, json};

use super::turn_dialect::{End, TurnDialect};

/// A UUID that ends in this number; its time is fixed.
pub(super) fn id(n: u32) -> String {
    format!("0198c5a2-7b1e-7cc0-8000-{n:012}")
}

pub(super) const TURN: u32 = 1;
pub(super) const PROMPT: u32 = 50;
const CONVERSATION: u32 = 2;
const CALL: u32 = 60;
const AT: u64 = 1_755_600_000_000;

fn event(name: &str, data: Value) -> Value {
    json!({"event": name, "data": data})
}

pub(super) fn start() -> Value {
    let message = message(3, "user", "text", "hi", json!({}));
    let start =
        json!({"conversation_id": id(CONVERSATION), "turn_id": id(TURN), "message_id": id(3)});
    json!([event("start", start), message])
}

pub(super) fn chunk(n: u32, text: &str) -> Value {
    event("chunk", json!({"text": text, "message_id": id(n)}))
}

pub(super) fn thinking(n: u32, text: &str) -> Value {
    event("thinking", json!({"text": text, "message_id": id(n)}))
}

pub(super) fn snapshot(n: u32, text: &str) -> Value {
    event("snapshot", json!({"text": text, "message_id": id(n)}))
}

pub(super) fn message(n: u32, role: &str, kind: &str, content: &str, more: Value) -> Value {
    let mut message = json!({
        "id": id(n), "conversation_id": id(CONVERSATION), "turn_id": id(TURN), "role": role,
        "message_type": kind, "content": content, "metadata": {}, "created_at": AT + u64::from(n),
    });
    for (key, value) in more.as_object().unwrap() {
        message[key.as_str()] = value.clone();
    }
    event("message", message)
}

pub(super) fn said(n: u32, text: &str) -> Value {
    message(n, "assistant", "text", text, json!({}))
}

pub(super) fn tool(status: &str) -> Value {
    let mut data = json!({"tool": "delete_recipe", "call_id": id(CALL), "status": status});
    if status == "running" {
        data["input"] = json!({"id": "r1"});
    }
    event("tool_use", data)
}

pub(super) fn result(output: &str, is_error: bool) -> Value {
    let data = json!({"name": "delete_recipe", "call_id": id(CALL), "output": output,
        "is_error": is_error});
    message(61, "tool", "tool_result", output, json!({"data": data}))
}

fn prompt(kind: &str, question: &str, more: Value) -> Value {
    let mut prompt = json!({
        "type": "userPrompt", "promptType": kind, "messageId": id(PROMPT),
        "conversation_id": id(CONVERSATION), "question": question,
    });
    for (key, value) in more.as_object().unwrap() {
        prompt[key.as_str()] = value.clone();
    }
    event("userPrompt", prompt)
}

/// A call waits for a person, or for the client whose tool it is.
pub(super) fn asks_about_call(kind: &str) -> Vec<Value> {
    let call = json!({"name": "delete_recipe", "input": {"id": "r1"}});
    let facts = json!({"data": call, "metadata": {"prompt_id": id(PROMPT)}});
    vec![
        tool("waiting"),
        message(51, "assistant", "tool_call", "Allow “delete_recipe”?", facts),
        prompt(kind, "Allow “delete_recipe”?", json!({"toolCall": call, "call_id": id(CALL)})),
    ]
}

/// A question waits for a person.
pub(super) fn asks_question() -> Vec<Value> {
    let options = json!([{"label": "Soup", "value": "soup"}, {"label": "Cake", "value": "cake"}]);
    let facts = json!({"metadata": {"prompt_id": id(PROMPT)}, "options": options});
    vec![
        message(51, "assistant", "question", "Soup or cake?", facts),
        prompt("select", "Soup or cake?", json!({"options": options})),
    ]
}

pub(super) fn closed(outcome: &str) -> Value {
    let data = json!({"messageId": id(PROMPT), "outcome": outcome, "at": AT + 55});
    event("userPromptClosed", data)
}

pub(super) fn error(text: &str) -> Vec<Value> {
    vec![
        message(70, "assistant", "error", text, json!({})),
        event("error", json!({"message": text, "code": "agent_failed", "recoverable": true})),
    ]
}

pub(super) fn done(reason: DoneReason) -> (Value, End) {
    let data = json!({"conversation_id": id(CONVERSATION), "turn_id": id(TURN),
        "tokens_used": 46, "reason": reason});
    (event("done", data), End::Done { reason, tokens_used: Some(46), open: Vec::new() })
}

/// Events in one list; a list in it is several.
pub(super) fn events(parts: Vec<Value>) -> Vec<Served<EventBody>> {
    let flat = parts.into_iter().flat_map(|part| match part {
        Value::Array(events) => events,
        event => vec![event],
    });
    flat.map(|event| {
        let shown = event.to_string();
        let body = serde_json::from_value(event).unwrap_or_else(|e| panic!("{e}: {shown}"));
        Served::relayed(body)
    })
    .collect()
}

/// Plays a response: what came before it, its events, its end.
pub(super) fn play<D: TurnDialect>(
    mut dialect: D,
    before: Vec<Value>,
    parts: Vec<Value>,
    end: &End,
) -> (D, String) {
    let mut to = BytesMut::new();
    for event in events(before) {
        dialect.earlier(&event);
    }
    dialect.begin(&mut to);
    for event in events(parts) {
        dialect.event(&event, &mut to);
    }
    dialect.end(end, &mut to);
    (dialect, String::from_utf8(to.to_vec()).unwrap())
}
