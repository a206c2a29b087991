//! What the errors of PostgreSQL mean.

use std::error::Error as _;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::fault::Fault;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let text = describe(&error);
        let Some(code) = error.code() else {
            let unusable =
                error.is_closed() || error.source().is_some_and(|e| e.is::<std::io::Error>());
            return if unusable { Self::Unreachable(text) } else { Self::other(text) };
        };
        // The first two characters are the class of the error.
        match code.code().get(..2).unwrap_or_default() {
            "23" if *code == SqlState::UNIQUE_VIOLATION => Self::Conflict(text),
            // A write that waited for a row and lost; the server is full of connections.
            "40" | "55" => Self::Busy(text),
            "53" if *code == SqlState::DISK_FULL => Self::Full,
            "53" => Self::Busy(text),
            "57" => Self::Unreachable(text),
            // Fail-over: this server has become a replica.
            "25" if *code == SqlState::READ_ONLY_SQL_TRANSACTION => Self::Unwritable(text),
            "42" if *code == SqlState::INSUFFICIENT_PRIVILEGE => Self::Unwritable(text),
            "XX" => Self::Malformed(text),
            "08" => Self::Unreachable(text),
            _ => Self::other(text),
        }
    }
}

/// The fault of an answer that did not come in time.
pub(super) fn timed_out() -> Fault {
    Fault::Unreachable("it did not answer in time".to_owned())
}

/// The fault of a write whose end is not known: it was sent, and no answer came.
pub(super) fn unknown(fault: Fault) -> Fault {
    match fault {
        Fault::Unreachable(why) => Fault::Unknown(why),
        fault => fault,
    }
}

/// What the server says, or why there is no connection. It holds no password.
pub(super) fn describe(error: &Error) -> String {
    if let Some(error) = error.as_db_error() {
        return format!("{} ({})", error.message(), error.code().code());
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let part = error.to_string();
        if !text.contains(&part) {
            text.push_str(": ");
            text.push_str(&part);
        }
        cause = error.source();
    }
    text
}
