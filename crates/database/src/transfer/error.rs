//! Why a copy fails, and what to do then.

use crate::fault::{Fault, OpenError};
use crate::transfer::digest::Digest;

/// Why rows could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Migrate it, or use another version.
    #[error(
        "{database} has schema {found}, and this version of Parlor copies schema {known} only; \
         run `parlor db migrate` on it, or the version of Parlor that belongs to it"
    )]
    OtherSchema {
        /// The path of the file, or the address of the server.
        database: String,
        /// Its schema; 0 if it has none.
        found: i64,
        /// The schema of this version.
        known: i64,
    },
    /// Restore a backup: somebody changed the schema.
    #[error("the tables of the {side} are not those of its schema: {columns} is missing")]
    OtherTables {
        /// Source or target.
        side: &'static str,
        /// What is missing.
        columns: String,
    },
    /// Name another target.
    #[error(
        "the target is in use: its table {table} has rows; copy into an empty database, or into \
         the one of an unfinished copy"
    )]
    InUse {
        /// The first table that has rows.
        table: &'static str,
    },
    /// Finish the other copy, or name another target.
    #[error(
        "the target holds half of a copy from {source_of_copy}; finish that one, or copy into an \
         empty database"
    )]
    OtherCopy {
        /// Where its rows come from.
        source_of_copy: String,
    },
    /// Begin again with an empty target.
    #[error(
        "table {table} is not the same on both sides: {} rows ({from}) in the source, {} rows \
         ({to}) in the target; if the source was used since the copy began, copy into an empty \
         database again",
        from.rows, to.rows
    )]
    Differs {
        /// The table.
        table: &'static str,
        /// What the source has.
        from: Digest,
        /// What the target has.
        to: Digest,
    },
    /// Do what the fault says; the same copy goes on where it stopped.
    #[error("table {table} cannot be copied: {fault}")]
    Table {
        /// The table.
        table: &'static str,
        /// What went wrong.
        fault: Fault,
    },
    /// Do what the fault says.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Do what it says.
    #[error(transparent)]
    Open(#[from] OpenError),
}
