//! What the client saw and what the model saw, as one text to read and compare.
//!
//! Ids are numbered in the order in which they appear, times are left out, and consecutive pieces
//! of text are joined: how they were split is arbitrary.

use serde_json::Value;

use crate::streams::Event;

/// Longer texts are shown by their beginning and their length.
const LONGEST: usize = 200;

#[derive(Default)]
pub(crate) struct Transcript(String);

impl Transcript {
    pub(crate) fn line(mut self, words: &str) -> Self {
        self.0.push_str(words);
        self.0.push('\n');
        self
    }

    /// The events of a stream.
    pub(crate) fn client(self, events: &[Event]) -> Self {
        let shown = self.line("client:");
        merged(events).iter().fold(shown, |shown, event| {
            shown.line(&format!("  {} {} {}", event.id, event.name, compact(&event.data)))
        })
    }

    /// The frames of a WebSocket.
    pub(crate) fn frames(self, frames: &[Value]) -> Self {
        let told = self.line("person:");
        joined(frames).iter().fold(told, |told, frame| told.line(&format!("  {}", compact(frame))))
    }

    /// Any other lines, under a title.
    pub(crate) fn lines(self, title: &str, lines: &[String]) -> Self {
        let told = self.line(&format!("{title}:"));
        lines.iter().fold(told, |told, line| told.line(&format!("  {line}")))
    }

    /// A response that is not a stream.
    pub(crate) fn answer(self, status: u16, body: &Value) -> Self {
        self.line(&format!("client: {status} {}", compact(body)))
    }

    /// The requests to the model: everything but the messages on one line, tools by their names,
    /// then the messages.
    pub(crate) fn model(self, requests: &[Value]) -> Self {
        if requests.is_empty() {
            return self.line("model: (not asked)");
        }
        requests.iter().fold(self, |shown, request| {
            let mut rest = request.clone();
            let messages = rest.as_object_mut().unwrap().remove("messages").unwrap();
            if let Some(tools) = rest.get_mut("tools") {
                tools
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .for_each(|tool| *tool = tool["name"].take());
            }
            let shown = shown.line(&format!("model: {}", compact(&rest)));
            messages.as_array().unwrap().iter().fold(shown, |shown, message| {
                let role = message["role"].as_str().unwrap();
                shown.line(&format!("  {role} {}", compact(&message["content"])))
            })
        })
    }

    pub(crate) fn text(&self) -> String {
        numbered(&self.0)
    }
}

fn merged(events: &[Event]) -> Vec<Event> {
    let mut merged: Vec<Event> = Vec::new();
    for event in events {
        let streams = matches!(event.name.as_str(), "chunk" | "thinking");
        match merged.last_mut() {
            Some(last)
                if streams
                    && last.name == event.name
                    && last.data["message_id"] == event.data["message_id"] =>
            {
                let text = |event: &Event| event.data["text"].as_str().unwrap().to_owned();
                last.data["text"] = Value::String(text(last) + &text(event));
                last.id.clone_from(&event.id);
            }
            _ => merged.push(event.clone()),
        }
    }
    merged
}

/// Frames without their event ids, with the pieces of one text joined.
fn joined(frames: &[Value]) -> Vec<Value> {
    let piece =
        |frame: &Value| Some(frame.get("token").or(frame.get("text"))?.as_str()?.to_owned());
    let mut joined: Vec<Value> = Vec::new();
    for frame in frames {
        let mut frame = frame.clone();
        for key in ["id", "conversation_id", "turn_id", "at", "expires_at"] {
            frame.as_object_mut().unwrap().shift_remove(key);
        }
        // Where an output is cut depends on the length of its unmasked text.
        if frame["data"]["output"].is_string() {
            frame.as_object_mut().unwrap().shift_remove("content");
        }
        match (piece(&frame), joined.last_mut()) {
            (Some(more), Some(last))
                if last["type"] == frame["type"] && last["message_id"] == frame["message_id"] =>
            {
                let so_far = last["streams"].as_str().unwrap();
                last["streams"] = Value::String(so_far.to_owned() + &more);
            }
            (Some(first), _) => joined.push(serde_json::json!({"type": frame["type"],
                "message_id": frame["message_id"], "streams": first})),
            (None, _) => joined.push(frame),
        }
    }
    joined
}

fn compact(value: &Value) -> String {
    let mut value = value.clone();
    shorten(&mut value);
    value.to_string()
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.chars().count() > LONGEST => {
            let beginning: String = text.chars().take(20).collect();
            *text = format!("{beginning}… ({} characters)", text.chars().count());
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => {
            fields.remove("created_at");
            fields.values_mut().for_each(shorten);
        }
        _ => {}
    }
}

/// The same text with `#1`, `#2`, … for its ids.
fn numbered(text: &str) -> String {
    const LENGTH: usize = 36;
    let mut ids: Vec<&str> = Vec::new();
    let mut out = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        match rest.get(..LENGTH).filter(|id| uuid::Uuid::try_parse(id).is_ok()) {
            Some(id) => {
                let known = ids.iter().position(|known| *known == id);
                let number = known.unwrap_or_else(|| {
                    ids.push(id);
                    ids.len() - 1
                });
                out.push_str(&format!("#{}", number + 1));
                rest = &rest[LENGTH..];
            }
            None => {
                out.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    out
}
