//! The client side of MCP: the tools of a project, from its MCP servers (M-1 to M-3).
//!
//! [`McpHost`] runs the servers of a project and is its [`Tools`]. From the outside in:
//! - `settings` and `resolve`: the settings of a server, and what is needed to start it.
//! - `host`: all servers as one; `catalogue`: their tools under unique names.
//! - `server_task`: starts and restarts one server, in a task of its own; `backoff`: the delay
//!   before a restart.
//! - `connection`: from the handshake to the end; `listing`: the tools of a server, `subscription`:
//!   notifications of their changes; `client`: what a server may send.
//! - `call`: one call; `in_flight`: which call a server's question belongs to; `progress`: the
//!   progress of a call; `result`: its result, as content for a model.
//! - `stdio` and `http`: the two transports, `transport`: what both have in common; `address`:
//!   which addresses a URL may lead to.
//!
//! A server is untrusted. Everything that it sends is bounded: messages,
//! lists, descriptions, schemas, results, questions, lines in the log.
//!
//! Must never contain: a model, an agent, an HTTP server, storage. Beside `recipes` it is the
//! only crate that names `rmcp`.
//!
//! [`Tools`]: parlor_agent::Tools

mod address;
mod backoff;
mod binary;
mod call;
mod catalogue;
mod client;
mod connection;
mod host;
mod http;
mod in_flight;
mod input;
mod listing;
mod preview;
mod progress;
mod resolve;
mod result;
mod server_task;
mod settings;
mod stdio;
mod subscription;
mod task_support;
mod transport;

pub use host::McpHost;
pub use settings::{McpServerSettings, McpSettingsError, ProtocolEra, RuleSettings, ToolSettings};
