//! The effects that [`super::step`] decides on.

use parlor_agent::tools::{AppResult, Artifact};
use parlor_agent::{ClientCall, ContentBlock, PromptRequest, ProposedCall, Reply};
use parlor_protocol::{PromptId, ToolCall, ToolStatus};
use parlor_storage::{Prompt, RunStatus, StoredFile, Told, ToolRun};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fail_point::FailPoint;

/// What to do, in this order.
#[derive(Debug)]
pub(super) enum Effect {
    /// Next write: a new row of the ledger.
    AddRun(ToolRun),
    /// Next write: the next status of a run, with the result that the model reads.
    MoveRun { run: ToolRun, to: RunStatus, result: Option<Value>, told: Option<Told> },
    /// Note a call that would have been asked about, after words of others were read.
    NoteFlow { tool: String, read: String },
    /// Next write: show the status of a call.
    ShowStatus { run: ToolRun, status: ToolStatus },
    /// Next write: show the result of a call.
    ShowResult(Box<ShownResult>),
    /// Next write: show what a call made or changed.
    ShowArtifact(Artifact),
    /// Next write: show how a prompt ended, unless the log has it.
    ShowPromptEnd(Box<Prompt>),
    /// Next write: show an answer as a message of the person.
    ShowAnswer { prompt: PromptId, text: String },
    /// Next write: another prompt takes the place of this one.
    SupersedePrompt(PromptId),
    /// Next write: the history and the message of a call that a person changed.
    AmendCall {
        prompt: PromptId,
        proposed: Option<ToolCall>,
        run: ToolRun,
        arguments: Map<String, Value>,
    },
    /// End the conversation's plan mode.
    LeavePlanMode,
    /// Open a prompt, in the next write, and commit it.
    OpenPrompt(NewPrompt),
    /// Wait for a prompt that is open, with its full time again.
    WaitForPrompt(Box<Prompt>),
    /// Commit the next write.
    Commit,
    /// A step of the ledger is stored.
    Reached(FailPoint),
    /// Tell the agent that a person is asked.
    TellWaiting(String),
    /// Reply to the agent.
    Reply { id: String, reply: Reply },
}

/// What a new prompt asks.
#[derive(Debug)]
pub(super) enum NewPrompt {
    /// May this call be made?
    Approval { call: Box<ProposedCall>, run: ToolRun },
    /// The result of a tool that the client has.
    ClientCall { call: ClientCall, run: ToolRun },
    /// May the model read this result?
    Result { run: ToolRun, rule: String },
    /// A question of the agent or of an MCP server.
    Question(Box<PromptRequest>),
}

/// The result of a call as the model reads it and the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CallResult {
    pub(super) content: Vec<ContentBlock>,
    pub(super) is_error: bool,
}

/// The result of a call as people see it.
#[derive(Debug)]
pub(super) struct ShownResult {
    pub(super) run: ToolRun,
    /// All of the text, images named.
    pub(super) text: String,
    /// The JSON that the tool returned, or its text.
    pub(super) output: Value,
    pub(super) is_error: bool,
    pub(super) code: Option<ResultCode>,
    pub(super) images: Vec<StoredFile>,
    /// For the app that shows it.
    pub(super) app: Option<AppResult>,
    /// The rule that the result matched.
    pub(super) suspicious: Option<String>,
    /// Whether others may have written words of it.
    pub(super) of_others: bool,
}

impl ShownResult {
    /// Shows a result without anything else.
    pub(super) fn new(run: &ToolRun, result: &CallResult) -> Self {
        // Images are shown beside the text.
        let said = joined(result.content.iter().filter_map(ContentBlock::as_text));
        let output = serde_json::from_str::<Value>(&said)
            .ok()
            .filter(|value| value.is_object() || value.is_array())
            .unwrap_or(Value::String(said));
        Self {
            run: run.clone(),
            text: text_of(&result.content),
            output,
            is_error: result.is_error,
            code: None,
            images: Vec::new(),
            app: None,
            suspicious: None,
            of_others: false,
        }
    }
}

/// The text of a result; images are named.
pub(super) fn text_of(content: &[ContentBlock]) -> String {
    joined(content.iter().map(|block| match block {
        ContentBlock::Text { text } => text.as_str(),
        ContentBlock::Image { .. } => "[image]",
        _ => "[…]",
    }))
}

fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.collect::<Vec<_>>().join("\n")
}

/// Why a call has no result of its own, for clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultCode {
    /// The configuration does not allow the call.
    Denied,
    /// The person refused.
    Refused,
    /// Nobody answered in time.
    Expired,
    /// The result could not be scanned.
    Withheld,
    /// The call could not be made.
    NotRun,
    /// The person of the turn is not logged in to the server, or not for this.
    LoginNeeded,
    /// It is not known whether the call took effect.
    OutcomeUnknown,
}

impl ResultCode {
    /// Its name on the wire.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "tool_denied",
            Self::Refused => "tool_refused",
            Self::Expired => "tool_expired",
            Self::Withheld => "tool_withheld",
            Self::NotRun => "tool_not_run",
            Self::LoginNeeded => "login_needed",
            Self::OutcomeUnknown => "outcome_unknown",
        }
    }
}

impl CallResult {
    /// An error, as a text for the model.
    pub(super) fn error(why: &str) -> Self {
        Self { content: vec![ContentBlock::text(why)], is_error: true }
    }

    /// The result as the ledger keeps it.
    pub(super) fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    /// The result that the ledger kept for the model.
    pub(super) fn stored(run: &ToolRun) -> Self {
        let result = run.result.clone().and_then(|result| serde_json::from_value(result).ok());
        result.unwrap_or_else(|| Self::error("It was not run."))
    }
}

/// Replies with the result of a call.
pub(super) fn reply(run: &ToolRun, CallResult { content, is_error }: CallResult) -> Effect {
    Effect::Reply { id: run.call_id.clone(), reply: Reply::Result { content, is_error } }
}
