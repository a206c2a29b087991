//! What an agent must not do by itself: it asks, and waits for the reply.
//!
//! An agent asks by yielding an event and going on only when
//! [`AgentSession::answer`](crate::AgentSession::answer) names the same id. So
//! whoever polls the session decides, in the one task that also writes the
//! log: what is asked is stored before anyone sees it, and what was answered
//! before anything happens because of it. There is no callback and no second
//! task that could act in between.
//!
//! - [`ProposedCall`]: may this tool be called? [`Reply::Run`], or
//!   [`Reply::Result`] with what the model is told instead.
//! - [`AgentEvent::CallEnded`](crate::AgentEvent::CallEnded): what of this may
//!   the model read? [`Reply::Result`].
//! - [`Ask`]: a question to the person. [`Reply::Answer`].
//!
//! After a crash a turn asks again from its checkpoint, under the same ids.

use parlor_protocol::{Preview, PromptDraft};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::history::Block;
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
    /// The tool, where something is known about it.
    pub tool: Option<Tool>,
    /// What the agent says that the call does, where it says so.
    pub description: Option<String>,
    /// What the call would change (P-7), where its arguments tell.
    pub preview: Option<Preview>,
    /// Whether the question about it is lost if the agent's process ends.
    pub ends_with_agent: bool,
}

/// A question to the person.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Unique in its turn.
    pub id: String,
    /// Who wants to know.
    pub from: AskedBy,
    /// What is asked, in the words of whoever asks.
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

/// What an agent is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Make the call, with exactly these arguments.
    Run {
        /// What the tool gets.
        arguments: Map<String, Value>,
        /// Names the run; it is written down as started.
        run: Uuid,
    },
    /// This is what came of the call, for the model.
    Result {
        /// What the model reads.
        content: Vec<Block>,
        /// Whether it failed or was not made.
        is_error: bool,
    },
    /// The person's answer.
    Answer(Answer),
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// In the words of whoever asked: options by their own values.
    Given(Value),
    /// No, and perhaps why.
    Refused(Option<String>),
    /// Nobody answered in time, which counts as a no.
    Expired,
}

impl Reply {
    /// The call is not made, and this is why.
    pub fn not_run(why: impl Into<String>) -> Self {
        Self::Result { content: vec![Block::text(why)], is_error: true }
    }
}
