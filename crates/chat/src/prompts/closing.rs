//! Everything that is written when a prompt closes: with an answer, without one, or because
//! a message came instead. The row, the approved run, the allowance and the audit are one
//! write. Pure.

use parlor_guard::Checked;
use parlor_protocol::{EventBody, PromptAnswer, PromptClosed, PromptOutcome, Timestamp};
use parlor_storage::{Allowance, Decision, Prompt, PromptClosing, PromptResolution};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::preview::PreviewedCall;
use super::validation::ValidAnswer;
use super::{PendingCall, Subject, subject};
use crate::caller::Caller;
use crate::clock::now;

/// The write that closes a prompt with a person's answer. `allowed` is the call as it is
/// allowed, if the person changed it.
pub(crate) fn with_answer(
    caller: &Caller,
    prompt: &Prompt,
    request: &PromptAnswer,
    answer: &Checked<ValidAnswer>,
    allowed: Option<PreviewedCall>,
) -> PromptResolution {
    let answer = answer.get();
    let at = now();
    let call = call_of(prompt);
    let arguments = answer.arguments.as_ref().map(arguments_text);
    let remembered = request.remember.is_some() && arguments.is_some();
    let reason = answer.reason().cloned();
    let mut decision = decision(prompt, call.as_deref(), answer.outcome, at);
    decision.session = Some(caller.session.clone());
    decision.answered_by = Some(caller.name.clone());
    decision.person = caller.person();
    decision.response = answer.response.clone();
    decision.reason = reason.clone();
    if arguments.is_some() {
        let edited = allowed.as_ref().map(|allowed| allowed.call.get().input.clone());
        // Without an edit, the proposed arguments are those that ran.
        let proposed = match &edited {
            Some(_) => decision.proposed.clone(),
            None => decision.proposed.take(),
        };
        decision.arguments = edited.or(proposed);
    }
    decision.arguments_hash = arguments.as_deref().map(hash);
    decision.edited = answer.edited;
    decision.remembered = remembered;
    let allows = call.as_ref().filter(|_| remembered).map(|call| Allowance {
        server: call.server.clone(),
        tool: call.tool.clone(),
        fingerprint: call.fingerprint.clone(),
        granted_by: caller.name.clone(),
        granted_at: at,
    });
    let closing = PromptClosing {
        response: answer.response.clone(),
        decision: serde_json::to_value(&answer.resolution).ok(),
        reason,
        allowed_preview: allowed.as_ref().and_then(|allowed| allowed.preview.clone()),
        allowed: allowed.map(|allowed| allowed.call),
        answered_by: Some(caller.name.clone()),
        ..closing(prompt, answer.outcome, at)
    };
    let approves = call.zip(arguments).map(|(call, arguments)| (call.run, arguments));
    PromptResolution { closing, approves, allows, decision }
}

/// The write that closes a prompt that nobody answered.
pub(crate) fn unanswered(prompt: &Prompt, outcome: PromptOutcome) -> PromptResolution {
    let at = now();
    PromptResolution {
        closing: closing(prompt, outcome, at),
        approves: None,
        allows: None,
        decision: decision(prompt, call_of(prompt).as_deref(), outcome, at),
    }
}

/// Closes a prompt because a message came instead of an answer.
pub(crate) fn passed_over(prompt: &Prompt) -> PromptClosing {
    closing(prompt, PromptOutcome::Cancelled, now())
}

/// The event that shows the end of a prompt.
pub(crate) fn closed_event(closing: &PromptClosing) -> EventBody {
    EventBody::UserPromptClosed(Box::new(PromptClosed {
        id: closing.id,
        outcome: closing.outcome,
        response: closing.response.clone(),
        reason: closing.reason.clone(),
        tool_call: closing.allowed.as_ref().map(|call| call.get().clone()),
        preview: closing.allowed_preview.as_ref().map(|preview| preview.get().clone()),
        answered_by: closing.answered_by.clone(),
        at: closing.now,
    }))
}

/// The exact bytes of arguments, as they are stored and hashed.
pub(crate) fn arguments_text(arguments: &Map<String, Value>) -> String {
    // A map of JSON values is always JSON.
    serde_json::to_string(arguments).unwrap_or_default()
}

fn closing(prompt: &Prompt, outcome: PromptOutcome, at: Timestamp) -> PromptClosing {
    PromptClosing {
        id: prompt.id,
        outcome,
        response: None,
        decision: None,
        reason: None,
        allowed: None,
        allowed_preview: None,
        answered_by: None,
        forced: false,
        now: at,
    }
}

fn call_of(prompt: &Prompt) -> Option<Box<PendingCall>> {
    match subject(prompt)? {
        Subject::Call(call) => Some(call),
        Subject::Result | Subject::ClientCall | Subject::Question(_) => None,
    }
}

/// The entry in the audit, as far as the prompt itself determines it.
fn decision(
    prompt: &Prompt,
    call: Option<&PendingCall>,
    outcome: PromptOutcome,
    at: Timestamp,
) -> Decision {
    Decision {
        id: Uuid::now_v7().to_string(),
        at,
        tenant: prompt.tenant.clone(),
        project: prompt.project.clone(),
        conversation_id: prompt.conversation,
        prompt_id: prompt.id,
        origin: prompt.origin.clone(),
        outcome,
        session: None,
        answered_by: None,
        person: None,
        question: prompt.public.get().question.clone(),
        response: None,
        reason: None,
        server: call.map(|call| call.server.clone()),
        tool: call.map(|call| call.tool.clone()),
        run_id: call.map(|call| call.run.to_string()),
        proposed: prompt.public.get().tool_call.as_ref().map(|call| call.input.clone()),
        arguments: None,
        arguments_hash: None,
        edited: false,
        remembered: false,
        sources: sources(prompt),
    }
}

/// What was read before the call, as the person saw it.
fn sources(prompt: &Prompt) -> Option<Value> {
    let influence = prompt.public.get().influence.as_ref()?;
    serde_json::to_value(&influence.sources).ok()
}

fn hash(bytes: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes.as_bytes()))
}
