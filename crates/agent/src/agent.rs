//! The one trait for everything that takes a turn.
//!
//! How a session is used:
//! 1. [`Agent::open`] once for a conversation; it does no IO.
//! 2. [`AgentSession::begin`] starts a turn; then the session is polled as a
//!    stream. Between turns it is pending; it never ends by itself.
//! 3. Each turn yields exactly one [`AgentEvent::Ended`], and nothing after it.
//! 4. After a [`AgentEvent::Checkpoint`] the session is not polled again before
//!    the checkpoint and everything before it are committed: what comes next
//!    may have effects outside.
//! 5. What an agent must not do by itself it asks for ([`crate::ask`]), and
//!    waits for [`AgentSession::answer`].
//! 6. [`AgentSession::stop`] closes the connection at once; what was said so
//!    far still comes as a message, then the end. Dropping the session closes
//!    the connection too, and says nothing.
//!
//! A session is polled by the conversation's own task; who does not poll, does
//! not read. In the built-in loop a piece of text goes from the socket to that
//! task without another task, a channel or a boxed future in between. Behind a
//! bridge there is a task for each process, because a process lives on between
//! turns ([`crate::bridge`]).

use std::future::ready;
use std::ops::AddAssign;
use std::sync::Weak;
use std::time::Duration;

use futures_core::Stream;
use parlor_protocol::{ConversationId, Mode, Preview};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::ask::{Ask, ProposedCall, Reply};
use crate::error::AgentError;
use crate::history::HistoryMessage;
use crate::model_error::ModelError;
use crate::tools::{ToolFuture, ToolOutcome};

/// Something that takes turns: a model in the built-in loop, or a CLI.
pub trait Agent: Send + Sync {
    /// Opens a session for a conversation.
    fn open(&self, conversation: ConversationId) -> Box<dyn AgentSession>;

    /// Whether a turn can go on from this checkpoint in another process. What
    /// cannot is told as interrupted.
    fn can_resume(&self, from: &Checkpoint) -> bool;

    /// What it is, for logs and for the line that is printed at the start.
    fn describe(&self) -> AgentDescription;

    /// What whoever runs the server should know about it; nothing, if all is well.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The turns that it wants to begin by itself, to whoever takes them first; an
    /// agent that only answers has none.
    fn initiatives(&self) -> Option<mpsc::Receiver<Initiative>> {
        None
    }

    /// What a call of one of its own tools would change (P-7), where it can tell.
    /// Nothing is changed by asking.
    fn preview(&self, tool: &str, arguments: &Map<String, Value>) -> ToolFuture<Option<Preview>> {
        let _no_tools_of_its_own = (tool, arguments);
        Box::pin(ready(None))
    }

    /// The conversation is gone: what was kept for it is ended.
    fn forget(&self, conversation: ConversationId) {
        let _nothing_is_kept = conversation;
    }

    /// Ends what was started for conversations, within the deadline.
    fn close(&self, deadline: Duration) -> ToolFuture<()> {
        let _nothing_to_end = deadline;
        Box::pin(ready(()))
    }
}

/// A conversation with an agent: turns go in, events come out.
pub trait AgentSession: Stream<Item = AgentEvent> + Send + Unpin {
    /// Starts a turn. A turn that still runs is stopped first.
    fn begin(&mut self, start: TurnStart);

    /// Replies to what the agent asked under this id. A reply to what is no
    /// longer asked does nothing.
    fn answer(&mut self, id: &str, reply: Reply);

    /// A person is asked what the agent asked under this id; else the reply comes
    /// at once.
    fn waits(&mut self, id: &str) {
        let _nothing_to_learn = id;
    }

    /// Ends the running turn and its connection; without one it does nothing.
    fn stop(&mut self);
}

/// An agent has something to say in a conversation, and nobody asked: it waits for a
/// turn ([`TurnStart::Unasked`]).
#[derive(Debug, Clone)]
pub struct Initiative {
    /// Where.
    pub conversation: ConversationId,
    wanted: Weak<()>,
}

impl Initiative {
    /// The turn is wanted as long as there is something that `wanted` points to.
    pub fn new(conversation: ConversationId, wanted: Weak<()>) -> Self {
        Self { conversation, wanted }
    }

    /// Whether it still waits for a turn: a person's may have come first, and the
    /// agent said it there.
    pub fn is_wanted(&self) -> bool {
        self.wanted.strong_count() > 0
    }
}

/// What an agent is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDescription {
    /// The kind, as in the configuration: `anthropic`, `demo`.
    pub kind: &'static str,
    /// The model, where there is one to name.
    pub model: String,
}

/// How a turn starts.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnStart {
    /// With a message of a person: the last one of the history.
    Message(TurnContext),
    /// With what the agent says by itself ([`Initiative`]).
    Unasked(TurnContext),
    /// Where an earlier turn was interrupted. The history holds everything that
    /// was committed with or before the checkpoint.
    Resume(TurnContext, Checkpoint),
}

/// What an agent has to know for a turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnContext {
    /// What was said so far, trimmed to what fits.
    pub history: Vec<HistoryMessage>,
    /// The one system prompt.
    pub system_prompt: Option<String>,
    /// Whether anything may be changed.
    pub mode: Mode,
}

/// What happens in a turn. Everything in it is raw.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// The turn waits until there is room for it: too many others run.
    Queued,
    /// The next piece of text.
    Text(String),
    /// The next piece of reasoning.
    Thinking(String),
    /// The text or the reasoning that streamed so far is a finished block.
    BlockEnd,
    /// The text that streamed so far broke off: it is no part of the history,
    /// and may be said again.
    BrokeOff,
    /// The model's vendor withholds what was said and thought since the last message
    /// for the history: it is no answer, and no part of the history.
    Withheld,
    /// One whole message for the raw history; after a stop or an error, what
    /// there is of it. It repeats what was streamed. A message of which nothing
    /// was said does not come.
    AssistantMessage(HistoryMessage),
    /// An agent wants to call a tool, and waits for the reply.
    Proposes(Box<ProposedCall>),
    /// An agent makes a call that it may make by its own rules: nobody is asked.
    Calls(Box<ProposedCall>),
    /// A call is over. What of it goes to the model is the reply.
    CallEnded {
        /// The model's id of the call.
        call: String,
        /// The tool's name, as the model says it.
        tool: String,
        /// How it ended.
        outcome: ToolOutcome,
        /// Whether the model has read it already, as inside a CLI: then it can
        /// only be flagged, and there is no reply.
        read: bool,
    },
    /// An agent asks the person, and waits for the reply.
    Asks(Box<Ask>),
    /// What was asked under this id is not asked any longer.
    Withdrawn(String),
    /// The results of the calls of one message, for the raw history.
    ToolMessage(HistoryMessage),
    /// What one request to the model cost; a turn can have several.
    Usage(Usage),
    /// The turn can go on from here after a crash.
    Checkpoint(Checkpoint),
    /// The model could not be asked; nothing was shown yet, and it is asked again.
    Retrying {
        /// In how long.
        after: Duration,
        /// The number of the attempt that failed, from 1.
        attempt: u32,
        /// What went wrong.
        error: ModelError,
    },
    /// The turn is over.
    Ended(TurnEnd),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEnd {
    /// The agent was finished.
    Complete {
        /// The answer reached the longest length that is allowed, and can be continued.
        cut_off: bool,
    },
    /// It was stopped.
    Stopped,
    /// It failed. What was said before stays.
    Failed(AgentError),
}

/// The state of a turn between two steps, readable only by the agent that wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Checkpoint(pub Value);

/// What was paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Read by the model, without those from and for the cache.
    pub input_tokens: u64,
    /// Written by the model.
    pub output_tokens: u64,
    /// Read from the vendor's cache.
    pub cache_read_tokens: u64,
    /// Written to the vendor's cache.
    pub cache_write_tokens: u64,
    /// Millionths of a dollar, where the agent says what it cost.
    pub cost_micros: u64,
}

impl Usage {
    /// All tokens.
    pub fn total(&self) -> u64 {
        [self.input_tokens, self.output_tokens, self.cache_read_tokens, self.cache_write_tokens]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.cache_read_tokens, other.cache_read_tokens);
        add(&mut self.cache_write_tokens, other.cache_write_tokens);
        add(&mut self.cost_micros, other.cost_micros);
    }
}
