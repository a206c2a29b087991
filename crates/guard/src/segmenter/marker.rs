//! Inline markers (P-10): how an agent that can only write text asks.

use parlor_protocol::{PromptDraft, PromptType};
use serde_json::Value;

use super::segment::Found;

/// Begins a prompt. A space stands for any white space, or none.
pub(super) const START: &[u8] = b"<!-- userPrompt:start -->";
/// Ends a prompt.
pub(super) const END: &[u8] = b"<!-- userPrompt:end -->";

/// White space in a marker is at most this long.
const SPACE_AT_MOST: usize = 8;

/// Whether a marker is still being spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    More,
    Done,
    No,
}

/// Compares bytes with a marker, one by one. A marker has a `<` at its
/// beginning only, so a comparison that failed can begin again at the next `<`.
#[derive(Debug)]
pub(super) struct Matcher {
    /// What is yet to come; nothing, once the comparison failed.
    left: &'static [u8],
    spaces: usize,
}

impl Matcher {
    pub(super) fn new(marker: &'static [u8]) -> Self {
        Self { left: marker, spaces: 0 }
    }

    pub(super) fn feed(&mut self, byte: u8) -> Progress {
        if self.left.first() == Some(&b' ') {
            if byte.is_ascii_whitespace() && self.spaces < SPACE_AT_MOST {
                self.spaces += 1;
                return Progress::More;
            }
            (self.left, self.spaces) = (&self.left[1..], 0);
        }
        match self.left {
            [last] if *last == byte => Progress::Done,
            [next, left @ ..] if *next == byte => {
                self.left = left;
                Progress::More
            }
            _ => {
                self.left = &[];
                Progress::No
            }
        }
    }
}

/// Reads what stands between the markers.
pub(super) fn read_prompt(body: &str) -> Found {
    match serde_json::from_str::<Value>(body) {
        Ok(value) if !has(&value, "toolCall") && !has(&value, "tool_call") => {
            read_value(&value).unwrap_or(Found::Invalid)
        }
        _ => Found::Invalid,
    }
}

/// Plans are plans however they are written. Wizards and forms need more than
/// an agent that can only write text should have to get right.
fn read_value(value: &Value) -> Option<Found> {
    let draft = PromptDraft::from_json(value).ok()?;
    match draft.prompt_type {
        PromptType::Plan => draft.plan.map(Found::Plan),
        PromptType::Confirm
        | PromptType::Input
        | PromptType::Select
        | PromptType::MultiQuestion => Some(Found::Prompt(Box::new(draft))),
        PromptType::Wizard | PromptType::Form | PromptType::ClientCall => None,
    }
}

fn has(value: &Value, field: &str) -> bool {
    value.get(field).is_some_and(|field| !field.is_null())
}
