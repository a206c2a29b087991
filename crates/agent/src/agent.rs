//! The traits of everything that takes a turn.
//!
//! How a turn runner is used:
//! 1. [`Agent::runner`] once for a conversation; it does no IO.
//! 2. [`TurnRunner::begin`] starts a turn; then the runner is polled as a stream. Between
//!    turns it is pending; it never ends by itself.
//! 3. Each turn yields exactly one [`AgentEvent::Ended`], and nothing after it.
//! 4. After an [`AgentEvent::Checkpoint`] the runner is not polled again before the
//!    checkpoint and everything before it are committed: what comes next may have effects
//!    outside.
//!    The same holds for an [`AgentEvent::CallsModel`]: whoever does not want the call stops the
//!    turn instead of polling on.
//! 5. What an agent must not do by itself it requests ([`crate::requests`]), and waits for
//!    [`TurnRunner::answer`].
//! 6. [`TurnRunner::stop`] closes the connection at once; the text so far still comes as a
//!    message, then the end. Dropping the runner closes the connection too, without events.
//!
//! A runner is polled by the conversation's own task, which is the backpressure: what is not
//! polled is not read. In the built-in loop text goes from the socket to that task without
//! another task, a channel or a boxed future in between. A program has a task of its own,
//! because its process outlives the turn.

use std::future::ready;
use std::ops::AddAssign;
use std::sync::Weak;
use std::time::Duration;

use futures_core::Stream;
use parlor_protocol::{ConversationId, Mode, PersonId, Preview, ToolProgress};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::error::AgentError;
use crate::history::HistoryMessage;
use crate::model_error::ModelError;
use crate::requests::{ClientCall, PromptRequest, ProposedCall, Reply};
use crate::tools::{ToolFuture, ToolOutcome, ToolSpec};

/// Something that takes turns: a model in the built-in loop, or a CLI.
pub trait Agent: Send + Sync {
    /// The turn runner of a conversation.
    fn runner(&self, conversation: ConversationId) -> Box<dyn TurnRunner>;

    /// Whether a turn can be resumed from this checkpoint in another process. One that
    /// cannot is reported as interrupted.
    fn can_resume(&self, from: &Checkpoint) -> bool;

    /// Whether the turns of a conversation need files of one machine, as those of a program
    /// do: then one of several nodes is its home.
    fn needs_home(&self) -> bool {
        false
    }

    /// Whether it can call tools that the client has ([`AgentEvent::CallsClient`]).
    fn takes_client_tools(&self) -> bool {
        false
    }

    /// What it can look at besides text.
    fn takes(&self) -> Takes {
        Takes { pictures: true, pdf: false }
    }

    /// Kind and model, for logs and for the line that is printed at the start.
    fn describe(&self) -> AgentDescription;

    /// Warnings for administrators; empty if all is well.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The agent-initiated turns, to the first caller; `None` for an agent that only
    /// answers.
    fn agent_initiated_turns(&self) -> Option<mpsc::Receiver<AgentInitiatedTurn>> {
        None
    }

    /// What a call of one of the agent's own tools would change (P-7), where that is known.
    /// Changes nothing.
    fn preview(&self, tool: &str, arguments: &Map<String, Value>) -> ToolFuture<Option<Preview>> {
        let _no_tools_of_its_own = (tool, arguments);
        Box::pin(ready(None))
    }

    /// The conversation was deleted: ends what is kept for it.
    fn forget(&self, conversation: ConversationId) {
        let _nothing_is_kept = conversation;
    }

    /// Ends everything that was started for conversations, within the deadline.
    fn close(&self, deadline: Duration) -> ToolFuture<()> {
        let _nothing_to_end = deadline;
        Box::pin(ready(()))
    }
}

/// Takes the turns of one conversation: a stream of events.
pub trait TurnRunner: Stream<Item = AgentEvent> + Send + Unpin {
    /// Starts a turn. A turn that still runs is stopped first.
    fn begin(&mut self, start: TurnStart);

    /// Replies to the request with this id. A reply to a request that is no longer open
    /// does nothing.
    fn answer(&mut self, id: &str, reply: Reply);

    /// A person is asked about the request with this id; without this call the reply comes
    /// at once.
    fn waits(&mut self, id: &str) {
        let _nothing_to_learn = id;
    }

    /// Ends the running turn and its connection; without one it does nothing.
    fn stop(&mut self);
}

/// A turn that an agent wants to begin without a message
/// ([`TurnStart::AgentInitiated`]).
#[derive(Debug, Clone)]
pub struct AgentInitiatedTurn {
    /// The conversation.
    pub conversation: ConversationId,
    wanted: Weak<()>,
}

impl AgentInitiatedTurn {
    /// The turn is wanted as long as `wanted` can be upgraded.
    pub fn new(conversation: ConversationId, wanted: Weak<()>) -> Self {
        Self { conversation, wanted }
    }

    /// Whether the turn is still wanted: the agent may have used the turn of a message that
    /// came first.
    pub fn is_wanted(&self) -> bool {
        self.wanted.strong_count() > 0
    }
}

/// What an agent can look at besides text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Takes {
    /// Pictures. A message with one is refused otherwise.
    pub pictures: bool,
    /// PDFs as they are. Otherwise it reads their text.
    pub pdf: bool,
}

/// Kind and model of an agent.
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
    /// By the agent itself, without a message ([`AgentInitiatedTurn`]).
    AgentInitiated(TurnContext),
    /// From the checkpoint of an interrupted turn. The history holds everything that was
    /// committed with or before the checkpoint.
    Resume(TurnContext, Checkpoint),
}

/// What an agent has to know for a turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnContext {
    /// The person whose turn it is, if it is one with an account: tools are called with their
    /// logins, whoever answers a prompt of the turn.
    pub person: Option<PersonId>,
    /// The messages so far, trimmed to what fits.
    pub history: Vec<HistoryMessage>,
    /// The one system prompt.
    pub system_prompt: Option<String>,
    /// Whether anything may be changed.
    pub mode: Mode,
    /// The tools that the client has, beside those of the agent.
    pub client_tools: Vec<ToolSpec>,
    /// Whose words it was told before.
    pub flow: TurnFlow,
    /// Whether what an agent keeps of its turns so far, such as a process or a CLI session, is not
    /// what this turn goes on from: a person took back what was said since, or went on without what
    /// was read. Then the history alone counts.
    pub starts_over: bool,
}

/// What an agent with tools and rules of its own has to know of the flow of information (F): the
/// calls that these rules allow have to be asked about too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnFlow {
    /// Whether a person is asked about sinks, once words of others were told.
    pub asks: bool,
    /// Whether words of others were told before this turn.
    pub is_tainted: bool,
}

/// An event of a turn. Its texts are raw.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// The turn waits in a queue: too many others run.
    Queued,
    /// The next piece of text.
    Text(String),
    /// The next piece of reasoning.
    Thinking(String),
    /// The text block or the reasoning that streamed so far is finished.
    BlockEnd,
    /// The text that streamed so far broke off: it is no part of the history, and may be
    /// repeated.
    BrokeOff,
    /// The model's vendor withholds the text and the reasoning since the last message for
    /// the history: they are no part of the history.
    Withheld,
    /// One whole message for the raw history; after a stop or an error, what there is of
    /// it. It repeats what was streamed. An empty message does not come.
    AssistantMessage(HistoryMessage),
    /// An agent wants to call a tool, and waits for the reply.
    Proposes(Box<ProposedCall>),
    /// The agent makes a call that its own rules allow: nobody is asked.
    Calls(Box<ProposedCall>),
    /// How far a call is that runs: to be shown, not to be kept.
    Progress {
        /// The model's id of the call.
        call: String,
        /// What its server says.
        progress: ToolProgress,
    },
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
    Asks(Box<PromptRequest>),
    /// An agent calls a tool that the client has, and waits for the reply.
    CallsClient(Box<ClientCall>),
    /// What was asked under this id is not asked any longer.
    Withdrawn(String),
    /// The results of the calls of one message, for the raw history.
    ToolMessage(HistoryMessage),
    /// The model is asked next, which costs something. An agent that is a program asks its model
    /// by itself, and says nothing of it.
    CallsModel,
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
    Ended(TurnOutcome),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnOutcome {
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
