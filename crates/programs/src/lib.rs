//! Agents that are programs of their own, behind a bridge.
//!
//! - [`bridge`] is the mechanism: processes, turns, the queue, suspended turns. It knows no
//!   program.
//! - A dialect says what the lines of one program mean, and does no IO: [`claude_code`].
//!
//! Must never contain: HTTP, the clients of model APIs, MCP, storage; and in `bridge`, the
//! words of any program.

pub mod bridge;
pub mod claude_code;
