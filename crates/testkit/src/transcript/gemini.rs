//! A request of the Gemini API.

use serde_json::Value;

use super::lines::{Lines, text, words};

pub(super) fn read(body: &Value, lines: &mut Lines) {
    let system = words(&body["systemInstruction"]["parts"]);
    if !system.is_empty() {
        lines.say("system", &system);
    }
    for content in body["contents"].as_array().into_iter().flatten() {
        let role = if content["role"] == "model" { "assistant" } else { "user" };
        for part in content["parts"].as_array().into_iter().flatten() {
            read_part(role, part, lines);
        }
    }
}

fn read_part(role: &str, part: &Value, lines: &mut Lines) {
    if let Some(call) = part.get("functionCall") {
        lines.call(&call["id"], &call["name"], &call["args"]);
    } else if let Some(result) = part.get("functionResponse") {
        lines.result(&result["id"], &outcome(&result["response"]));
    } else if let Some(data) = part.get("inlineData") {
        lines.picture(&text(&data["mimeType"]));
    } else if part["thought"] != true {
        lines.say(role, &text(&part["text"]));
    }
}

/// What came of a call: its output, its error, or whatever else it is.
fn outcome(response: &Value) -> String {
    match (response["output"].as_str(), response["error"].as_str()) {
        (Some(output), _) => output.to_owned(),
        (None, Some(error)) => format!("Error: {error}"),
        (None, None) => response.to_string(),
    }
}
