//! Pages of lists that are ordered by time: no row is left out and none comes
//! twice, also where several have the same millisecond.

use std::fmt;
use std::str::FromStr;

use parlor_protocol::Timestamp;
use serde::{Serialize, Serializer};

/// The place of a row in a list, the latest first: its time, then its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagePlace {
    at: Timestamp,
    id: String,
}

/// A text that is no place in a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a place in the list; take the last page's next_before")]
pub struct NotAPlace(String);

impl PagePlace {
    /// What is bound to a query for the rows after a place; without one, for
    /// the latest.
    pub(crate) fn bounds(before: Option<&Self>) -> (i64, &str) {
        before.map_or((i64::MAX, ""), |place| (place.at.0, &place.id))
    }
}

/// Cuts a page out of the rows that came when one more than `limit` was asked
/// for: the rows, and where the next page begins if there is one.
pub(crate) fn cut<T>(
    mut rows: Vec<T>,
    limit: u32,
    place: impl Fn(&T) -> (Timestamp, String),
) -> (Vec<T>, Option<PagePlace>) {
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let last = rows.last().filter(|_| more).map(place);
    (rows, last.map(|(at, id)| PagePlace { at, id }))
}

impl fmt::Display for PagePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.at.0, self.id)
    }
}

impl FromStr for PagePlace {
    type Err = NotAPlace;

    fn from_str(text: &str) -> Result<Self, NotAPlace> {
        let (at, id) = text.split_once('.').unwrap_or((text, ""));
        let at = at.parse().map_err(|_| NotAPlace(text.chars().take(80).collect()))?;
        Ok(Self { at: Timestamp(at), id: id.to_owned() })
    }
}

impl Serialize for PagePlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
