//! Runs queries and batches on a connection.
//!
//! A batch becomes one text with the values of all its statements: handing a statement
//! to the connection's thread and waiting for the answer takes ten times as long as the
//! statement itself.

use std::borrow::Cow;
use std::fmt::Write as _;

use futures_util::TryStreamExt;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, AssertSqlSafe, Either, Executor, SqlSafeStr, SqlStr, SqliteConnection};

use crate::batch::{Batch, BatchOutcome, Statement};
use crate::fault::Fault;
use crate::query::Query;
use crate::row::{EngineRow, Row};
use crate::value::Value;

/// Runs a statement and returns how many rows it changed.
pub(crate) async fn execute(connection: &mut SqliteConnection, query: Query) -> Result<u64, Fault> {
    let arguments = arguments(query.values)?;
    let query = sqlx::query_with(text(query.sql), arguments);
    Ok(query.execute(connection).await?.rows_affected())
}

/// Runs a statement and returns its rows.
pub(crate) async fn fetch(
    connection: &mut SqliteConnection,
    query: Query,
) -> Result<Vec<Row>, Fault> {
    let arguments = arguments(query.values)?;
    let query = sqlx::query_with(text(query.sql), arguments);
    let rows = query.fetch_all(connection).await?;
    Ok(rows.into_iter().map(|row| Row(EngineRow::Sqlite(row))).collect())
}

/// Runs statements without values, then those of a batch, up to the first that fails.
pub(crate) async fn run(
    connection: &mut SqliteConnection,
    first: &str,
    batch: Batch,
) -> BatchOutcome {
    let claims = batch.claims;
    let before = first.split_terminator(';').count();
    let outcome = |begun, changed, result| BatchOutcome { begun, changed, result, claims };
    let mut text = Text::new(first);
    for statement in batch.statements {
        if let Err(error) = text.add(statement) {
            return outcome(false, Vec::new(), Err(error));
        }
    }
    if text.sql.is_empty() {
        return outcome(true, Vec::new(), Ok(()));
    }
    let query = sqlx::query_with(AssertSqlSafe(text.sql), text.values);
    let mut answers = connection.fetch_many(query);
    let mut changed = Vec::new();
    let result = loop {
        match answers.try_next().await {
            Ok(Some(Either::Left(done))) => changed.push(done.rows_affected()),
            Ok(Some(Either::Right(_))) => {}
            Ok(None) => break Ok(()),
            Err(error) => break Err(error.into()),
        }
    };
    let begun = changed.len() >= before;
    changed.drain(..before.min(changed.len()));
    outcome(begun, changed, result)
}

/// The one text of several statements, and all their values.
struct Text {
    sql: String,
    values: SqliteArguments,
    /// Whether a statement refers to its values by number (`$1`).
    numbered: bool,
}

impl Text {
    fn new(first: &str) -> Self {
        Self { sql: first.to_owned(), values: SqliteArguments::default(), numbered: false }
    }

    fn add(&mut self, statement: Statement) -> Result<(), Fault> {
        if !self.sql.is_empty() {
            self.sql.push_str("; ");
        }
        let mut values = statement.values;
        if let (Some(rows), Some(_)) = (statement.rows, statement.guard) {
            // This file has one server, so the guard matches.
            let of_row = values.len() / rows.max(1);
            let mut position = 0;
            values.retain(|_| {
                position += 1;
                position % of_row != 0
            });
        }
        match statement.rows {
            Some(rows) => {
                self.add_insert(&statement.sql, rows, values.len());
                self.sql.push_str(&statement.end);
            }
            None => self.add_numbered(&statement.sql),
        }
        values.into_iter().try_for_each(|value| add(&mut self.values, value))
    }

    /// Each statement numbers its values from 1; SQLite numbers those of the whole text.
    fn add_numbered(&mut self, sql: &str) {
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
    }

    fn add_insert(&mut self, into: &str, rows: usize, values: usize) {
        let before = self.values.len();
        let columns = values / rows.max(1);
        self.push(format_args!("INSERT INTO {into} VALUES "));
        for row in 0..rows {
            let mut separator = if row == 0 { "(" } else { ",(" };
            for column in 0..columns {
                // SQLite looks each number up in a list of all of them: with a hundred
                // rows that takes longer than writing them. Plain `?` are counted, but
                // from the first value of the text on.
                if self.numbered {
                    let number = before + row * columns + column + 1;
                    self.push(format_args!("{separator}${number}"));
                } else {
                    self.push(format_args!("{separator}?"));
                }
                separator = ",";
            }
            self.sql.push(')');
        }
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _written = self.sql.write_fmt(text);
    }
}

/// Texts of the program and of its own parts; values never become part of them.
fn text(sql: Cow<'static, str>) -> SqlStr {
    match sql {
        Cow::Borrowed(sql) => sql.into_sql_str(),
        Cow::Owned(sql) => AssertSqlSafe(sql).into_sql_str(),
    }
}

fn arguments(values: Vec<Value>) -> Result<SqliteArguments, Fault> {
    let mut arguments = SqliteArguments::default();
    values.into_iter().try_for_each(|value| add(&mut arguments, value))?;
    Ok(arguments)
}

fn add(arguments: &mut SqliteArguments, value: Value) -> Result<(), Fault> {
    let added = match value {
        Value::Text(text) => arguments.add(text),
        Value::Integer(number) => arguments.add(number),
        Value::Boolean(value) => arguments.add(value),
        Value::Bytes(bytes) => arguments.add(bytes),
    };
    added.map_err(Fault::other)
}

#[cfg(test)]
mod tests {
    use sqlx::Connection as _;

    use super::*;
    use crate::query::query;

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
        let outcome = run(&mut memory, "", batch).await;
        assert!(outcome.result.is_ok());
        assert_eq!(outcome.changed, [0, 2, 2, 1, 0, 1]);
        let rows = fetch(&mut memory, query("SELECT a, b FROM t ORDER BY a")).await.unwrap();
        let rows: Vec<(i64, String)> =
            rows.iter().map(|row| (row.try_get("a").unwrap(), row.try_get("b").unwrap())).collect();
        let expected = [(1, "x"), (2, "'$1'y'$1'"), (11, "X"), (12, "Y"), (21, "z")];
        assert_eq!(rows, expected.map(|(a, b)| (a, b.to_owned())));

        let mut batch = Batch::default();
        batch.insert("t (a, b)", [3_i64], |row, a| {
            row.bind(a).bind("z");
        });
        batch.add("INSERT INTO t (a, b) VALUES ($1, $2)").bind(1_i64).bind("twice");
        batch.add("DELETE FROM t");
        let outcome = run(&mut memory, "", batch).await;
        assert!(matches!(outcome.result, Err(Fault::Conflict(_))), "{:?}", outcome.result);
        assert_eq!(outcome.changed, [1]);
    }
}
