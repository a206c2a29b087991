//! A call is made once at most, never without consent where that is needed, and no result is made up.

use std::collections::HashSet;

use super::Case;
use crate::event::text;
use crate::plan::EDITED;
use crate::tool::{Call, NOTE, result};
use crate::violation::{Kind, Violation};

pub(super) fn check(case: &Case) -> Vec<Violation> {
    let allowed = allowed(case);
    let (mut texts, mut runs) = (HashSet::new(), HashSet::new());
    let mut violations = Vec::new();
    for call in &case.calls {
        let is_new = texts.insert(proposed(call)) & runs.insert(&call.run);
        if !is_new {
            violations.push(Kind::CallTwice.because(format!("{call:?}")));
        }
        if call.tool == NOTE && !allowed.contains(proposed(call)) {
            violations.push(Kind::CallWithoutConsent.because(format!("{call:?}")));
        }
    }
    violations.extend(made_up(case));
    violations
}

/// The argument as the model proposed it; a person may have changed it.
fn proposed(call: &Call) -> &str {
    call.text.strip_suffix(EDITED).unwrap_or(&call.text)
}

/// The arguments of calls that a person allowed.
fn allowed(case: &Case) -> HashSet<String> {
    let prompts = case.stored.iter().flat_map(|stored| &stored.prompts);
    let yes = prompts.filter(|prompt| prompt.status == "answered" && prompt.response == "yes");
    yes.filter_map(|prompt| prompt.prompt.arguments.as_ref())
        .map(|arguments| text(arguments, "text"))
        .collect()
}

/// Results of calls that were not made.
fn made_up(case: &Case) -> Vec<Violation> {
    let made: HashSet<String> = case.calls.iter().map(|call| result(&call.text)).collect();
    let results = case.stored.iter().flat_map(|stored| &stored.messages);
    results
        .filter(|message| message.role == "tool" && message.content.starts_with(&result("")))
        .filter(|message| !made.contains(&message.content))
        .map(|message| Kind::ResultMadeUp.because(message.content.clone()))
        .collect()
}
