//! The model: a server on loopback that does what the newest message asks for ([`Plan`]).

use std::io;

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::plan::{Ask, Plan, QUESTION, Then};
use crate::tool;

/// Starts it, within the current runtime.
pub(crate) async fn start() -> io::Result<ScriptedModel> {
    ScriptedModel::answering(answer).await
}

/// The script for a request of the Messages API.
fn answer(request: &Value) -> Script {
    let Some((plan, round)) = newest_plan(request) else {
        return Script::failure_saying(400, "invalid_request_error", "no message has a plan");
    };
    let Some(now) = plan.rounds.get(round) else {
        return Script::failure_saying(400, "invalid_request_error", "the plan is carried out");
    };
    let (pieces, every, then) = (now.pieces, now.every(), now.then);
    let call = |script: Script, name: &str, wait: u64| {
        let id = format!("call-{}-{round}-{name}", plan.tag);
        let input = json!({"text": plan.argument(round, name), "wait_ms": wait});
        script.tool_use(&id, &tool::full_name(name), &input)
    };
    let speech = plan.clone();
    let script = Script::answer().steady(pieces, every, move |number| speech.piece(round, number));
    match then {
        Then::End => script,
        Then::Note(wait) => call(script, tool::NOTE, wait),
        Then::Jot(wait) => call(script, tool::JOT, wait),
        Then::Both(wait) => call(call(script, tool::NOTE, wait), tool::JOT, wait),
        Then::Ask(ask) => {
            let id = format!("ask-{}-{round}", plan.tag);
            script.tool_use(&id, "ask_user", &question(ask))
        }
    }
}

fn question(ask: Ask) -> Value {
    let option = |name: &str| json!({"label": name, "value": name});
    match ask {
        Ask::Confirm | Ask::Input => json!({"type": ask.name(), "question": QUESTION}),
        Ask::Select => json!({"type": ask.name(), "question": QUESTION,
            "options": [option("left"), option("right")]}),
    }
}

/// The plan of the newest message that has one, and how many of its rounds are over: each ended with
/// a call.
fn newest_plan(request: &Value) -> Option<(Plan, usize)> {
    let mut newest = None;
    for message in request["messages"].as_array()? {
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_of = |kind: &str| blocks.iter().any(|block| block["type"] == kind);
        match (message["role"].as_str(), &mut newest) {
            (Some("assistant"), Some((_, rounds))) if is_of("tool_use") => *rounds += 1,
            (Some("user"), _) => {
                let texts = blocks.iter().filter_map(|block| block["text"].as_str());
                if let Some(plan) = texts.filter_map(|text| text.parse().ok()).next_back() {
                    newest = Some((plan, 0));
                }
            }
            _ => {}
        }
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_plan_goes_on_where_it_was() {
        let said =
            |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text}]});
        let called = json!({"role": "assistant", "content": [{"type": "text", "text": "x"},
            {"type": "tool_use", "id": "1", "name": "t_jot", "input": {}}]});
        let result = json!({"role": "user", "content": [{"type": "tool_result"}]});
        let request = json!({"messages": [said("soak m1: 1x1 jot 0, 1x1"), called, result,
            said("soak m2: 3x1 jot 0, 4x1"), called, result]});
        let (plan, round) = newest_plan(&request).unwrap();
        assert_eq!((plan.tag.as_str(), round), ("m2", 1));
        assert_eq!(newest_plan(&json!({"messages": [said("hello")]})), None);
    }
}
