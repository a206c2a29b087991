//! The statements of one write, run in one round trip.
//!
//! A statement takes microseconds; handing it to the engine and waiting for the answer
//! takes ten times as long. So a write collects its statements and hands them over once:
//! SQLite gets one text, PostgreSQL a pipeline. Each statement numbers its own values
//! from `$1`.

use std::borrow::Cow;

use crate::fault::Fault;
use crate::value::Value;

/// Statements and their values, in order.
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) statements: Vec<Statement>,
    pub(crate) claims: bool,
}

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) values: Vec<Value>,
    /// How many rows an `INSERT INTO` has whose `VALUES` are not in the text.
    pub(crate) rows: Option<usize>,
    /// What follows its rows: nothing, or what to do about those that exist.
    pub(crate) end: String,
    /// What its rows must match to be inserted, on an engine that several servers share.
    pub(crate) guard: Option<Guard>,
}

/// A row that must exist for a row to be inserted: its key is the first value of that row,
/// and one of its columns the value after the last.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// The table.
    pub table: &'static str,
    /// Its key.
    pub key: &'static str,
    /// The column that must have the extra value.
    pub column: &'static str,
}

/// How far a batch came.
#[derive(Debug)]
pub(crate) struct BatchOutcome {
    /// Whether the statements before the batch succeeded.
    pub(crate) begun: bool,
    /// How many rows each statement changed, up to the first that failed.
    pub(crate) changed: Vec<u64>,
    /// The error of the statement that failed.
    pub(crate) result: Result<(), Fault>,
    pub(crate) claims: bool,
}

impl BatchOutcome {
    /// The result. A failed claim is reported before any other error.
    pub(crate) fn into_result(self) -> Result<(), Fault> {
        if self.claims && self.changed.first() == Some(&0) {
            return Err(Fault::NotClaimed);
        }
        self.result
    }
}

impl Batch {
    /// A batch whose first statement claims what the others write: if it changes no
    /// row, the batch fails with [`Fault::NotClaimed`].
    pub fn claiming() -> Self {
        Self { claims: true, ..Self::default() }
    }

    /// Adds a statement; bind its values next.
    pub fn add(&mut self, sql: impl Into<Cow<'static, str>>) -> &mut Self {
        self.statements.push(Statement {
            sql: sql.into(),
            values: Vec::new(),
            rows: None,
            end: String::new(),
            guard: None,
        });
        self
    }

    /// Adds an `INSERT INTO` of any number of rows; `values` binds those of one. Every
    /// row binds values of the same types.
    pub fn insert<T>(
        &mut self,
        into: impl Into<Cow<'static, str>>,
        rows: impl IntoIterator<Item = T>,
        mut values: impl FnMut(&mut Self, T),
    ) {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return;
        }
        self.add(into);
        let mut count = 0;
        for row in rows {
            values(self, row);
            count += 1;
        }
        if let Some(statement) = self.statements.last_mut() {
            statement.rows = Some(count);
        }
    }

    /// The same, for rows that may have been written before: `end` says what to do about
    /// those that exist. Each row binds one value more, for the guard; a row that the guard
    /// does not match is left out. Where there is one server only, the guard always matches.
    pub fn insert_guarded<T>(
        &mut self,
        into: impl Into<Cow<'static, str>>,
        end: &'static str,
        guard: Guard,
        rows: impl IntoIterator<Item = T>,
        values: impl FnMut(&mut Self, T),
    ) {
        let before = self.statements.len();
        self.insert(into, rows, values);
        for statement in self.statements.iter_mut().skip(before) {
            statement.end = end.to_owned();
            statement.guard = Some(guard);
        }
    }

    /// The same, for rows that may be there: `end` says what to do about those that are.
    pub fn upsert<T>(
        &mut self,
        into: &'static str,
        end: &'static str,
        rows: impl IntoIterator<Item = T>,
        values: impl FnMut(&mut Self, T),
    ) {
        let before = self.statements.len();
        self.insert(into, rows, values);
        for statement in self.statements.iter_mut().skip(before) {
            statement.end = end.to_owned();
        }
    }

    /// The same, but for rows whose key is there already.
    pub(crate) fn insert_missing<T>(
        &mut self,
        into: String,
        key: &str,
        rows: impl IntoIterator<Item = T>,
        values: impl FnMut(&mut Self, T),
    ) {
        let before = self.statements.len();
        self.insert(into, rows, values);
        for statement in self.statements.iter_mut().skip(before) {
            statement.end = format!(" ON CONFLICT ({key}) DO NOTHING");
        }
    }

    /// Binds the next value of the statement that was added last.
    pub fn bind(&mut self, value: impl Into<Value>) -> &mut Self {
        if let Some(statement) = self.statements.last_mut() {
            statement.values.push(value.into());
        }
        self
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }
}
