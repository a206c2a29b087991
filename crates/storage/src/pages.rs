//! Pages of lists that are ordered by time: no row is left out and none comes
//! twice, even if several have the same millisecond.

use std::fmt;
use std::str::FromStr;

use parlor_protocol::Timestamp;
use serde::{Serialize, Serializer};

/// The position of a row in a list, newest first: its time, then its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageCursor {
    at: Timestamp,
    id: String,
}

/// A text that is not a cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a cursor; use next_before of the previous page")]
pub struct InvalidCursor(String);

impl PageCursor {
    /// The position of a row.
    pub(crate) fn at(at: Timestamp, id: String) -> Self {
        Self { at, id }
    }

    /// The time and id to bind to a query for the rows after a cursor; without one,
    /// for the newest.
    pub(crate) fn bounds(before: Option<&Self>) -> (i64, &str) {
        before.map_or((i64::MAX, ""), |cursor| (cursor.at.0, &cursor.id))
    }
}

/// Cuts rows to a page. If there is one more than `limit`, another page follows, and
/// the cursor says where.
pub(crate) fn cut<T>(
    mut rows: Vec<T>,
    limit: u32,
    position: impl Fn(&T) -> (Timestamp, String),
) -> (Vec<T>, Option<PageCursor>) {
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let last = rows.last().filter(|_| more).map(position);
    (rows, last.map(|(at, id)| PageCursor { at, id }))
}

impl fmt::Display for PageCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at.0, self.id)
    }
}

impl FromStr for PageCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (at, id) = text.split_once('.').unwrap_or((text, ""));
        let at = at.parse().map_err(|_| InvalidCursor(text.chars().take(80).collect()))?;
        Ok(Self { at: Timestamp(at), id: id.to_owned() })
    }
}

impl Serialize for PageCursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
