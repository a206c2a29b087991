//! The number and the hash of the rows of a table, the same for both engines.
//!
//! Each row is hashed by its values, column by column; the hash of a table is the sum of
//! those of its rows. A sum does not depend on the order, and engines sort texts differently.
//! It finds accidents; it is no proof against somebody who makes up rows.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::value::{Value, replace_nul};

/// How many 64-bit numbers a SHA-256 has.
const NUMBERS: usize = 4;

/// The number and the hash of the rows of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Digest {
    /// How many rows there are.
    pub rows: u64,
    sum: [u64; NUMBERS],
}

impl Digest {
    /// Adds a row.
    pub(super) fn add(&mut self, row: &[Value]) {
        let mut hash = Sha256::new();
        for value in row {
            add_value(&mut hash, value);
        }
        self.rows += 1;
        let hash = hash.finalize();
        let (numbers, _) = hash.as_chunks();
        for (sum, number) in self.sum.iter_mut().zip(numbers) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*number));
        }
    }
}

/// A tag for the type, the length if it varies, the value.
fn add_value(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Text(None) | Value::Integer(None) => hash.update([0]),
        Value::Text(Some(text)) => add_bytes(hash, 1, replace_nul(text).as_bytes()),
        Value::Integer(Some(number)) => {
            hash.update([2]);
            hash.update(number.to_le_bytes());
        }
        Value::Boolean(value) => hash.update([3, u8::from(*value)]),
        Value::Bytes(bytes) => add_bytes(hash, 4, bytes),
    }
}

fn add_bytes(hash: &mut Sha256, tag: u8, bytes: &[u8]) {
    hash.update([tag]);
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// The first bytes, in hex.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, ..] = self.sum;
        write!(f, "{first:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(rows: &[&[Value]]) -> Digest {
        let mut digest = Digest::default();
        rows.iter().for_each(|row| digest.add(row));
        digest
    }

    /// E-4: every value counts, and where one ends; the order of rows does not, nor NUL.
    #[test]
    fn values_count_and_the_order_of_rows_does_not() {
        let row = |a: &str, b: &str| [Value::from(a), Value::from(b)];
        let (one, two) = (row("a", "bc"), row("ab", "c"));
        assert_ne!(digest(&[&one]), digest(&[&two]));
        assert_eq!(digest(&[&one, &two]), digest(&[&two, &one]));
        assert_ne!(digest(&[&one, &two]), digest(&[&one, &one]));
        assert_ne!(digest(&[&one]), digest(&[&one, &one]));
        assert_eq!(digest(&[&row("a\0", "b")]), digest(&[&row("a\u{FFFD}", "b")]));
        let values = [
            Value::Text(None),
            Value::from(""),
            Value::from(0),
            Value::from(1),
            Value::from(false),
            Value::from(true),
            Value::Bytes(Vec::new()),
            Value::Bytes(vec![0]),
        ];
        for (number, value) in values.iter().enumerate() {
            for other in &values[..number] {
                let of = |value| digest(&[std::slice::from_ref(value)]);
                assert_ne!(of(value), of(other), "{value:?} {other:?}");
            }
        }
    }
}
