//! For whom a database is opened: a server, a copy into it, or an administrator.

use std::time::Duration;

use crate::migrations::Migrations;

/// The table that is in a database while a copy into it is not finished. It has one row
/// with one column: the source of the copy.
pub(crate) const UNFINISHED_COPY: &str = "unfinished_copy";

/// What is done on opening, and how long an answer is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose<'m> {
    /// It is created, migrated and served. Half of a copy is refused.
    Serve(&'m Migrations),
    /// It is created and migrated, and rows are copied into it.
    CopyInto(&'m Migrations),
    /// It must be there, and stays as it is.
    Inspect,
}

impl<'m> Purpose<'m> {
    /// What it is migrated with.
    pub(crate) fn migrations(self) -> Option<&'m Migrations> {
        match self {
            Self::Serve(migrations) | Self::CopyInto(migrations) => Some(migrations),
            Self::Inspect => None,
        }
    }

    /// How long an answer of a server is waited for. People wait for a server of Parlor;
    /// an administrator's command may count the rows of a large table.
    pub(crate) fn patience(self) -> Duration {
        match self {
            Self::Serve(_) => Duration::from_secs(10),
            Self::CopyInto(_) | Self::Inspect => Duration::from_secs(60 * 60),
        }
    }
}

/// Why half of a copy is refused.
pub(crate) fn unfinished(source: &str) -> String {
    format!(
        "a copy from {source} into it was not finished; run the same `parlor db copy` again, or \
         begin with an empty database"
    )
}
