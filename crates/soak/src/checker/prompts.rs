//! Every prompt has one end, and an acknowledged answer is that end.

use std::collections::HashMap;

use super::Case;
use crate::event::Body;
use crate::evidence::{Answer, AnswerResult};
use crate::stored::{Stored, StoredPrompt};
use crate::violation::{Kind, Violation};

pub(super) fn check(case: &Case) -> Vec<Violation> {
    let mut violations: Vec<Violation> = case.stored.iter().flat_map(check_ends).collect();
    let prompts: HashMap<&str, &StoredPrompt> = case
        .stored
        .iter()
        .flat_map(|stored| &stored.prompts)
        .map(|prompt| (prompt.prompt.id.as_str(), prompt))
        .collect();
    let mut accepted: HashMap<&str, &Answer> = HashMap::new();
    for answer in &case.evidence.answers {
        let AnswerResult::Accepted(outcome) = &answer.result else { continue };
        let id = answer.prompt.as_str();
        if let Some(other) = accepted.insert(id, answer) {
            let what = format!("{id}: {} and {}", other.client, answer.client);
            violations.push(Kind::AnswerTwice.because(what));
        }
        if !prompts.get(id).is_some_and(|prompt| is_kept(answer, outcome, prompt)) {
            let what = format!("{answer:?} is not {:?}", prompts.get(id));
            violations.push(Kind::AnswerLost.because(what));
        }
    }
    violations
}

/// A refusal without words has no response.
fn is_kept(answer: &Answer, outcome: &str, prompt: &StoredPrompt) -> bool {
    let is_same = answer.response.is_null() || answer.response == prompt.response;
    prompt.status == outcome && is_same
}

/// In the log each prompt opens once and closes once, and none is open when nothing runs.
fn check_ends(stored: &Stored) -> Vec<Violation> {
    let mut counts: HashMap<&str, (u32, u32)> = HashMap::new();
    for event in &stored.log {
        match &event.body {
            Body::Prompt(prompt) => counts.entry(&prompt.id).or_default().0 += 1,
            Body::PromptClosed { prompt, .. } => counts.entry(prompt).or_default().1 += 1,
            _ => {}
        }
    }
    let mut violations = Vec::new();
    for prompt in &stored.prompts {
        let id = prompt.prompt.id.as_str();
        let (opened, closed) = counts.remove(id).unwrap_or_default();
        if prompt.status == "open" || (opened, closed) != (1, 1) {
            let what = format!(
                "{id} in {}: {}, opened {opened} and closed {closed} times",
                stored.id, prompt.status
            );
            violations.push(Kind::PromptStuck.because(what));
        }
    }
    let unknown = counts.keys().map(|id| format!("{id} in {} is only in the log", stored.id));
    violations.extend(unknown.map(|what| Kind::PromptStuck.because(what)));
    violations
}
