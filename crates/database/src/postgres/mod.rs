//! PostgreSQL: a server, and a pool of connections to it.
//!
//! - [`settings`]: the URL, and how far TLS is checked.
//! - [`Server`]: opens the pool and migrates the schema; writes, transactions, reads.
//! - [`listener`]: a connection that waits for notifications of other sessions.
//! - [`connection`]: one connection of the pool, inside or outside a transaction.
//! - [`pipeline`]: sends all statements of a write before it waits for the first answer.
//! - [`parameters`]: values as PostgreSQL takes them.
//! - [`fault`]: what its error codes mean.

mod connection;
mod fault;
mod listener;
mod migrate;
mod parameters;
mod pipeline;
mod schema;
mod server;
mod settings;
mod tls;

pub(crate) use connection::PostgresConnection;
pub use listener::Listener;
pub(crate) use schema::{APPLIED, COLUMNS, HAS_TABLE, VERSION};
pub(crate) use server::{HeldLock, Server};
