//! The statements of one write, run in one round trip.
//!
//! A statement takes microseconds; handing it to the connection's thread and
//! waiting for the answer takes ten times as long. So a write collects its
//! statements and hands them over once. Each statement numbers its own values
//! from `$1`, so an engine that takes one statement at a time can run them
//! one by one.

use std::fmt::Write as _;

use futures_util::TryStreamExt;
use sqlx::encode::Encode;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe, Either, Executor, Sqlite, SqliteConnection, Type};

use crate::fault::Fault;

/// Statements and their values, in order.
#[derive(Debug, Default)]
pub struct Batch {
    sql: String,
    values: SqliteArguments,
    /// Whether a statement refers to its values by number (`$1`).
    numbered: bool,
    failure: Option<sqlx::Error>,
    claims: bool,
}

/// How far a batch came.
#[derive(Debug)]
pub struct BatchOutcome {
    /// Whether the statements before the batch succeeded.
    pub begun: bool,
    /// How many rows each statement changed, up to the first that failed.
    pub changed: Vec<u64>,
    /// The error of the statement that failed.
    pub result: Result<(), sqlx::Error>,
    claims: bool,
}

impl BatchOutcome {
    /// The result. A failed claim is reported before any other error.
    pub fn into_result(self) -> Result<(), Fault> {
        if self.claims && self.changed.first() == Some(&0) {
            return Err(Fault::NotClaimed);
        }
        Ok(self.result?)
    }
}

impl Batch {
    /// A batch whose first statement claims what the others write: if it changes no
    /// row, the batch fails with [`Fault::NotClaimed`].
    pub fn claiming() -> Self {
        Self { claims: true, ..Self::default() }
    }

    /// Adds a statement; bind its values next.
    pub fn add(&mut self, sql: &str) -> &mut Self {
        self.separate();
        let before = self.values.len();
        let mut rest = sql;
        while let Some((text, after)) = rest.split_once('$') {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let (number, after) = after.split_at(digits);
            let number = before + number.parse::<usize>().unwrap_or_default();
            self.push(format_args!("{text}${number}"));
            self.numbered = true;
            rest = after;
        }
        self.sql.push_str(rest);
        self
    }

    /// Adds an `INSERT INTO` of any number of rows; `values` binds those of one.
    pub fn insert<T>(
        &mut self,
        into: &str,
        rows: impl IntoIterator<Item = T>,
        mut values: impl FnMut(&mut Self, T),
    ) {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return;
        }
        self.separate();
        self.push(format_args!("INSERT INTO {into} VALUES "));
        while let Some(row) = rows.next() {
            let before = self.values.len();
            values(self, row);
            let mut separator = '(';
            for number in before..self.values.len() {
                // SQLite looks each number up in a list of all of them: with a hundred
                // rows that takes longer than writing them. Plain `?` are counted, but
                // from the first value of the batch on.
                if self.numbered {
                    self.push(format_args!("{separator}${}", number + 1));
                } else {
                    self.push(format_args!("{separator}?"));
                }
                separator = ',';
            }
            self.sql.push_str(if rows.peek().is_some() { ")," } else { ")" });
        }
    }

    /// Binds the next value of the statement that was added last.
    pub fn bind<'v>(&mut self, value: impl Encode<'v, Sqlite> + Type<Sqlite>) -> &mut Self {
        if let Err(error) = self.values.add(value) {
            self.failure = Some(sqlx::Error::Encode(error));
        }
        self
    }

    /// Fails if a value could not be encoded.
    pub fn check(self) -> Result<Self, Fault> {
        match self.failure {
            Some(error) => Err(error.into()),
            None => Ok(self),
        }
    }

    /// Runs all statements, up to the first that fails.
    pub async fn run(self, connection: &mut SqliteConnection) -> BatchOutcome {
        self.run_after("", connection).await
    }

    /// The same, after other statements without values.
    pub(crate) async fn run_after(
        self,
        first: &str,
        connection: &mut SqliteConnection,
    ) -> BatchOutcome {
        let before = first.split_terminator(';').count();
        let Self { sql, values, failure, claims, .. } = self;
        if let Some(error) = failure {
            return BatchOutcome { begun: false, changed: Vec::new(), result: Err(error), claims };
        }
        let sql = if first.is_empty() { sql } else { format!("{first}; {sql}") };
        if sql.is_empty() {
            return BatchOutcome { begun: true, changed: Vec::new(), result: Ok(()), claims };
        }
        let query = sqlx::query_with(AssertSqlSafe(sql), values);
        let mut answers = connection.fetch_many(query);
        let mut changed = Vec::new();
        let result = loop {
            match answers.try_next().await {
                Ok(Some(Either::Left(done))) => changed.push(done.rows_affected()),
                Ok(Some(Either::Right(_))) => {}
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        let begun = changed.len() >= before;
        changed.drain(..before.min(changed.len()));
        BatchOutcome { begun, changed, result, claims }
    }

    fn separate(&mut self) {
        if !self.sql.is_empty() {
            self.sql.push_str("; ");
        }
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _written = self.sql.write_fmt(text);
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection, Row};

    use super::*;

    /// Each statement numbers its own values; the batch stops at the first that fails.
    #[tokio::test]
    async fn statements_run_in_order_with_their_own_values() {
        let mut memory = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        let mut batch = Batch::default();
        batch.add("CREATE TABLE t (a BIGINT PRIMARY KEY, b TEXT)");
        for rows in [[(1_i64, "x"), (2, "y")], [(11, "X"), (12, "Y")]] {
            batch.insert("t (a, b)", rows, |row, (a, b)| {
                row.bind(a).bind(b);
            });
        }
        batch.insert("t (a, b)", [], |_, ()| {});
        batch.add("UPDATE t SET b = $2 || b || $2 WHERE a = $1").bind(2_i64).bind("'$1'");
        batch.add("UPDATE t SET b = $1 WHERE a = 9").bind("no such row");
        batch.insert("t (a, b)", [(21_i64, "z")], |row, (a, b)| {
            row.bind(a).bind(b);
        });
        let outcome = batch.run(&mut memory).await;
        assert!(outcome.result.is_ok());
        assert_eq!(outcome.changed, [0, 2, 2, 1, 0, 1]);
        let rows = sqlx::query("SELECT a, b FROM t ORDER BY a").fetch_all(&mut memory).await;
        let rows: Vec<(i64, String)> =
            rows.unwrap().iter().map(|row| (row.get("a"), row.get("b"))).collect();
        let expected = [(1, "x"), (2, "'$1'y'$1'"), (11, "X"), (12, "Y"), (21, "z")];
        assert_eq!(rows, expected.map(|(a, b)| (a, b.to_owned())));

        let mut batch = Batch::default();
        batch.insert("t (a, b)", [3_i64], |row, a| {
            row.bind(a).bind("z");
        });
        batch.add("INSERT INTO t (a, b) VALUES ($1, $2)").bind(1_i64).bind("twice");
        batch.add("DELETE FROM t");
        let outcome = batch.run(&mut memory).await;
        assert!(outcome.result.unwrap_err().into_database_error().unwrap().is_unique_violation());
        assert_eq!(outcome.changed, [1]);
    }
}
