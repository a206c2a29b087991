//! Models behind an API: one trait, one file per wire format.
//!
//! An [`Llm`] takes a history and gives a stream of [`LlmEvent`]s, which ends
//! with [`LlmEvent::Stop`] or with an error, whichever comes first. It makes one
//! request: whether to try again is the loop's decision, not the client's.
//! Dropping the stream closes the connection.

pub mod anthropic;
mod anthropic_error;
mod anthropic_request;
mod anthropic_wire;
mod clients;
mod complaint;
mod endpoint;
mod error;
mod exact;
#[doc(hidden)]
pub mod fuzz;
mod http_answer;
pub mod openai;
mod openai_calls;
mod openai_error;
mod openai_note;
mod openai_request;
mod openai_wire;
mod sse;
mod think_tags;
mod tool_input;

use std::pin::Pin;

use futures_core::Stream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::error::LlmError;
pub(crate) use self::http_answer::describe;
use crate::agent::{AgentDescription, Usage};
use crate::history::{Block, HistoryMessage};

/// A model that can be asked.
pub trait Llm: Send + Sync {
    /// Asks the model. The request is sent when the stream is polled.
    fn stream(&self, request: &LlmRequest<'_>) -> LlmStream;

    /// What it is, for logs.
    fn describe(&self) -> AgentDescription;
}

/// The answer of a model, while it arrives.
pub type LlmStream = Pin<Box<dyn Stream<Item = Result<LlmEvent, LlmError>> + Send>>;

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct LlmRequest<'a> {
    /// The one system prompt.
    pub system_prompt: Option<&'a str>,
    /// What was said so far.
    pub history: &'a [HistoryMessage],
    /// The tools that it may call.
    pub tools: &'a [&'a ToolSpec],
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// What a model says. Blocks come one after the other.
#[derive(Debug, Clone, PartialEq)]
pub enum LlmEvent {
    /// The next piece of the text block that is open, or the first of one.
    Text(String),
    /// The next piece of reasoning, or the first.
    Thinking(String),
    /// The proof of the reasoning that is open.
    Signature(String),
    /// The text or the reasoning that is open is finished.
    BlockEnd,
    /// A block that comes whole: a tool call, or one that only the vendor understands.
    Block(Block),
    /// What the request cost so far; the last one counts.
    Usage(Usage),
    /// The model is finished. Nothing comes after it.
    Stop(StopReason),
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It said what it had to say.
    EndTurn,
    /// The answer reached its longest length, or filled the context.
    CutOff,
    /// It waits for its tool calls.
    ToolUse,
    /// It paused in the middle, and goes on when it is asked again.
    Pause,
    /// It will not answer.
    Declined,
}
