//! An acknowledged message is in its conversation, once, and nobody else's is.

use std::collections::HashMap;

use super::Case;
use crate::event::Message;
use crate::evidence::Said;
use crate::plan::Plan;
use crate::violation::{Kind, Violation};

/// People's messages by their text, each with its conversation.
type ByText<'c> = HashMap<&'c str, Vec<(&'c str, &'c Message)>>;

pub(super) fn check(case: &Case) -> Vec<Violation> {
    let mut stored = ByText::new();
    for conversation in &case.stored {
        for message in conversation.messages.iter().filter(|message| message.role == "user") {
            let known = stored.entry(&message.content).or_default();
            known.push((&conversation.id, message));
        }
    }
    let said = case.evidence.said.iter();
    let mut violations: Vec<Violation> =
        said.flat_map(|(tag, said)| check_one(tag, said, &stored)).collect();
    violations.extend(stored.keys().filter_map(|text| {
        // Answers to questions are messages, too, and have no plan.
        let plan: Plan = text.parse().ok()?;
        let is_known = case.evidence.said.contains_key(&plan.tag);
        (!is_known).then(|| Kind::MessageMadeUp.because(*text))
    }));
    violations
}

fn check_one(tag: &str, said: &Said, stored: &ByText<'_>) -> Vec<Violation> {
    let found = stored.get(said.text.as_str()).map(Vec::as_slice).unwrap_or_default();
    let mut violations = Vec::new();
    if found.len() > 1 {
        violations.push(Kind::MessageTwice.because(format!("{tag}: {found:?}")));
    }
    if let Some(acknowledged) = &said.acknowledged {
        let is_there = found.iter().any(|(conversation, message)| {
            *conversation == acknowledged.conversation
                && message.id == acknowledged.message
                && message.turn == acknowledged.turn
        });
        if !is_there {
            violations.push(Kind::MessageLost.because(format!("{tag}: {acknowledged:?}")));
        }
    }
    violations
}
