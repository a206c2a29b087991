//! The values of statements.
//!
//! Both engines take the same few types. NULL has a type too: PostgreSQL wants to know
//! it before it sees a value.

use std::borrow::Cow;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `TEXT`.
    Text,
    /// `BIGINT`.
    Integer,
    /// `BOOLEAN`.
    Boolean,
    /// `BLOB` in SQLite, `BYTEA` in PostgreSQL.
    Bytes,
}

/// A value that a statement binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `TEXT`.
    Text(Option<String>),
    /// `BIGINT`.
    Integer(Option<i64>),
    /// `BOOLEAN`.
    Boolean(bool),
    /// `BLOB` in SQLite, `BYTEA` in PostgreSQL.
    Bytes(Vec<u8>),
}

/// A text as PostgreSQL stores it: it cannot store the character NUL, and no person and no
/// model means it.
pub(crate) fn replace_nul(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{FFFD}")),
        false => Cow::Borrowed(text),
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(Some(text.clone()))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}

impl From<&Option<String>> for Value {
    fn from(text: &Option<String>) -> Self {
        Self::Text(text.clone())
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        Self::Text(text.map(str::to_owned))
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

impl From<&i64> for Value {
    fn from(number: &i64) -> Self {
        Self::Integer(Some(*number))
    }
}

impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Self {
        Self::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<&Vec<u8>> for Value {
    fn from(bytes: &Vec<u8>) -> Self {
        Self::Bytes(bytes.clone())
    }
}
