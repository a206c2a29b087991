//! What the result codes of SQLite mean.

use crate::fault::Fault;

/// What a result code means here.
#[derive(Debug, PartialEq, Eq)]
enum Meaning {
    Busy,
    Unwritable,
    Full,
    Malformed,
    Conflict,
    Other,
}

fn meaning(code: u32) -> Meaning {
    /// The index of the WAL could not grow. SQLite calls this an I/O error, but the
    /// cause is a full disk.
    const IOERR_SHMSIZE: u32 = 10 | (19 << 8);
    const CONSTRAINT_PRIMARYKEY: u32 = 19 | (6 << 8);
    const CONSTRAINT_UNIQUE: u32 = 19 | (8 << 8);
    match code {
        IOERR_SHMSIZE => Meaning::Full,
        CONSTRAINT_PRIMARYKEY | CONSTRAINT_UNIQUE => Meaning::Conflict,
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
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    meaning_of(error) == Meaning::Busy
}

/// The fault of a write whose turn did not come in time.
pub(super) fn busy() -> Fault {
    Fault::Busy("it is locked by another program, or too many writes wait".to_owned())
}

fn meaning_of(error: &sqlx::Error) -> Meaning {
    let code = error.as_database_error().and_then(|e| e.code()).and_then(|c| c.parse().ok());
    code.map_or(Meaning::Other, meaning)
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        match meaning_of(&error) {
            Meaning::Busy => busy(),
            Meaning::Unwritable => Self::Unwritable(error.to_string()),
            Meaning::Full => Self::Full,
            Meaning::Malformed => Self::Malformed(error.to_string()),
            Meaning::Conflict => Self::Conflict(error.to_string()),
            Meaning::Other => match error {
                sqlx::Error::PoolTimedOut => busy(),
                sqlx::Error::PoolClosed => Self::closed(),
                sqlx::Error::RowNotFound => Self::NoRow,
                error => Self::other(error),
            },
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
            (1555, Meaning::Conflict),
            (2067, Meaning::Conflict),
            (19, Meaning::Other),
        ] {
            assert_eq!(meaning(code), expected, "{code}");
        }
    }
}
