//! The contract of an agent: what takes a turn, and the plain types that go in and out.
//!
//! The path of a turn:
//! 1. [`Agent::open`] gives the conversation its runner.
//! 2. [`TurnRunner::begin`] starts a turn with the history; the runner is then polled
//!    as a stream of [`AgentEvent`]s.
//! 3. What the agent must not do by itself it asks for ([`requests`]), and waits for the reply.
//! 4. Tools are behind [`Tools`], wherever they come from.
//!    [`flow`]: whose words they bring, and what a call can do.
//! 5. The turn ends with one [`AgentEvent::Ended`].
//!
//! Everything here is raw: it becomes visible to people only through `guard`.
//!
//! Must never contain: HTTP, a process, the MCP library, a wire format, storage.

mod action;
mod agent;
mod attached;
pub mod diff;
mod error;
pub mod flow;
mod history;
mod model_error;
mod remedy;
pub mod requests;
pub mod tools;

pub use agent::{
    Agent, AgentDescription, AgentEvent, AgentInitiatedTurn, Checkpoint, Takes, TurnContext,
    TurnFlow, TurnOutcome, TurnRunner, TurnStart, Usage,
};
pub use attached::{AttachedFile, Document, PDF};
pub use error::AgentError;
pub use history::{CLI_SESSION, ContentBlock, HistoryMessage, tokens_of_file};
pub use model_error::ModelError;
pub use remedy::Remedy;
pub use requests::{Answer, AskedBy, ClientCall, PromptRequest, ProposedCall, Reply};
pub use tools::{Tool, ToolOutcome, ToolSpec, Tools};
