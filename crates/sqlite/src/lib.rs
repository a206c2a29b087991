//! What every SQLite file of Parlor has in common. It knows no table.
//!
//! - [`Database`]: opens a file in WAL mode with `synchronous = FULL`, so that what
//!   is acknowledged is on the disk; refuses a file that cannot be the right one;
//!   migrates it. One connection writes, a few read.
//! - [`GroupCommit`]: the order of writes, and which of them are committed together.
//!   A connection that cannot roll back is dropped, and the next write opens another:
//!   a full disk or an I/O error heals without a restart.
//! - [`Batch`]: the statements of one write, in one round trip to the connection.
//! - [`Fault`]: what can go wrong, by what the caller does next.

mod batch;
mod database;
mod fault;
mod group_commit;
mod migrations;
mod writer;

pub use batch::{Batch, BatchOutcome};
pub use database::{Database, OpenError};
pub use fault::Fault;
pub use group_commit::{GroupCommit, Transaction};
pub use migrations::migrator;
