//! Columns: read into types, with an error that names the column, written, and searched.

use std::str::FromStr;

use parlor_database::Row;
use serde::de::DeserializeOwned;

use crate::error::StorageError;

/// A column that holds an id or a name.
pub(crate) fn parsed<T: FromStr>(row: &Row, column: &str) -> Result<T, StorageError> {
    let text: String = row.try_get(column)?;
    text.parse().map_err(|_| StorageError::Corrupt(format!("column {column} holds {text:?}")))
}

/// A column that holds an id or nothing.
pub(crate) fn optional<T: FromStr>(row: &Row, column: &str) -> Result<Option<T>, StorageError> {
    let text: Option<String> = row.try_get(column)?;
    text.map(|text| {
        text.parse().map_err(|_| StorageError::Corrupt(format!("column {column} holds {text:?}")))
    })
    .transpose()
}

/// A column that holds JSON.
pub(crate) fn json<T: DeserializeOwned>(row: &Row, column: &str) -> Result<T, StorageError> {
    let text: String = row.try_get(column)?;
    from_json(&text, column)
}

/// A column that holds JSON or nothing.
pub(crate) fn optional_json<T: DeserializeOwned>(
    row: &Row,
    column: &str,
) -> Result<Option<T>, StorageError> {
    let text: Option<String> = row.try_get(column)?;
    text.map(|text| from_json(&text, column)).transpose()
}

/// A counter, which is never negative.
pub(crate) fn counter(row: &Row, column: &str) -> Result<u64, StorageError> {
    let number: i64 = row.try_get(column)?;
    u64::try_from(number)
        .map_err(|_| StorageError::Corrupt(format!("column {column} holds {number}")))
}

/// A counter or nothing.
pub(crate) fn optional_counter(row: &Row, column: &str) -> Result<Option<u64>, StorageError> {
    match row.try_get::<Option<i64>>(column)? {
        Some(_) => counter(row, column).map(Some),
        None => Ok(None),
    }
}

/// A counter to write. Sequence numbers stay far below the limit.
pub(crate) fn to_column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A value to write as JSON.
pub(crate) fn to_json(value: &impl serde::Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value).map_err(|error| StorageError::Corrupt(error.to_string()))
}

/// Finds a person's text literally.
pub(crate) fn like_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

fn from_json<T: DeserializeOwned>(text: &str, column: &str) -> Result<T, StorageError> {
    serde_json::from_str(text)
        .map_err(|error| StorageError::Corrupt(format!("column {column}: {error}")))
}
