//! What a statement is run on.

use crate::connection::{Connection, Snapshot, Transaction};
use crate::database::Database;
use crate::fault::Fault;
use crate::query::Query;
use crate::row::Row;

/// What a statement is run on: any connection that reads, or a transaction.
#[derive(Debug)]
pub enum Executor<'c> {
    /// Any connection that reads.
    Readers(&'c Database),
    /// This connection.
    Connection(&'c mut Connection),
}

impl Query {
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
