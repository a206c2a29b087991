//! A request for chat completions.

use serde_json::Value;

use super::lines::{Lines, text};

pub(super) fn read(body: &Value, lines: &mut Lines) {
    for message in body["messages"].as_array().into_iter().flatten() {
        read_message(message, lines);
    }
}

fn read_message(message: &Value, lines: &mut Lines) {
    let speaker = match message.get("tool_call_id") {
        Some(id) => format!("result {}", text(id)),
        None => text(&message["role"]),
    };
    match &message["content"] {
        Value::String(words) => lines.say(&speaker, words),
        Value::Array(parts) => {
            for part in parts {
                match part.pointer("/image_url/url").and_then(Value::as_str) {
                    Some(url) => lines.picture_at(url),
                    None => lines.say(&speaker, &text(&part["text"])),
                }
            }
        }
        _ => {}
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        lines.call_saying(&call["id"], &call["function"]["name"], &call["function"]["arguments"]);
    }
}
