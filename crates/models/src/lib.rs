//! Models: the clients of model APIs, the demo model, and the built-in loop that makes an
//! agent of a model.
//!
//! The path of a turn:
//! 1. [`build_agent`] chose a [`ModelClient`] by the settings.
//! 2. `turn_loop` decides what to do next: ask the model, wait, propose a call, end. The
//!    decision is pure and serialisable; its driver carries it out.
//! 3. `anthropic` or `openai` turns the history into a request of its wire format, and the
//!    answer into [`ModelEvent`]s, while it arrives; `http` is what both have in common.
//! 4. The driver yields them as `AgentEvent`s to whoever polls the runner: no task and no
//!    channel in between.
//!
//! Must never contain: storage, an HTTP server, a child process, MCP, the guard.

mod anthropic;
mod build;
mod client;
mod demo;
mod exact;
#[doc(hidden)]
pub mod fuzz;
mod http;
mod openai;
mod reach;
mod settings;
mod tool_input;
mod turn_loop;

pub use anthropic::Anthropic;
pub use build::build_agent;
pub use client::{ModelClient, ModelEvent, ModelRequest, ModelStream, StopReason};
pub use demo::Demo;
pub use openai::Openai;
pub use reach::{Reached, reach};
pub use settings::{ModelKind, ModelSettings, SettingsError, Thinking};
pub use turn_loop::{LoopAgent, LoopLimits, Toolbox};
