//! A request of the Responses API.

use serde_json::Value;

use super::lines::{Lines, text, words};

pub(super) fn read(body: &Value, lines: &mut Lines) {
    if let Some(instructions) = body["instructions"].as_str() {
        lines.say("system", instructions);
    }
    if let Some(words) = body["input"].as_str() {
        lines.say("user", words);
    }
    for item in body["input"].as_array().into_iter().flatten() {
        read_item(item, lines);
    }
}

fn read_item(item: &Value, lines: &mut Lines) {
    match item["type"].as_str().unwrap_or("message") {
        "message" => read_message(item, lines),
        "function_call" => lines.call_saying(&item["call_id"], &item["name"], &item["arguments"]),
        "custom_tool_call" => lines.call_saying(&item["call_id"], &item["name"], &item["input"]),
        "function_call_output" | "custom_tool_call_output" => {
            lines.result(&item["call_id"], &words(&item["output"]));
        }
        _ => {}
    }
}

fn read_message(item: &Value, lines: &mut Lines) {
    let role = text(&item["role"]);
    if let Some(words) = item["content"].as_str() {
        lines.say(&role, words);
    }
    for part in item["content"].as_array().into_iter().flatten() {
        match part["image_url"].as_str() {
            Some(url) => lines.picture_at(url),
            None => lines.say(&role, &text(&part["text"])),
        }
    }
}
