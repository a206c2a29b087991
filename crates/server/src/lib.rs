//! The server: configuration, access, HTTP, and the commands of the `parlor` binary.
//!
//! Each module may use only modules of the rows below its own:
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | the commands |
//! | [`start`] | from a configuration to a running server |
//! | [`serve`] | the accept loop and the shutdown |
//! | [`router`] | all routes, in one list |
//! | [`http`] | the handlers, and everything else that knows HTTP |
//! | [`app`] | what every handler can reach |
//! | [`auth`], [`limits`] | who may come in, and how much they may use |
//! | [`client_address`] | the address by which a client is limited |
//! | [`compose`], [`membership`], [`dialects`], [`worker_threads`] | projects from the configuration; this server as one of several; events as clients read them; the threads that serve |
//! | `push` | notifications to browsers that are closed |
//! | `unanswerable` | approvals that nobody could answer |
//! | `audit` | the audit as a chain that cannot be changed unnoticed |
//! | [`oidc_logins`] | providers of OpenID Connect, and what browsers keep of a login with one |
//! | [`mcp_logins`] | logins to MCP servers, encrypted in the database |
//! | `secret_key` | the secret from which keys are made |
//! | `logo` | logos of projects |
//! | [`config`], [`clock`], `timestamp`, [`log`] | settings, time and logging |
//!
//! No turn logic and no SQL.

pub mod app;
mod attached;
mod audit;
pub mod auth;
pub mod cli;
pub mod client_address;
pub mod clock;
pub mod compose;
pub mod config;
pub mod dialects;
#[doc(hidden)]
pub mod fuzz;
pub mod http;
pub mod limits;
pub mod logging;
mod logo;
pub mod mcp_logins;
pub mod membership;
pub mod metrics;
pub mod oidc_logins;
mod pdf_process;
mod push;
pub mod router;
mod secret_key;
pub mod serve;
pub mod start;
mod timestamp;
mod unanswerable;
pub mod webhooks;
pub mod worker_threads;
