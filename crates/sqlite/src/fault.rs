//! What can go wrong with a database, by what the caller does next.

use std::sync::Arc;

/// Why a read or a write failed. It can be cloned, because writes that are committed
/// together fail together.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Fault {
    /// Try again later: another program has locked the database.
    #[error("the database is locked by another program")]
    Busy,
    /// Tell the administrator: nothing can be written.
    #[error("the database cannot be written: {0}")]
    Unwritable(String),
    /// Tell the administrator: the disk is full.
    #[error("the disk is full")]
    Full,
    /// Tell the administrator: the file is damaged.
    #[error("the database file is damaged: {0}; restore a backup")]
    Malformed(String),
    /// Stop writing: the first statement of a claiming batch changed nothing.
    #[error("another process has taken over what was to be written")]
    NotClaimed,
    /// Log it.
    #[error("the database failed: {0}")]
    Other(#[source] Arc<sqlx::Error>),
}

impl Fault {
    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy | Self::Full | Self::Unwritable(_))
    }

    /// The database is closed for good.
    pub(crate) fn closed() -> Self {
        sqlx::Error::PoolClosed.into()
    }
}

/// What a result code of SQLite means here.
#[derive(Debug, PartialEq, Eq)]
enum Meaning {
    Busy,
    Unwritable,
    Full,
    Malformed,
    Other,
}

fn meaning(code: u32) -> Meaning {
    /// The index of the WAL could not grow. SQLite calls this an I/O error, but the
    /// cause is a full disk.
    const IOERR_SHMSIZE: u32 = 10 | (19 << 8);
    match code {
        IOERR_SHMSIZE => Meaning::Full,
        // The primary result code is the low byte of the extended one.
        code => match code & 0xFF {
            5 | 6 => Meaning::Busy,
            // No permission, read-only, I/O error, cannot open, not authorised: an
            // administrator can repair all of them.
            3 | 8 | 10 | 14 | 23 => Meaning::Unwritable,
            13 => Meaning::Full,
            11 | 26 => Meaning::Malformed,
            _ => Meaning::Other,
        },
    }
}

/// Whether another program has locked the database.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    meaning_of(error) == Meaning::Busy
}

fn meaning_of(error: &sqlx::Error) -> Meaning {
    let code = error.as_database_error().and_then(|e| e.code()).and_then(|c| c.parse().ok());
    code.map_or(Meaning::Other, meaning)
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        match meaning_of(&error) {
            Meaning::Busy => Self::Busy,
            Meaning::Unwritable => Self::Unwritable(error.to_string()),
            Meaning::Full => Self::Full,
            Meaning::Malformed => Self::Malformed(error.to_string()),
            Meaning::Other if matches!(error, sqlx::Error::PoolTimedOut) => Self::Busy,
            Meaning::Other => Self::Other(Arc::new(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FAULTS 6: each result code has its fault. A start on a full disk fails at the
    /// index of the WAL (4874).
    #[test]
    fn codes_mean_what_to_do_next() {
        for (code, expected) in [
            (5, Meaning::Busy),
            (517, Meaning::Busy),
            (13, Meaning::Full),
            (4874, Meaning::Full),
            (10, Meaning::Unwritable),
            (778, Meaning::Unwritable),
            (8, Meaning::Unwritable),
            (14, Meaning::Unwritable),
            (11, Meaning::Malformed),
            (26, Meaning::Malformed),
            (267, Meaning::Malformed),
            (19, Meaning::Other),
        ] {
            assert_eq!(meaning(code), expected, "{code}");
        }
    }
}
