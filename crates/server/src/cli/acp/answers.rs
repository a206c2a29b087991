//! What became of a question that the editor was asked. Pure.

use parlor_protocol::PromptAnswer;
use serde_json::Value;

/// What the editor's response means.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// The person answered.
    Answer(PromptAnswer),
    /// The person closed the question, or stopped the turn: nobody decided.
    Dismissed,
    /// The editor could not ask; why not.
    Unanswered(String),
}

/// An answer.
pub(super) fn given(response: Value) -> PromptAnswer {
    PromptAnswer { response, cancelled: false, input: None, reason: None, remember: None }
}

/// A refusal to answer.
pub(super) fn refused() -> PromptAnswer {
    PromptAnswer { cancelled: true, ..given(Value::Null) }
}
