//! One statement, and what it is run on.

use std::borrow::Cow;

use crate::connection::{Connection, Snapshot, Transaction};
use crate::database::Database;
use crate::fault::Fault;
use crate::row::Row;
use crate::value::Value;

/// A statement whose values are bound one after the other, from `$1` on. The text is
/// the same for both engines.
pub fn query(sql: impl Into<Cow<'static, str>>) -> Query {
    Query { sql: sql.into(), values: Vec::new() }
}

/// A statement with its values.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) sql: Cow<'static, str>,
    pub(crate) values: Vec<Value>,
}

/// What a statement is run on: any connection that reads, or a transaction.
#[derive(Debug)]
pub enum Executor<'c> {
    /// Any connection that reads.
    Readers(&'c Database),
    /// This connection.
    Connection(&'c mut Connection),
}

impl Query {
    /// Binds the next value.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Runs it and returns how many rows it changed.
    pub async fn execute(self, on: impl Into<Executor<'_>>) -> Result<u64, Fault> {
        match on.into() {
            Executor::Readers(database) => database.reader().await?.execute(self).await,
            Executor::Connection(connection) => connection.execute(self).await,
        }
    }

    /// Runs it and returns all rows.
    pub async fn fetch_all(self, on: impl Into<Executor<'_>>) -> Result<Vec<Row>, Fault> {
        match on.into() {
            Executor::Readers(database) => database.reader().await?.fetch(self).await,
            Executor::Connection(connection) => connection.fetch(self).await,
        }
    }

    /// Runs it and returns the first row, if there is one.
    pub async fn fetch_optional(self, on: impl Into<Executor<'_>>) -> Result<Option<Row>, Fault> {
        Ok(self.fetch_all(on).await?.into_iter().next())
    }

    /// Runs it and returns the first row; [`Fault::NoRow`] if there is none.
    pub async fn fetch_one(self, on: impl Into<Executor<'_>>) -> Result<Row, Fault> {
        self.fetch_optional(on).await?.ok_or(Fault::NoRow)
    }
}

impl<'c> From<&'c Database> for Executor<'c> {
    fn from(database: &'c Database) -> Self {
        Self::Readers(database)
    }
}

impl<'c> From<&'c mut Transaction> for Executor<'c> {
    fn from(transaction: &'c mut Transaction) -> Self {
        Self::Connection(transaction)
    }
}

impl<'c> From<&'c mut Snapshot> for Executor<'c> {
    fn from(snapshot: &'c mut Snapshot) -> Self {
        Self::Connection(snapshot)
    }
}

impl<'c> From<&'c mut Connection> for Executor<'c> {
    fn from(connection: &'c mut Connection) -> Self {
        Self::Connection(connection)
    }
}
