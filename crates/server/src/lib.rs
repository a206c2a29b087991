//! The server: configuration, access, HTTP, and the commands of the `parlor` binary.
//!
//! - [`config`]: what an administrator decided.
//! - [`auth`]: who may come in.
//! - [`router`] lists all routes, [`http`] holds their handlers, [`app`] what
//!   they can reach.
//! - [`dialects`]: events as clients read them.
//! - [`serve`]: the accept loop. [`start`]: from a configuration to a running
//!   server. [`compose`]: from a configuration to the chat.
//! - [`cli`]: the commands.
//!
//! No turn logic and no SQL.

pub mod app;
pub mod auth;
pub mod cli;
pub mod clock;
pub mod compose;
pub mod config;
pub(crate) mod connections;
pub mod dialects;
#[doc(hidden)]
pub mod fuzz;
pub mod http;
pub mod lanes;
pub mod log;
pub mod quotas;
pub mod router;
pub mod serve;
pub mod start;
