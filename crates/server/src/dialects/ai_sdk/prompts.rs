//! Prompts as tool parts: how each is asked, and how its end is shown.

use parlor_protocol::{PromptClosed, PromptOutcome, PromptType, UserPrompt};
use serde_json::{Value, json};

use super::Version;
use crate::dialects::answers;

/// The tool part that asks a question.
pub(super) const ASK_USER: &str = "ask_user";
/// The tool part that a person approves to have a plan carried out.
pub(super) const PRESENT_PLAN: &str = "present_plan";

/// How a prompt is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    /// By an approval request about the call.
    Approval,
    /// By an approval request about a tool part of its own.
    Plan,
    /// By a tool part, whose output is the answer.
    Question,
    /// By the call itself: the client returns its result.
    ClientCall,
}

impl Asking {
    /// How a client of this version is asked.
    pub(super) fn of(prompt: &UserPrompt, version: Version) -> Self {
        let has_approvals = version != Version::Five;
        match prompt.prompt_type {
            PromptType::ClientCall => Self::ClientCall,
            PromptType::Confirm if is_about_call(prompt) && has_approvals => Self::Approval,
            PromptType::Plan if has_approvals => Self::Plan,
            PromptType::Confirm
            | PromptType::Plan
            | PromptType::Input
            | PromptType::Select
            | PromptType::MultiQuestion
            | PromptType::Wizard
            | PromptType::Form => Self::Question,
        }
    }
}

/// Whether a call of the server waits for the prompt.
pub(super) fn is_about_call(prompt: &UserPrompt) -> bool {
    prompt.tool_call.is_some() && prompt.call_id.is_some()
}

/// The input of the tool part that asks: what an app needs to draw the question, and the JSON
/// Schema of the answer.
pub(super) fn input(prompt: &UserPrompt) -> Value {
    let mut input = json!({
        "question": prompt.question,
        "type": prompt.prompt_type,
        "schema": answers::schema(prompt),
    });
    let more = [
        ("options", prompt.options.as_ref().map(|it| json!(it))),
        ("questions", prompt.questions.as_ref().map(|it| json!(it))),
        ("steps", prompt.steps.as_ref().map(|it| json!(it))),
        ("plan", prompt.plan.as_ref().map(|it| json!(it))),
        ("tool_call", prompt.tool_call.as_ref().map(|it| json!(it))),
        ("preview", prompt.preview.as_ref().map(|it| json!(it))),
        ("context", prompt.context.as_ref().map(|it| json!(it))),
        ("severity", prompt.severity.map(|it| json!(it))),
        ("default", prompt.default.as_ref().map(|it| json!(it))),
        ("expires_at", prompt.expires_at.map(|it| json!(it))),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            input[name] = value;
        }
    }
    input
}

/// The end of a prompt as the output of its tool part; an error if it has no answer.
pub(super) fn output(closed: &PromptClosed) -> Result<Value, String> {
    let why = match (closed.outcome, &closed.response) {
        (PromptOutcome::Answered | PromptOutcome::Refused, Some(response)) => {
            return Ok(response.clone());
        }
        (PromptOutcome::Answered, None) => return Ok(json!({})),
        (PromptOutcome::Refused, None) => "The person refused.",
        (PromptOutcome::Expired, _) => "Nobody answered in time.",
        (PromptOutcome::Cancelled, _) => "It is no longer asked.",
    };
    Err(match &closed.reason {
        Some(reason) => format!("{why} {reason}"),
        None => why.to_owned(),
    })
}
