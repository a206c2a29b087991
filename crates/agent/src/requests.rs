//! What an agent must not do by itself: it requests it, and waits for the reply.
//!
//! A request is an event; the agent goes on only when
//! [`TurnRunner::answer`](crate::TurnRunner::answer) names the same id. So whoever polls the
//! runner decides, in the one task that also writes the log: a request is stored before
//! anyone sees it, and the answer before anything happens because of it. No callback and no
//! second task could act in between.
//!
//! - [`ProposedCall`]: may this tool be called? [`Reply::Run`], or [`Reply::Result`] with a
//!   result for the model instead.
//! - [`AgentEvent::CallEnded`](crate::AgentEvent::CallEnded): what may the model read of the
//!   result? [`Reply::Result`].
//! - [`PromptRequest`]: a question to the person. [`Reply::Answer`].
//! - [`ClientCall`]: a call of a tool that the client has. [`Reply::Result`].
//!
//! After a crash a turn repeats its requests from its checkpoint, under the same ids.

use parlor_protocol::{CallCaveat, Preview, PromptDraft};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::history::ContentBlock;
use crate::tools::Tool;

/// A call that an agent wants to make.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedCall {
    /// The model's id of the call: unique in its turn.
    pub id: String,
    /// The tool's name, as the model says it.
    pub name: String,
    /// The arguments.
    pub input: Map<String, Value>,
    /// The tool, if it is known.
    pub tool: Option<Tool>,
    /// The agent's description of the call, if it gives one.
    pub description: Option<String>,
    /// What the call would change (P-7), if its arguments show it.
    pub preview: Option<Preview>,
    /// Whether the question about it is lost if the agent's process ends.
    pub ends_with_agent: bool,
    /// What a person has to know about the approval.
    pub caveats: Vec<CallCaveat>,
}

/// A call of a tool that the client has.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientCall {
    /// The model's id of the call: unique in its turn.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments.
    pub input: Map<String, Value>,
}

/// A question to the person.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptRequest {
    /// Unique in its turn.
    pub id: String,
    /// Who asks.
    pub from: AskedBy,
    /// The question, in the words of whoever asks.
    pub draft: PromptDraft,
    /// Whether the question is lost if the agent's process ends.
    pub ends_with_agent: bool,
}

/// Who asks a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedBy {
    /// The agent itself.
    Agent,
    /// An MCP server, in the middle of a call (M-3).
    Server(String),
}

/// The reply to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Make the call, with exactly these arguments.
    Run {
        /// What the tool gets.
        arguments: Map<String, Value>,
        /// The tool run, which is already stored as started.
        run: Uuid,
    },
    /// The result of the call, for the model.
    Result {
        /// What the model reads.
        content: Vec<ContentBlock>,
        /// Whether it failed or was not made.
        is_error: bool,
    },
    /// The person's answer.
    Answer(Answer),
}

/// How a question was answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// With a value in the words of whoever asked: options by their own values.
    Given(Value),
    /// No, and perhaps why.
    Refused(Option<String>),
    /// Not in time, which counts as a no.
    Expired,
}

impl Reply {
    /// The call is not made, and this is why.
    pub fn not_run(why: impl Into<String>) -> Self {
        Self::Result { content: vec![ContentBlock::text(why)], is_error: true }
    }
}
