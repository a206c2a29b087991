//! A request of the Messages API.

use serde_json::Value;

use super::lines::{Lines, text, words};

pub(super) fn read(body: &Value, lines: &mut Lines) {
    if let Some(system) = body.get("system") {
        lines.say("system", &words(system));
    }
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = text(&message["role"]);
        if let Some(words) = message["content"].as_str() {
            lines.say(&role, words);
        }
        for block in message["content"].as_array().into_iter().flatten() {
            read_block(&role, block, lines);
        }
    }
}

fn read_block(role: &str, block: &Value, lines: &mut Lines) {
    match block["type"].as_str().unwrap_or_default() {
        "text" => lines.say(role, &text(&block["text"])),
        "image" => lines.picture(&text(&block["source"]["media_type"])),
        "tool_use" => lines.call(&block["id"], &block["name"], &block["input"]),
        "tool_result" => {
            let failed = if block["is_error"] == true { "Error: " } else { "" };
            let words = words(&block["content"]);
            lines.result(&block["tool_use_id"], &format!("{failed}{words}"));
            let parts = block["content"].as_array().into_iter().flatten();
            for part in parts.filter(|part| part["type"] == "image") {
                lines.picture(&text(&part["source"]["media_type"]));
            }
        }
        _ => {}
    }
}
