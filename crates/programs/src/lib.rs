//! Agents that are programs of their own, behind a bridge.
//!
//! - [`bridge`] is the mechanism: processes, turns, the queue, suspended turns. It knows no
//!   program.
//! - [`Program`] and [`Dialect`] are the border: how a program is started, and what its
//!   lines mean, without IO.
//! - One module for each program: [`claude_code`].
//!
//! Must never contain: HTTP, the clients of model APIs, MCP, storage; and in `bridge`, the
//! words of any program.

pub mod bridge;
pub mod claude_code;
mod cli_session;
mod dialect;
mod program;

pub use dialect::{Continuation, DeferredCall, Dialect, Output};
pub use program::{Program, ProgramLimits};
