//! Answering a prompt: what a person can do with one.
//!
//! 1. The answer is validated against the prompt ([`validation`]); an invalid one leaves it
//!    open (P-5).
//! 2. What was typed into it passes the guardrail (G-8): from here on it is a [`Checked`].
//! 3. If a turn waits for it, the row is closed and the turn is notified. Otherwise the
//!    answer begins the next turn, in the same write that closes the prompt.

use std::sync::Arc;

use parlor_guard::{Checked, Clean};
use parlor_protocol::{
    Mode, PlanDecision, PromptAnswer, PromptId, PromptOutcome, PromptType, Timestamp,
};
use parlor_storage::{Follows, Prompt, PromptResolution};
use serde_json::Value;

use crate::approvers;
use crate::caller::{Accepted, Caller};
use crate::clock::now;
use crate::error::ChatError;
use crate::fail_point::{self, FailPoint};
use crate::input_check;
use crate::project::Project;
use crate::prompts::opening::expiry;
use crate::prompts::validation::{self, ValidAnswer};
use crate::prompts::{PreviewedCall, Resolution, Subject, closing, preview, subject};
use crate::sending::open_prompts_without_turn;
use crate::state::ChatState;
use crate::turn::{self, PersonMessage};

/// An answer that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Whether it was an answer or a refusal.
    pub outcome: PromptOutcome,
    /// The turn that the answer began, if none waited for it.
    pub turn: Option<Accepted>,
}

/// Takes a person's answer.
pub(crate) async fn answer(
    state: &Arc<ChatState>,
    caller: &Caller,
    id: PromptId,
    request: PromptAnswer,
) -> Result<Answered, ChatError> {
    let prompt = open_prompt(state, caller, id).await?;
    let project = state.project(caller, &prompt.project)?;
    let subject = subject(&prompt).ok_or(ChatError::Internal)?;
    let answer = validation::validate(prompt.public.get(), &subject, &request)
        .map_err(ChatError::AnswerInvalid)?;
    let answer = input_check::check_answer(state, caller, &project, answer).await?;
    let outcome = answer.get().outcome;
    let allowed = edited_call(state, &project, (&prompt, &subject), answer.get()).await?;
    let close = closing::with_answer(caller, &prompt, &request, &answer, allowed);
    if prompt.turn_waits {
        if !state.store.resolve_prompt(&close).await? {
            return Err(ChatError::PromptClosed);
        }
        fail_point::reached(FailPoint::Answered);
        state.prompt_changed(prompt.conversation);
        return Ok(Answered { outcome, turn: None });
    }
    let turn = match answer.get().resolution {
        Resolution::Given { .. } => {
            Some(begin_turn(state, caller, &project, &prompt, answer, close).await?)
        }
        Resolution::Yes | Resolution::No(_) => {
            close_without_turn(state, &project, &prompt, &close).await?;
            None
        }
    };
    Ok(Answered { outcome, turn })
}

/// What an open approval would change with these arguments. They are validated as in an
/// answer, and masked parts keep their value.
pub(crate) async fn preview_edit(
    state: &ChatState,
    caller: &Caller,
    id: PromptId,
    input: &Value,
) -> Result<PreviewedCall, ChatError> {
    let prompt = open_prompt(state, caller, id).await?;
    let project = state.project(caller, &prompt.project)?;
    let (Some(Subject::Call(call)), Some(shown)) =
        (subject(&prompt), &prompt.public.get().tool_call)
    else {
        return Err(ChatError::AnswerInvalid("This question has no arguments.".into()));
    };
    let edited =
        validation::edited_arguments(shown, &call, input).map_err(ChatError::AnswerInvalid)?;
    let project = of_turn(state, &project, &prompt).await?;
    Ok(preview::of_call(&project, &call.tool, edited.as_ref().unwrap_or(&call.input)).await)
}

/// Gives a prompt more time: its full time again, so many seconds, or (0) no deadline.
pub(crate) async fn extend(
    state: &ChatState,
    caller: &Caller,
    id: PromptId,
    seconds: Option<u64>,
) -> Result<Option<Timestamp>, ChatError> {
    /// A day.
    const MAX_SECONDS: u64 = 86_400;
    let prompt = state.store.prompt(&caller.scope, id).await?;
    state.take_part(caller, prompt.conversation).await?;
    let time = match seconds {
        // No turn waits for it, so nothing would close it at a deadline: it stays open
        // until it is answered or passed over (P-4).
        _ if !prompt.turn_waits => None,
        None => prompt.timeout_ms,
        Some(0) => None,
        Some(seconds) => i64::try_from(seconds.min(MAX_SECONDS) * 1_000).ok(),
    };
    let expires_at = expiry(time);
    let is_open =
        prompt.outcome.is_none() && state.store.extend_prompt(id, expires_at, now()).await?;
    if !is_open {
        return Err(ChatError::PromptClosed);
    }
    state.prompt_changed(prompt.conversation);
    Ok(expires_at)
}

async fn open_prompt(
    state: &ChatState,
    caller: &Caller,
    id: PromptId,
) -> Result<Prompt, ChatError> {
    let prompt = approvers::to_answer(state, caller, id).await?;
    if prompt.outcome.is_some() { Err(ChatError::PromptClosed) } else { Ok(prompt) }
}

/// The project as the turn of a prompt has it: a call is made, and previewed, with the logins of the
/// person whose turn it is, whoever answers.
async fn of_turn(
    state: &ChatState,
    project: &Arc<Project>,
    prompt: &Prompt,
) -> Result<Arc<Project>, ChatError> {
    Ok(project.of_person(state.store.person_of_turn(prompt.turn).await?))
}

/// The call as it is allowed, if the person changed it.
async fn edited_call(
    state: &ChatState,
    project: &Arc<Project>,
    (prompt, subject): (&Prompt, &Subject),
    answer: &ValidAnswer,
) -> Result<Option<PreviewedCall>, ChatError> {
    let (Subject::Call(call), true, Some(arguments)) = (subject, answer.edited, &answer.arguments)
    else {
        return Ok(None);
    };
    let project = of_turn(state, project, prompt).await?;
    Ok(Some(preview::of_call(&project, &call.tool, arguments).await))
}

/// The answer is a message: it closes the prompt and begins a turn, in one write.
async fn begin_turn(
    state: &Arc<ChatState>,
    caller: &Caller,
    project: &Arc<Project>,
    prompt: &Prompt,
    answer: Checked<ValidAnswer>,
    close: PromptResolution,
) -> Result<Accepted, ChatError> {
    let is_plan = prompt.public.get().prompt_type == PromptType::Plan;
    let decision = answer.get().plan_decision().filter(|_| is_plan);
    let for_model = if is_plan { plan_for_model } else { answer_for_model };
    let message = PersonMessage {
        for_model: Some(answer.clone().map(for_model)),
        text: answer.map(ValidAnswer::into_text),
        files: Vec::new(),
        retry: None,
        version: None,
        clears: None,
    };
    let usage = state.projects.budgets().admit(&state.store, caller, &project.id).await?;
    let conversation = prompt.conversation;
    let passed_over = open_prompts_without_turn(state, conversation, Some(prompt.id)).await?;
    let (outcome, at) = (close.closing.outcome, close.closing.now);
    let answers = Some(Box::new(close));
    let mut write =
        turn::message_turn(caller, project, conversation, message, answers, &passed_over);
    write.follows = Follows::PathOf(prompt.turn);
    write.mode = (decision == Some(PlanDecision::Execute)).then_some(Mode::Act);
    // The client that asked is the one that reads on.
    write.client_tools = state.store.client_tools(prompt.turn).await?;
    write.usage = Some(usage);
    let slot = state.turn_slot(caller, project).await?;
    match turn::begin(state, write, project, slot).await {
        Ok(accepted) => {
            project.metrics.closed(prompt, outcome, at);
            project.metrics.passed_over(&passed_over);
            Ok(accepted)
        }
        Err(error) => Err(state.why_not_begun(conversation, error).await),
    }
}

/// A refusal needs no turn, so the end goes into the log by itself.
async fn close_without_turn(
    state: &ChatState,
    project: &Project,
    prompt: &Prompt,
    close: &PromptResolution,
) -> Result<(), ChatError> {
    let event = Clean::new(&project.sanitizer, closing::closed_event(&close.closing));
    let log = state.live_turns.log(prompt.conversation);
    log.publish(state.store.resolve_and_log_prompt(close, &event, prompt.turn).await?);
    project.metrics.closed(prompt, close.closing.outcome, close.closing.now);
    project.metrics.events.add(1);
    Ok(())
}

/// What the model reads of a decision on its plan (T-3).
fn plan_for_model(answer: ValidAnswer) -> String {
    match answer.plan_decision() {
        Some(PlanDecision::Refine(changes)) => {
            format!("Refine the plan, and present the whole plan again. What to change: {changes}")
        }
        Some(PlanDecision::Execute) | None => {
            "The plan is approved. Carry it out now, step by step.".to_owned()
        }
    }
}

/// What the model reads of an answer: its own value, not the masked label.
fn answer_for_model(answer: ValidAnswer) -> String {
    match answer.resolution {
        Resolution::Given { value: Value::String(text), .. } => text,
        Resolution::Given { value, .. } => value.to_string(),
        Resolution::Yes | Resolution::No(_) => String::new(),
    }
}
