//! Reads the rows that a decision needs. After a restart the agent proposes and asks again
//! what was not settled; the ledger and the prompts know how far it came.

use std::sync::Arc;

use parlor_agent::{ClientCall, ContentBlock, PromptRequest, ProposedCall, Tool};
use parlor_guard::sanitizer::Sanitizer;
use parlor_storage::{Allowance, Prompt, RunStatus, StorageError, Store, ToolRun};
use uuid::Uuid;

use super::edited_call::Edits;
use super::step::Input;
use super::writer::TurnWriter;
use crate::flow::{FlowContext, label};
use crate::project::Project;
use crate::prompts::closing::arguments_text;
use crate::prompts::{Subject, subject};

/// The suffix of the prompt about the result of a call, after the call's id.
const RESULT: &str = "/result";

/// The name of the prompt about the result of a call.
pub(super) fn result_ask_id(call_id: &str) -> String {
    format!("{call_id}{RESULT}")
}

/// A new row of the ledger.
pub(super) fn new_run(call: &ProposedCall, status: RunStatus) -> ToolRun {
    ToolRun {
        id: Uuid::now_v7(),
        call_id: call.id.clone(),
        server: call.tool.as_ref().map(|tool| tool.server.clone()).unwrap_or_default(),
        tool: call.name.clone(),
        status,
        arguments: arguments_text(&call.input),
        result: None,
        label: label::of_call(call),
    }
}

/// The row of a call that has ended. One that could not even be proposed has none yet.
pub(super) async fn ended_run(
    writer: &TurnWriter,
    call_id: String,
    tool: String,
) -> Result<ToolRun, StorageError> {
    let known = writer.store.tool_run(writer.turn(), &call_id).await?;
    Ok(known.unwrap_or_else(|| ToolRun {
        id: Uuid::now_v7(),
        call_id,
        server: String::new(),
        tool,
        status: RunStatus::Refused,
        arguments: "{}".to_owned(),
        result: None,
        label: None,
    }))
}

/// The rows that are borrowed by an [`Input`].
#[derive(Debug, Default)]
pub(super) struct Rows {
    allowances: Vec<Allowance>,
    flow: FlowContext,
    tools: Option<Arc<[Tool]>>,
}

impl Rows {
    /// Reads what is known about a call that the agent proposes.
    pub(super) async fn of_call(
        &mut self,
        writer: &TurnWriter,
        project: &Project,
        edits: &Edits,
        call: Box<ProposedCall>,
    ) -> Result<Input<'_>, StorageError> {
        let (store, turn) = (&writer.store, writer.turn());
        let Some(run) = store.tool_run(turn, &call.id).await? else {
            // What was remembered before somebody else had to answer holds no more.
            let needs_other = project.approvers.as_ref().is_some_and(|approvers| approvers.other);
            if !needs_other {
                self.allowances = store.allowances(writer.conversation()).await?;
            }
            self.flow = project.flow_context(store, writer.path).await?;
            let run = new_run(&call, RunStatus::Proposed);
            let (allowances, flow) = (&self.allowances, &self.flow);
            return Ok(Input::NewCall { call, run, allowances, flow });
        };
        let prompt = match run.status {
            RunStatus::Started => {
                let why = "the server went down while it ran".to_owned();
                let edited = edits.contains_key(&run.call_id);
                return Ok(Input::CallLost { run, why, edited });
            }
            // The end of its prompt comes first: it may not even be in the log.
            RunStatus::Proposed | RunStatus::Approved => {
                let prompt = store.prompt_of(turn, &call.id).await?;
                // A run is proposed in the write that opens its prompt.
                Some(prompt.ok_or_else(|| corrupt("a proposed run has no prompt"))?)
            }
            RunStatus::Finished
            | RunStatus::Refused
            | RunStatus::Cancelled
            | RunStatus::OutcomeUnknown => {
                store.prompt_of(turn, &result_ask_id(&run.call_id)).await?
            }
        };
        match prompt {
            Some(prompt) => self.of_prompt(store, project, prompt).await,
            None => Ok(Input::SettledCall(run)),
        }
    }

    /// Reads what is known about a call of a tool that the client has.
    pub(super) async fn of_client_call(
        &mut self,
        writer: &TurnWriter,
        project: &Project,
        call: ClientCall,
    ) -> Result<Input<'_>, StorageError> {
        let (store, turn) = (&writer.store, writer.turn());
        let Some(run) = store.tool_run(turn, &call.id).await? else {
            let run = ToolRun {
                id: Uuid::now_v7(),
                call_id: call.id.clone(),
                server: String::new(),
                tool: call.name.clone(),
                status: RunStatus::Proposed,
                arguments: arguments_text(&call.input),
                result: None,
                // What the client's own tool brings is not known.
                label: None,
            };
            return Ok(Input::NewClientCall { call, run });
        };
        let ask_id = match run.status {
            RunStatus::Proposed => call.id,
            // A suspicious result has a prompt of its own.
            _ => result_ask_id(&run.call_id),
        };
        match store.prompt_of(turn, &ask_id).await? {
            Some(prompt) => self.of_prompt(store, project, prompt).await,
            None => Ok(Input::SettledCall(run)),
        }
    }

    /// Reads what is known about a question that the agent asks.
    pub(super) async fn of_question(
        &mut self,
        writer: &TurnWriter,
        project: &Project,
        ask: Box<PromptRequest>,
    ) -> Result<Input<'_>, StorageError> {
        match writer.store.prompt_of(writer.turn(), &ask.id).await? {
            Some(prompt) => self.of_prompt(&writer.store, project, prompt).await,
            None => Ok(Input::NewQuestion(ask)),
        }
    }

    /// Reads what a prompt is about, if it is closed.
    pub(super) async fn of_prompt(
        &mut self,
        store: &Store,
        project: &Project,
        prompt: Prompt,
    ) -> Result<Input<'_>, StorageError> {
        if prompt.outcome.is_none() {
            return Ok(Input::PromptStillOpen(Box::new(prompt)));
        }
        let call_id = match subject(&prompt) {
            Some(Subject::Call(_) | Subject::ClientCall) => Some(prompt.ask_id.as_str()),
            Some(Subject::Result) => {
                Some(prompt.ask_id.strip_suffix(RESULT).unwrap_or(&prompt.ask_id))
            }
            Some(Subject::Question(_)) | None => None,
        };
        let run = match call_id {
            Some(call_id) => {
                let run = store.tool_run(prompt.turn, call_id).await?;
                Some(run.ok_or_else(|| corrupt("a prompt about a call has no run"))?)
            }
            None => None,
        };
        self.tools = project.tools.as_ref().map(|tools| tools.list());
        let tools = self.tools.as_deref().unwrap_or_default();
        Ok(Input::PromptClosed { prompt: Box::new(prompt), run, tools })
    }
}

fn corrupt(what: &str) -> StorageError {
    StorageError::Corrupt(what.to_owned())
}

/// A model reads no secret that the configuration names, and none is stored for it: a tool may
/// print its own.
pub(super) fn without_secrets(sanitizer: &Sanitizer, block: ContentBlock) -> ContentBlock {
    match block {
        ContentBlock::Text { text } => ContentBlock::Text { text: sanitizer.without_secrets(text) },
        other => other,
    }
}
