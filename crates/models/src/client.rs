//! A model that can be asked: one trait for every wire format.
//!
//! An [`ModelClient`] takes a history and gives a stream of [`ModelEvent`]s, which ends
//! with [`ModelEvent::Stop`] or with an error, whichever comes first. It makes one
//! request: whether to try again is the loop's decision, not the client's.
//! Dropping the stream closes the connection.

use std::pin::Pin;

use futures_core::Stream;
use parlor_agent::{
    AgentDescription, ContentBlock, HistoryMessage, ModelError, Takes, ToolSpec, Usage,
};
use serde::{Deserialize, Serialize};

/// A model that can be asked.
pub trait ModelClient: Send + Sync {
    /// Asks the model. The request is sent when the stream is polled.
    fn stream(&self, request: &ModelRequest<'_>) -> ModelStream;

    /// What it is, for logs.
    fn describe(&self) -> AgentDescription;

    /// What the model can look at besides text.
    fn takes(&self) -> Takes;
}

/// The answer of a model, while it arrives.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct ModelRequest<'a> {
    /// The one system prompt.
    pub system_prompt: Option<&'a str>,
    /// What was said so far.
    pub history: &'a [HistoryMessage],
    /// The tools that it may call.
    pub tools: &'a [&'a ToolSpec],
}

/// What a model says. Blocks come one after the other.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// The next piece of the text block that is open, or the first of one.
    Text(String),
    /// The next piece of reasoning, or the first.
    Thinking(String),
    /// The proof of the reasoning that is open.
    Signature(String),
    /// The text or the reasoning that is open is finished.
    BlockEnd,
    /// A block that comes whole: a tool call, or one that only the vendor understands.
    ContentBlock(ContentBlock),
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
