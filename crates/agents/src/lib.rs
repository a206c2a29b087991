//! Whatever takes a turn.
//!
//! An [`Agent`] opens a session for a conversation; a session takes turns and
//! is a stream of what happens in them. The built-in loop over a model API is
//! one kind of agent, an agent CLI behind a bridge another; who holds a session
//! cannot tell them apart.
//!
//! The walk of one turn:
//! 1. `chat` gives the history to [`AgentSession::begin`].
//! 2. `turn_loop` decides what to do next: ask the model, wait, say, end. It is
//!    pure and serialisable; its driver does what it decided.
//! 3. `llm` turns the history into a request of one wire format, and the
//!    answer into [`llm::LlmEvent`]s, while it arrives.
//! 4. The driver yields them as [`AgentEvent`]s to whoever polls the session:
//!    no task and no channel in between.
//!
//! This crate knows nothing of storage, of HTTP servers and of the guard. What
//! it hands out is raw: it becomes visible to people only through `guard`.

pub mod agent;
pub mod ask;
pub mod bridge;
pub mod claude_code;
pub mod demo;
pub mod diff;
pub mod error;
pub mod history;
pub mod llm;
pub mod mcp;
pub mod picture;
pub mod process;
pub mod settings;
pub mod tools;
mod trust;
pub mod turn_loop;

pub use agent::{
    Agent, AgentDescription, AgentEvent, AgentSession, Checkpoint, Initiative, TurnContext,
    TurnEnd, TurnStart, Usage,
};
pub use ask::{Answer, Ask, AskedBy, ProposedCall, Reply};
pub use bridge::{ProcessSlots, ProgramHost};
pub use error::{AgentError, Remedy};
pub use history::{Block, HistoryMessage};
pub use settings::{AgentKind, AgentSettings, SettingsError, build_agent};
pub use tools::{Tool, ToolOutcome, Tools};
