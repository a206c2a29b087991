//! Two engines behind one front: a SQLite file, or a PostgreSQL server. It knows no table.
//!
//! - [`Location`]: which of them, by URL.
//! - [`Database`]: opens and migrates it; runs writes, transactions and reads.
//! - [`query`]: one statement. The text is the same for both engines, with `$1`, `$2`, …
//! - [`Batch`]: the statements of one write, in one round trip to the engine.
//! - [`Row`] and [`Value`]: what comes back, and what goes in.
//! - [`Listener`]: waits for what other processes on the same server notify.
//! - [`transfer`]: copies all rows into another database, of either engine.
//! - [`FullText`]: how rows are found by words.
//! - [`Fault`]: what can go wrong, by what the caller does next.
//!
//! What differs between the engines stands in `sqlite` and `postgres`, and nowhere else:
//!
//! | | SQLite | PostgreSQL |
//! |---|---|---|
//! | writes | one connection, group commit | a pool; the server commits groups by itself |
//! | a batch | one text with all values | a pipeline: every statement is sent before the first answer |
//! | a transaction | excludes all other writes | excludes writes to the rows that it changes or locks |
//! | a failed claim | rolled back by the group | an error inside the pipeline, so nothing is committed |
//! | a notification | goes nowhere: no other process has the file | `NOTIFY` and `LISTEN` |
//! | an index of words | a table of FTS5 | a column with an index of its own |
//! | a lost connection | does not happen | [`Fault::Unknown`] if a write was under way |

mod batch;
mod connection;
mod database;
mod executor;
mod fault;
mod full_text;
mod inspect;
mod location;
mod lock_kind;
mod migrations;
mod notifications;
mod pool_use;
mod postgres;
mod purpose;
mod query;
mod row;
mod sql;
mod sqlite;
pub mod transfer;
mod value;

pub use batch::{Batch, Guard};
pub use connection::{Connection, Snapshot, Transaction};
pub use database::{Connections, Database, Lock};
pub use executor::Executor;
pub use fault::{Fault, OpenError};
pub use full_text::{FullText, Words};
pub use inspect::SchemaColumn;
pub use location::{InvalidLocation, Location, ServerUrl};
pub use lock_kind::LockKind;
pub use migrations::Migrations;
pub use pool_use::PoolUse;
pub use postgres::Listener;
pub use query::{Query, query};
pub use row::{Column, Row};
pub use value::{Kind, Value};
