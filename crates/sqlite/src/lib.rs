//! What every database file of Parlor has in common, whatever is in it.
//!
//! - [`Database`]: a file is opened in WAL mode with `synchronous = FULL`, so that
//!   what is acknowledged is on the disk; one that cannot be the right one is
//!   refused. There is one connection that writes and a few that read.
//! - [`Pen`]: who writes when, and what is committed together. A connection that
//!   cannot undo what it did is dropped, and the next write opens another: a full
//!   disk or an I/O error heals without a restart.
//! - [`Fault`]: what can go wrong, by what the caller does next.
//!
//! It knows no table.

mod batch;
mod database;
mod fault;
mod pen;
mod writer;

pub use batch::{Batch, Done};
pub use database::{Database, OpenError};
pub use fault::Fault;
pub use pen::{Pen, Write};
