//! Events as clients read them, in one form for both dialects, so that what two clients saw can be
//! compared.
//!
//! Nothing of the product is used to read them: a client knows the wire, and no more.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::str::FromStr;

use serde_json::Value;

/// An event id, and the position of a reader: `<seq>`, or `<seq>.<bytes>` inside streamed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Position {
    pub(crate) seq: u64,
    pub(crate) offset: Option<u64>,
}

/// One event. Without a position it is live: not stored, not repeated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) at: Option<Position>,
    pub(crate) body: Body,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    Start {
        conversation: String,
        turn: String,
        message: String,
    },
    /// A piece of text.
    Text {
        message: String,
        text: String,
    },
    /// What replaces all pieces so far.
    Snapshot {
        message: String,
        text: String,
    },
    Message(Message),
    Prompt(Prompt),
    PromptClosed {
        prompt: String,
        outcome: String,
    },
    Done {
        turn: String,
        reason: String,
    },
    /// Any other event: its name, and its data without what only one dialect has.
    Other {
        name: String,
        data: String,
    },
}

/// A finished message.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) turn: String,
    pub(crate) role: String,
    pub(crate) kind: String,
    pub(crate) content: String,
    /// The code in its metadata: why a call has no result.
    pub(crate) code: String,
}

/// A question that waits for a person.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Prompt {
    pub(crate) id: String,
    /// How it is answered: `confirm`, `input`, `select`.
    pub(crate) kind: String,
    /// The arguments of the call that needs approval.
    pub(crate) arguments: Option<Value>,
}

impl Event {
    /// Reads the data of a server-sent event.
    pub(crate) fn of_sse(id: Option<&str>, name: &str, data: &Value) -> Self {
        let at = id.and_then(|id| id.parse().ok());
        let body = match name {
            "chunk" | "thinking" => {
                Body::Text { message: text(data, "message_id"), text: text(data, "text") }
            }
            "snapshot" => {
                Body::Snapshot { message: text(data, "message_id"), text: text(data, "text") }
            }
            "message" => Body::Message(Message::read(data, "id", "message_type")),
            name => shared(name, data),
        };
        Self { at, body }
    }

    /// Reads a frame; `None` if it is no event: the end of a stream, or a refusal.
    pub(crate) fn of_frame(frame: &Value) -> Option<Self> {
        let at: Option<Position> = frame["id"].as_str().and_then(|id| id.parse().ok());
        let message = text(frame, "message_id");
        let body = match text(frame, "type").as_str() {
            "streamStart" if frame["replaces"] == true => {
                Body::Snapshot { message, text: String::new() }
            }
            "streamStart" => Body::Text { message, text: String::new() },
            "streamToken" => Body::Text { message, text: text(frame, "token") },
            "streamEnd" => return None,
            "streamError" => shared("error", frame),
            _ if frame.get("role").is_some() => {
                Body::Message(Message::read(frame, "message_id", "type"))
            }
            "thinking" => Body::Text { message, text: text(frame, "text") },
            // A message of this type has a role.
            "error" => return None,
            name => shared(name, frame),
        };
        Some(Self { at, body })
    }
}

/// The events that are the same in both dialects.
fn shared(name: &str, data: &Value) -> Body {
    match name {
        "start" => Body::Start {
            conversation: text(data, "conversation_id"),
            turn: text(data, "turn_id"),
            message: text(data, "message_id"),
        },
        "done" => Body::Done { turn: text(data, "turn_id"), reason: text(data, "reason") },
        "userPrompt" => Body::Prompt(Prompt::read(data)),
        "userPromptClosed" => {
            Body::PromptClosed { prompt: text(data, "messageId"), outcome: text(data, "outcome") }
        }
        "error" => Body::Other { name: name.to_owned(), data: text(data, "code") },
        _ => Body::Other { name: name.to_owned(), data: without_envelope(data).to_string() },
    }
}

/// The data without the fields that only frames have.
fn without_envelope(data: &Value) -> Value {
    let mut data = data.clone();
    if let Some(fields) = data.as_object_mut() {
        fields.retain(|name, _| !["type", "id", "conversation_id"].contains(&name.as_str()));
    }
    data
}

impl Message {
    /// Reads a message; the dialects differ in the names of two fields.
    pub(crate) fn read(data: &Value, id: &str, kind: &str) -> Self {
        Self {
            id: text(data, id),
            turn: text(data, "turn_id"),
            role: text(data, "role"),
            kind: text(data, kind),
            content: text(data, "content"),
            code: text(&data["metadata"], "code"),
        }
    }
}

impl Prompt {
    pub(crate) fn read(data: &Value) -> Self {
        Self {
            id: text(data, "messageId"),
            kind: text(data, "promptType"),
            arguments: data.pointer("/toolCall/input").cloned(),
        }
    }
}

impl Body {
    /// Equal for equal events, in a few bytes.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{self:?}").hash(&mut hasher);
        hasher.finish()
    }

    /// What it is called in a report.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Start { .. } => "start",
            Self::Text { .. } => "text",
            Self::Snapshot { .. } => "snapshot",
            Self::Message(_) => "message",
            Self::Prompt(_) => "userPrompt",
            Self::PromptClosed { .. } => "userPromptClosed",
            Self::Done { .. } => "done",
            Self::Other { name, .. } => name,
        }
    }
}

/// A field that is a text; empty if there is none.
pub(crate) fn text(data: &Value, field: &str) -> String {
    data[field].as_str().unwrap_or_default().to_owned()
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            None => write!(f, "{}", self.seq),
            Some(offset) => write!(f, "{}.{offset}", self.seq),
        }
    }
}

impl FromStr for Position {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.split_once('.') {
            None => Self { seq: text.parse()?, offset: None },
            Some((seq, offset)) => Self { seq: seq.parse()?, offset: Some(offset.parse()?) },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_dialects_say_the_same() {
        let start = json!({"conversation_id": "c", "turn_id": "t", "message_id": "m"});
        let frame = json!({"type": "start", "id": "7", "conversation_id": "c", "turn_id": "t",
            "message_id": "m"});
        assert_same("start", &start, &frame);
        let message = json!({"id": "m", "conversation_id": "c", "turn_id": "t", "role": "tool",
            "message_type": "tool_result", "content": "x", "metadata": {"code": "denied"}});
        let frame = json!({"type": "tool_result", "id": "7", "conversation_id": "c",
            "message_id": "m", "turn_id": "t", "role": "tool", "content": "x",
            "metadata": {"code": "denied"}});
        assert_same("message", &message, &frame);
        let status = json!({"tool": "a", "call_id": "x", "status": "running"});
        let frame = json!({"type": "tool_use", "id": "7", "conversation_id": "c", "tool": "a",
            "call_id": "x", "status": "running"});
        assert_same("tool_use", &status, &frame);
    }

    fn assert_same(name: &str, data: &Value, frame: &Value) {
        let event = Event::of_sse(Some("7"), name, data);
        assert_eq!(Some(&event), Event::of_frame(frame).as_ref());
        let other = Event::of_sse(Some("7"), "done", data);
        assert_ne!(event.body.fingerprint(), other.body.fingerprint());
    }

    #[test]
    fn positions_are_ordered_as_the_log_is() {
        let at = |text: &str| text.parse::<Position>().unwrap();
        assert!(at("41") < at("41.0") && at("41.9") < at("41.10") && at("41.380") < at("42"));
        assert_eq!(at("41.380").to_string(), "41.380");
    }

    #[test]
    fn frames_that_are_no_events() {
        for frame in [
            json!({"type": "streamEnd", "id": "7.4", "message_id": "m"}),
            json!({"type": "error", "id": "7", "message": "no", "code": "turn_running"}),
        ] {
            assert_eq!(Event::of_frame(&frame), None);
        }
    }
}
