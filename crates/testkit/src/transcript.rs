//! What a model received, as lines that are the same for both wire formats.

use serde_json::Value;

use crate::record::RecordedRequest;

impl RecordedRequest {
    /// The conversation, a line for each thing that was said: `system: …`,
    /// `user: …`, `assistant: …`, `call t1: look {"at":1}`, `result t1: …`,
    /// `picture image/png`. Texts that one side says one after the other are one
    /// line. Reasoning and vendors' own blocks are left out.
    pub fn transcript(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(system) = self.body.get("system") {
            lines.push(format!("system: {}", words(system)));
        }
        for message in self.body["messages"].as_array().into_iter().flatten() {
            if self.is_chat_completions() {
                chat_message(message, &mut lines);
            } else {
                message_blocks(message, &mut lines);
            }
        }
        lines
    }

    /// The names of the tools that the model was given.
    pub fn tools(&self) -> Vec<String> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        tools.map(|tool| text(tool.pointer("/function/name").unwrap_or(&tool["name"]))).collect()
    }
}

fn message_blocks(message: &Value, lines: &mut Vec<String>) {
    let role = text(&message["role"]);
    for block in message["content"].as_array().into_iter().flatten() {
        match block["type"].as_str().unwrap_or_default() {
            "text" => say(lines, &role, &text(&block["text"])),
            "image" => lines.push(picture(&text(&block["source"]["media_type"]))),
            "tool_use" => lines.push(call(&block["id"], &block["name"], &block["input"])),
            "tool_result" => {
                let id = text(&block["tool_use_id"]);
                let failed = if block["is_error"] == true { "Error: " } else { "" };
                lines.push(format!("result {id}: {failed}{}", words(&block["content"])));
                let parts = block["content"].as_array().into_iter().flatten();
                let pictures = parts.filter(|part| part["type"] == "image");
                lines.extend(pictures.map(|part| picture(&text(&part["source"]["media_type"]))));
            }
            _ => {}
        }
    }
}

fn chat_message(message: &Value, lines: &mut Vec<String>) {
    let role = text(&message["role"]);
    let speaker = match message.get("tool_call_id") {
        Some(id) => format!("result {}", text(id)),
        None => role,
    };
    match &message["content"] {
        Value::String(words) => say(lines, &speaker, words),
        Value::Array(parts) => {
            for part in parts {
                match part.pointer("/image_url/url").and_then(Value::as_str) {
                    Some(url) => {
                        lines.push(picture(url.split([':', ';']).nth(1).unwrap_or_default()));
                    }
                    None => say(lines, &speaker, &text(&part["text"])),
                }
            }
        }
        _ => {}
    }
    for made in message["tool_calls"].as_array().into_iter().flatten() {
        let arguments = text(&made["function"]["arguments"]);
        // What is no JSON is shown as it is.
        let arguments = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
        lines.push(call(&made["id"], &made["function"]["name"], &arguments));
    }
}

/// Adds a text to the line of the same side, or begins a line.
fn say(lines: &mut Vec<String>, speaker: &str, words: &str) {
    match lines.last_mut() {
        Some(last) if last.starts_with(&format!("{speaker}: ")) => {
            last.push_str("\n\n");
            last.push_str(words);
        }
        _ => lines.push(format!("{speaker}: {words}")),
    }
}

fn call(id: &Value, name: &Value, arguments: &Value) -> String {
    format!("call {}: {} {arguments}", text(id), text(name))
}

fn picture(media_type: &str) -> String {
    format!("picture {media_type}")
}

/// A text, or the texts of a list of blocks.
fn words(content: &Value) -> String {
    let Some(parts) = content.as_array() else { return text(content) };
    let texts: Vec<String> = parts.iter().filter_map(|part| part.get("text")).map(text).collect();
    texts.join("\n\n")
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
