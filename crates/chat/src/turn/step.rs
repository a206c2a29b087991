//! What follows from a call, a question, an answer or a result. Pure: rows in, effects out.
//!
//! The order of effects is the order of writes, and it carries the promises of the ledger:
//! - a run is started, or its prompt opened, only after a commit that says so;
//! - the end of a prompt, the start of the run that it approves, and what they show are one
//!   write;
//! - the agent gets a reply only after the commit that stores what it replies to.
//!
//! [`super::inputs`] reads the rows, [`super::carry_out`] carries the effects out.

use parlor_agent::tools::ToolAction;
use parlor_agent::{Answer, ClientCall, PromptRequest, ProposedCall, Reply, Tool};
use parlor_protocol::{Content, PlanDecision, PromptOutcome, PromptType, ToolStatus, Verdict};
use parlor_storage::{Allowance, Prompt, RunStatus, StorageError, Told, ToolRun};
use serde_json::{Map, Value};

use super::call_end::{self, AnsweredCall, denied, not_made};
use super::changed_tool::changed_call;
use super::effect::{CallResult, Effect, NewPrompt, ResultCode, reply};
use crate::approval_policy::{self, Judgement};
use crate::fail_point::FailPoint;
use crate::flow::FlowContext;
use crate::prompts::{PendingCall, Resolution, Subject, form, resolution, subject};

/// What happened, with the rows that matter.
#[derive(Debug)]
pub(super) enum Input<'a> {
    /// The agent proposes a call that the ledger does not know; `run` is its new row.
    NewCall {
        call: Box<ProposedCall>,
        run: ToolRun,
        allowances: &'a [Allowance],
        flow: &'a FlowContext,
    },
    /// The agent proposes a call again that was settled before a restart.
    SettledCall(ToolRun),
    /// The agent calls a tool that the client has; `run` is its new row.
    NewClientCall { call: ClientCall, run: ToolRun },
    /// The client has returned the result of its tool.
    ClientAnswered { prompt: Box<Prompt>, call: Box<AnsweredCall> },
    /// The agent asks a question that has no row.
    NewQuestion(Box<PromptRequest>),
    /// After a restart: the agent asks again, and the prompt is still open.
    PromptStillOpen(Box<Prompt>),
    /// A prompt is closed; `run` is the call that it is about.
    PromptClosed { prompt: Box<Prompt>, run: Option<ToolRun>, tools: &'a [Tool] },
    /// A call was made, and the tool answered.
    CallAnswered(Box<AnsweredCall>),
    /// A call could not be made.
    CallNotMade { run: ToolRun, why: String, code: ResultCode },
    /// A call was started, and its outcome is unknown.
    CallLost { run: ToolRun, why: String, edited: bool },
}

/// Decides what follows.
pub(super) fn step(input: Input<'_>) -> Result<Vec<Effect>, StorageError> {
    Ok(match input {
        Input::NewCall { call, run, allowances, flow } => new_call(*call, run, allowances, flow),
        Input::SettledCall(run) => {
            let result = CallResult::stored(&run);
            vec![reply(&run, result)]
        }
        Input::NewClientCall { call, run } => vec![
            Effect::TellWaiting(call.id.clone()),
            Effect::ShowStatus { run: run.clone(), status: ToolStatus::Waiting },
            Effect::AddRun(run.clone()),
            Effect::OpenPrompt(NewPrompt::ClientCall { call, run }),
        ],
        Input::ClientAnswered { prompt, call } => {
            let mut effects = vec![Effect::ShowPromptEnd(prompt)];
            effects.extend(call_end::answered(*call));
            effects
        }
        Input::NewQuestion(ask) => new_question(ask),
        Input::PromptStillOpen(prompt) => vec![Effect::WaitForPrompt(prompt)],
        Input::PromptClosed { prompt, run, tools } => match (subject(&prompt), run) {
            (Some(Subject::Call(call)), Some(run)) => approval_closed(prompt, &call, run, tools)?,
            (Some(Subject::Result), Some(run)) => result_prompt_closed(prompt, &run),
            (Some(Subject::ClientCall), Some(run)) => client_call_closed(prompt, run),
            _ => question_closed(prompt),
        },
        Input::CallAnswered(answered) => call_end::answered(*answered),
        Input::CallNotMade { run, why, code } => not_made(run, &why, code),
        Input::CallLost { run, why, edited } => call_end::lost(run, &why, edited),
    })
}

fn new_call(
    call: ProposedCall,
    mut run: ToolRun,
    allowances: &[Allowance],
    flow: &FlowContext,
) -> Vec<Effect> {
    let Judgement { verdict, is_noted } = approval_policy::judge(&call, allowances, flow);
    match verdict {
        Verdict::Allow => {
            run.status = RunStatus::Started;
            let reply = Reply::Run { arguments: call.input, run: run.id };
            let mut effects = vec![
                Effect::AddRun(run.clone()),
                Effect::ShowStatus { run: run.clone(), status: ToolStatus::Running },
                Effect::Commit,
            ];
            if is_noted {
                effects.push(Effect::NoteFlow { tool: run.tool, read: flow.newest_source() });
            }
            effects.push(Effect::Reply { id: call.id, reply });
            effects
        }
        Verdict::Block => {
            run.status = RunStatus::Refused;
            let mut effects = vec![Effect::AddRun(run.clone())];
            effects.extend(denied(run));
            effects
        }
        Verdict::Ask => vec![
            Effect::TellWaiting(call.id.clone()),
            Effect::ShowStatus { run: run.clone(), status: ToolStatus::Waiting },
            Effect::AddRun(run.clone()),
            Effect::OpenPrompt(NewPrompt::Approval { call: Box::new(call), run }),
        ],
    }
}

fn new_question(ask: Box<PromptRequest>) -> Vec<Effect> {
    if let (PromptType::Form, Some(schema)) = (ask.draft.prompt_type, &ask.draft.schema)
        && let Some(why) = form::refusal(schema)
    {
        tracing::warn!(from = ?ask.from, %why, "a form is not shown");
        let reply = Reply::Answer(Answer::Refused(Some(why)));
        return vec![Effect::Reply { id: ask.id, reply }];
    }
    vec![Effect::TellWaiting(ask.id.clone()), Effect::OpenPrompt(NewPrompt::Question(ask))]
}

fn approval_closed(
    prompt: Box<Prompt>,
    call: &PendingCall,
    run: ToolRun,
    tools: &[Tool],
) -> Result<Vec<Effect>, StorageError> {
    if run.status == RunStatus::Approved {
        return approved(prompt, call, run, tools);
    }
    let (why, code) = match (prompt.outcome, resolution(&prompt)) {
        (Some(PromptOutcome::Expired), _) => {
            ("Nobody answered in time, so it was not run.".to_owned(), ResultCode::Expired)
        }
        (_, Some(Resolution::No(Some(reason)))) => {
            (format!("The person refused: {reason}"), ResultCode::Refused)
        }
        _ => ("The person refused.".to_owned(), ResultCode::Refused),
    };
    let mut effects = vec![Effect::ShowPromptEnd(prompt)];
    effects.extend(not_made(run, &why, code));
    Ok(effects)
}

/// The client did not return a result.
fn client_call_closed(prompt: Box<Prompt>, run: ToolRun) -> Vec<Effect> {
    let (why, code) = match (prompt.outcome, resolution(&prompt)) {
        (Some(PromptOutcome::Expired), _) => {
            ("The person's app did not answer in time.".to_owned(), ResultCode::Expired)
        }
        (_, Some(Resolution::No(Some(reason)))) => {
            (format!("The person's app refused: {reason}"), ResultCode::Refused)
        }
        _ => ("The person's app refused.".to_owned(), ResultCode::Refused),
    };
    let mut effects = vec![Effect::ShowPromptEnd(prompt)];
    effects.extend(not_made(run, &why, code));
    effects
}

/// The call runs with exactly the arguments that were approved, unless its tool has changed.
fn approved(
    prompt: Box<Prompt>,
    call: &PendingCall,
    run: ToolRun,
    tools: &[Tool],
) -> Result<Vec<Effect>, StorageError> {
    if let Some(changed) = changed_call(call, &run, tools) {
        return Ok(ask_again(prompt, run, changed));
    }
    let arguments: Map<String, Value> = serde_json::from_str(&run.arguments)
        .map_err(|error| StorageError::Corrupt(error.to_string()))?;
    let amend = (call.input != arguments).then(|| Effect::AmendCall {
        prompt: prompt.id,
        proposed: prompt.public.get().tool_call.clone(),
        run: run.clone(),
        arguments: arguments.clone(),
    });
    let reply = Reply::Run { arguments, run: run.id };
    let mut effects = vec![Effect::ShowPromptEnd(prompt)];
    effects.extend(amend);
    effects.extend([
        Effect::MoveRun { run: run.clone(), to: RunStatus::Started, result: None, told: None },
        Effect::ShowStatus { run: run.clone(), status: ToolStatus::Running },
        Effect::Commit,
        Effect::Reached(FailPoint::Started),
        Effect::Reply { id: run.call_id, reply },
    ]);
    Ok(effects)
}

/// Asks about the same run again, in one write with the end of the first prompt.
fn ask_again(prompt: Box<Prompt>, run: ToolRun, call: ProposedCall) -> Vec<Effect> {
    let supersede = Effect::SupersedePrompt(prompt.id);
    let mut effects = vec![Effect::ShowPromptEnd(prompt)];
    let configured = call.tool.as_ref().and_then(|tool| tool.configured(&call.input));
    if configured == Some(ToolAction::Deny) {
        effects.extend(denied(run));
        return effects;
    }
    effects.extend([
        Effect::ShowStatus { run: run.clone(), status: ToolStatus::Waiting },
        Effect::MoveRun { run: run.clone(), to: RunStatus::Proposed, result: None, told: None },
        supersede,
        Effect::OpenPrompt(NewPrompt::Approval { call: Box::new(call), run }),
    ]);
    effects
}

/// The person decided whether the model may read a suspicious result.
fn result_prompt_closed(prompt: Box<Prompt>, run: &ToolRun) -> Vec<Effect> {
    let allowed = prompt.outcome == Some(PromptOutcome::Answered)
        && resolution(&prompt) == Some(Resolution::Yes);
    let mut effects = vec![Effect::ShowPromptEnd(prompt)];
    let result = if allowed {
        // It reads like orders, so it is of others.
        let is_private = run.label.as_ref().is_none_or(|label| label.is_private);
        let told =
            Told { content: Content::Others, is_private, is_suspicious: true, is_withheld: false };
        let (to, told) = (RunStatus::Finished, Some(told));
        effects.push(Effect::MoveRun { run: run.clone(), to, result: None, told });
        CallResult::stored(run)
    } else {
        CallResult::error("The result was withheld: the person did not let you read it.")
    };
    effects.extend([Effect::Commit, reply(run, result)]);
    effects
}

fn question_closed(prompt: Box<Prompt>) -> Vec<Effect> {
    let id = prompt.ask_id.clone();
    let mut follows = Vec::new();
    let answer = match (prompt.outcome, resolution(&prompt)) {
        (_, Some(Resolution::Given { value, said })) => {
            // After a crash the agent may get the answer once more; people do not.
            if !prompt.logged {
                follows.push(Effect::ShowAnswer { prompt: prompt.id, text: said });
            }
            let is_plan = prompt.public.get().prompt_type == PromptType::Plan;
            if is_plan && PlanDecision::from_json(&value) == Some(PlanDecision::Execute) {
                follows.push(Effect::LeavePlanMode);
            }
            Answer::Given(value)
        }
        (_, Some(Resolution::No(reason))) => Answer::Refused(reason),
        (Some(PromptOutcome::Expired), _) => Answer::Expired,
        _ => Answer::Refused(None),
    };
    let mut effects = vec![Effect::ShowPromptEnd(prompt)];
    effects.extend(follows);
    effects.extend([Effect::Commit, Effect::Reply { id, reply: Reply::Answer(answer) }]);
    effects
}

#[cfg(test)]
mod tests;
