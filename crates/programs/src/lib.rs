//! Agents that are programs of their own, behind a bridge.
//!
//! - [`bridge`] is the mechanism: processes, turns, the queue, suspended turns. It knows no
//!   program.
//! - [`Program`] and [`Dialect`] are the border: how a program is started, and what its
//!   lines mean, without IO.
//! - One module for each way to speak: [`claude_code`] for that program, [`acp`] for every
//!   program that speaks the Agent Client Protocol.
//! - What programs have in common: `contained` (how they are started), `program_call`,
//!   `program_flow` (labels), `earlier_messages`, `refusal`, `result_text`, `api_error`, `fields`.
//!
//! Must never contain: HTTP, the clients of model APIs, MCP, storage; and in `bridge`, the
//! words of any program.

pub mod acp;
mod api_error;
pub mod bridge;
pub mod claude_code;
mod cli_session;
mod contained;
mod dialect;
mod earlier_messages;
mod fields;
mod program;
mod program_call;
mod program_flow;
mod refusal;
mod result_text;

pub use dialect::{Continuation, DeferredCall, Dialect, Output};
pub use program::{Program, ProgramLimits};
