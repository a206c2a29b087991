//! The client side of MCP: the tools of a project, from its MCP servers (M-1 to M-3).
//!
//! [`McpHost`] runs the servers of a project and is its [`Tools`]. From the outside in:
//! - `settings` and `resolve`: the settings of a server, and what is needed to start it.
//! - `host`: all servers as one; `catalogue`: their tools under unique names.
//! - `server_task`: starts and restarts one server, in a task of its own; `server_handle`: the
//!   server as its callers use it; `stderr_lines`: what it
//!   wrote last; `backoff`: the delay
//!   before a restart.
//! - `connection`: from the handshake to the end; `listing`: the tools of a server, `subscription`:
//!   notifications of their changes; `client`: what a server may send.
//! - `call`: one call; `in_flight`: which call a server's question belongs to; `progress`: the
//!   progress of a call; `result`: its result, as content for a model.
//! - `apps` and `app_page`: pages that a server brings; `labels`: whose words its tools bring.
//! - `identity`: what a server says of itself; `probe`: a look at one server, for people.
//! - `login`, `host_logins` and `oauth`: how somebody logs in to a server that asks for it.
//! - `people`: connections of each person, to servers that each logs in to for themselves;
//!   `view`: the tools as somebody has them; `callee`: whose connection a call is made on.
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
mod app_page;
mod apps;
mod backoff;
mod binary;
mod call;
mod callee;
mod catalogue;
mod client;
mod connection;
mod host;
mod host_logins;
mod http;
mod identity;
mod in_flight;
mod input;
mod labels;
mod listing;
mod login;
mod oauth;
mod people;
mod preview;
mod probe;
mod progress;
mod resolve;
mod result;
mod server_handle;
mod server_task;
mod settings;
mod stderr_lines;
mod stdio;
mod subscription;
mod task_support;
mod transport;
mod view;

pub use host::{McpHost, ServerOutput};
pub use http::ASKS_FOR_LOGIN;
pub use identity::ServerIdentity;
pub use login::{BegunLogin, Login, LoginError, LoginPage, LoginStanding, LoginStore};
pub use people::PersonLimits;
pub use probe::{ProbeCalls, ProbeReport, ProbedCall, ProbedOutcome, ProbedTool, probe};
pub use settings::{
    LoginOf, McpServerSettings, McpSettingsError, OAuthSettings, ProtocolEra, RuleSettings,
    ToolSettings,
};
