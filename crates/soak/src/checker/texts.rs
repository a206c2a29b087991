//! What is stored of an answer is what the model said: in order, without a gap, nothing twice; and
//! all of it, if the turn is complete.

use std::collections::HashMap;

use super::Case;
use crate::event::Body;
use crate::plan::{Plan, QUESTION};
use crate::stored::Stored;
use crate::violation::{Kind, Violation};

/// Messages of the agent that are not what the model wrote.
const OTHERS: [&str; 4] = ["error", "thinking", "tool_call", "tool_result"];

pub(super) fn check(case: &Case) -> Vec<Violation> {
    case.stored.iter().flat_map(check_one).collect()
}

fn check_one(stored: &Stored) -> Vec<Violation> {
    let reasons: HashMap<&str, &str> = stored
        .log
        .iter()
        .filter_map(|event| match &event.body {
            Body::Done { turn, reason } => Some((turn.as_str(), reason.as_str())),
            _ => None,
        })
        .collect();
    let mut violations = Vec::new();
    for message in stored.messages.iter().filter(|message| message.role == "user") {
        let Ok(plan) = message.content.parse::<Plan>() else { continue };
        let is_complete = reasons.get(message.turn.as_str()) == Some(&"complete");
        let said: Vec<&str> = stored
            .messages
            .iter()
            .filter(|said| said.turn == message.turn && said.role == "assistant")
            .filter(|said| !OTHERS.contains(&said.kind.as_str()) && said.content != QUESTION)
            .map(|said| said.content.as_str())
            .collect();
        if let Some(what) = wrong(&plan, &said, is_complete) {
            let what = format!("{} in {}: {what}", plan.tag, stored.id);
            violations.push(Kind::TextWrong.because(what));
        }
    }
    violations
}

/// What is wrong with the texts of a turn.
fn wrong(plan: &Plan, said: &[&str], is_complete: bool) -> Option<String> {
    if said.len() > plan.rounds.len() || is_complete && said.len() < plan.rounds.len() {
        return Some(format!("{} texts of {}", said.len(), plan.rounds.len()));
    }
    said.iter().enumerate().find_map(|(round, text)| {
        let whole = plan.text(round);
        let may_end_early = round + 1 == said.len() && !is_complete;
        let is_right = if may_end_early { whole.starts_with(text) } else { whole == *text };
        (!is_right).then(|| format!("text {round} is {text:?}"))
    })
}
