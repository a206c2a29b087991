//! A connection that a caller holds for several statements: a transaction that writes, or
//! a snapshot that reads.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Instant;

use parlor_metrics::Timings;

use crate::batch::{Batch, BatchOutcome};
use crate::fault::Fault;
use crate::postgres::PostgresConnection;
use crate::query::Query;
use crate::row::Row;
use crate::sqlite::{LentWriter, SqliteReader};

/// A connection of either engine.
#[derive(Debug)]
pub struct Connection(pub(crate) EngineConnection);

#[derive(Debug)]
pub(crate) enum EngineConnection {
    SqliteWriter(LentWriter),
    SqliteReader(SqliteReader),
    Postgres(PostgresConnection),
}

/// A transaction. Dropping it rolls back what was written with it.
#[derive(Debug)]
pub struct Transaction(Connection, Arc<Timings>);

/// A state of the database that does not change while it is read.
#[derive(Debug)]
pub struct Snapshot(Connection);

impl Connection {
    pub(crate) async fn execute(&mut self, query: Query) -> Result<u64, Fault> {
        match &mut self.0 {
            EngineConnection::SqliteWriter(lent) => crate::sqlite::execute(lent, query).await,
            EngineConnection::SqliteReader(reader) => {
                crate::sqlite::execute(reader.connection(), query).await
            }
            EngineConnection::Postgres(connection) => connection.execute(query).await,
        }
    }

    pub(crate) async fn fetch(&mut self, query: Query) -> Result<Vec<Row>, Fault> {
        match &mut self.0 {
            EngineConnection::SqliteWriter(lent) => crate::sqlite::fetch(lent, query).await,
            EngineConnection::SqliteReader(reader) => {
                crate::sqlite::fetch(reader.connection(), query).await
            }
            EngineConnection::Postgres(connection) => connection.fetch(query).await,
        }
    }

    /// Runs all statements of a batch, up to the first that fails, in this transaction.
    pub async fn run(&mut self, batch: Batch) -> Result<(), Fault> {
        let outcome = match &mut self.0 {
            EngineConnection::SqliteWriter(lent) => crate::sqlite::run(lent, "", batch).await,
            EngineConnection::SqliteReader(reader) => {
                crate::sqlite::run(reader.connection(), "", batch).await
            }
            EngineConnection::Postgres(connection) => return connection.run(batch).await,
        };
        BatchOutcome::into_result(outcome)
    }
}

impl Transaction {
    /// How long it takes to commit is added to `commits`.
    pub(crate) fn new(connection: EngineConnection, commits: Arc<Timings>) -> Self {
        Self(Connection(connection), commits)
    }

    /// Stores what was written. When it returns, it is on the disk.
    pub async fn commit(self) -> Result<(), Fault> {
        let began = Instant::now();
        let committed = match self.0.0 {
            EngineConnection::SqliteWriter(lent) => lent.commit().await,
            EngineConnection::SqliteReader(_) => Err(Fault::closed()),
            EngineConnection::Postgres(connection) => connection.commit().await,
        };
        self.1.add(began.elapsed());
        committed
    }
}

impl Snapshot {
    pub(crate) fn new(connection: EngineConnection) -> Self {
        Self(Connection(connection))
    }
}

impl Deref for Transaction {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.0
    }
}

impl Deref for Snapshot {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl DerefMut for Snapshot {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.0
    }
}
