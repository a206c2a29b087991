//! Calls that a person changed before they ran.
//!
//! The program runs what the person approved, but its own history keeps what its model
//! proposed. A `PostToolUse` hook tells the model which arguments ran, beside the
//! result of the call.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::outgoing;

/// The hook's id in the protocol of the program.
pub(super) const HOOK: &str = "parlor-after";
/// How long the program waits for the hook's answer, in seconds.
const TIMEOUT: u64 = 10;
/// How much of the arguments is repeated, in bytes.
const MOST_BYTES: usize = 16 << 10;

/// The events that follow a call, whether it worked or not.
const EVENTS: [&str; 2] = ["PostToolUse", "PostToolUseFailure"];

/// The calls of a turn that a person changed, by id, with the arguments that ran.
#[derive(Debug, Default)]
pub(super) struct EditedCalls(HashMap<String, String>);

impl EditedCalls {
    /// A call runs with these arguments instead of those that were proposed.
    pub(super) fn add(
        &mut self,
        call: &str,
        proposed: &Map<String, Value>,
        ran: &Map<String, Value>,
    ) {
        self.0.insert(call.to_owned(), note(proposed, ran));
    }

    /// Answers the hook about a call that has ended.
    pub(super) fn hook(&mut self, request_id: &str, event: &str, call: &str) -> Value {
        let noted = self.0.remove(call).map(|note| {
            json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": note}})
        });
        outgoing::response(request_id, noted.unwrap_or_else(|| json!({})))
    }

    /// Called when the turn is over.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// Adds the hooks to those of a new process.
pub(super) fn register(hooks: &mut Map<String, Value>) {
    for event in EVENTS {
        let hook = json!({"matcher": null, "hookCallbackIds": [HOOK], "timeout": TIMEOUT});
        hooks.insert(event.to_owned(), json!([hook]));
    }
}

/// The note for the model.
fn note(proposed: &Map<String, Value>, ran: &Map<String, Value>) -> String {
    let changed: Map<String, Value> = ran
        .iter()
        .filter(|(name, value)| proposed.get(*name) != Some(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let removed: Vec<&str> = proposed
        .keys()
        .filter(|name| !ran.contains_key(name.as_str()))
        .map(String::as_str)
        .collect();
    let mut note = "The person changed the arguments of this call before it ran. The result is \
                    that of the changed arguments, not of those that you proposed."
        .to_owned();
    let text = Value::Object(changed).to_string();
    match text.len() {
        2 => {}
        length if length <= MOST_BYTES => note += &format!(" Changed: {text}"),
        _ => note += " They are too long to be repeated here.",
    }
    if !removed.is_empty() {
        note += &format!(" Removed: {}", removed.join(", "));
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn only_what_changed_is_told() {
        let proposed = map(json!({"command": "touch a", "description": "Make", "timeout": 5}));
        let ran = map(json!({"command": "touch b", "description": "Make"}));
        let told = note(&proposed, &ran);
        assert!(told.ends_with(r#" Changed: {"command":"touch b"} Removed: timeout"#), "{told}");
        let long = map(json!({"command": "x".repeat(MOST_BYTES)}));
        assert!(note(&proposed, &long).contains("too long"));
    }
}
