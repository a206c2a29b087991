//! SQLite: one file, one connection that writes, a few that read.
//!
//! - [`File`]: opens a file in WAL mode with `synchronous = FULL`, so that what is
//!   acknowledged is on the disk; refuses a file that cannot be the right one; migrates it.
//! - [`group_commit`]: the order of writes, and which of them are committed together.
//! - [`writer`]: the connection that writes. One that cannot roll back is dropped, and the
//!   next write opens another: a full disk or an I/O error heals without a restart.
//! - [`statements`]: runs queries and batches on a connection.
//! - [`schema`], [`backup`]: for the commands of an administrator.

mod backup;
mod fault;
mod file;
mod group_commit;
mod schema;
mod statements;
mod writer;

use sqlx::{Sqlite, SqliteConnection};

pub(crate) use file::File;
pub(crate) use group_commit::LentWriter;
pub(crate) use schema::{APPLIED, COLUMNS, HAS_TABLE, VERSION};
pub(crate) use statements::{execute, fetch, run};

/// A connection that only reads: any, or one that stays with its first state.
#[derive(Debug)]
pub(crate) enum SqliteReader {
    Any(sqlx::pool::PoolConnection<Sqlite>),
    Snapshot(sqlx::Transaction<'static, Sqlite>),
}

impl SqliteReader {
    pub(crate) fn connection(&mut self) -> &mut SqliteConnection {
        match self {
            Self::Any(connection) => connection,
            Self::Snapshot(transaction) => transaction,
        }
    }
}
