//! A tool that changed while a person was asked about a call of it: the yes was for
//! the tool that was shown, so it is asked about anew instead of run.

use parlor_agent::tools::ToolAction;
use parlor_agent::{ProposedCall, TurnRunner};
use parlor_protocol::ToolStatus;
use parlor_storage::{Prompt, PromptWrite, RunStatus, RunWrite, StorageError, ToolRun};

use super::Session;
use crate::prompts::{Meant, meant};

const CHANGED: &str = "The tool changed after you were asked about it, so nothing has run yet. \
                       Please look at it again.";

impl Session {
    /// The call that was approved, with the tool as it is now, if that is not the tool
    /// that was shown. One that is gone is not there to be asked about.
    pub(super) fn changed_call(&self, prompt: &Prompt, run: &ToolRun) -> Option<ProposedCall> {
        let Some(Meant::Call(call)) = meant(prompt) else { return None };
        let tools = self.project.tools.as_ref()?.list();
        let tool = tools.iter().find(|tool| tool.spec.name == call.tool)?;
        if tool.server != call.server || tool.fingerprint == call.fingerprint {
            return None;
        }
        tracing::info!(tool = %call.tool, "a tool changed while a person was asked about it");
        Some(ProposedCall {
            id: run.call_id.clone(),
            name: call.tool.clone(),
            input: call.input,
            tool: Some(tool.clone()),
            description: Some(CHANGED.to_owned()),
            preview: None,
            ends_with_agent: false,
        })
    }

    /// Asks about the same run again, in one write with the end of the first prompt.
    pub(super) async fn ask_anew(
        &mut self,
        agent: &mut dyn TurnRunner,
        prompt: &Prompt,
        run: &ToolRun,
        call: ProposedCall,
    ) -> Result<(), StorageError> {
        let configured = call.tool.as_ref().and_then(|tool| tool.configured(&call.input));
        if configured == Some(ToolAction::Deny) {
            let why = format!("{} is not allowed here. Do not try it again.", call.name);
            return self.not_run(agent, run, why, "tool_denied").await;
        }
        let preview = self.preview(&call).await;
        let opening = self.place().approval(&call, run.id, preview);
        self.tool_use(run, ToolStatus::Waiting);
        let to = RunStatus::Proposed;
        self.finished.runs.push(RunWrite::Move { id: run.id, to, result: None });
        self.finished.prompts.push(PromptWrite::Supersede(prompt.id));
        self.open_prompt(opening).await
    }
}
