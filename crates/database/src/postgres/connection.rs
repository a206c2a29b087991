//! One connection of the pool.
//!
//! It goes back to the pool when it is dropped, after a rollback if a transaction is open.
//! One that did not answer in time is closed instead: its answers may still come.

use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Object};
use futures_util::FutureExt;
use tokio_postgres::types::Type;

use super::fault::{timed_out, unknown};
use super::parameters::Parameter;
use super::pipeline;
use crate::batch::Batch;
use crate::fault::Fault;
use crate::query::Query;
use crate::row::{EngineRow, Row};

/// A connection, inside or outside a transaction.
#[derive(Debug)]
pub(crate) struct PostgresConnection {
    /// `None` once it was given up.
    client: Option<Object>,
    /// An answer that takes longer is not waited for: the server hangs, or the network does.
    patience: Duration,
    /// Whether a transaction is open.
    open: bool,
    /// Whether a statement of the transaction failed. PostgreSQL answers such a `COMMIT`
    /// without an error and rolls back.
    failed: bool,
}

impl PostgresConnection {
    pub(super) fn new(client: Object, patience: Duration) -> Self {
        Self { client: Some(client), patience, open: false, failed: false }
    }

    /// Waits for answers no longer than this.
    pub(super) fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Begins a transaction.
    pub(super) async fn begin(mut self, sql: &'static str) -> Result<Self, Fault> {
        // If it is dropped before the answer comes, it must roll back.
        self.open = true;
        self.guarded(async |client| Ok(client.batch_execute(sql).await?)).await?;
        Ok(self)
    }

    pub(crate) async fn execute(&mut self, query: Query) -> Result<u64, Fault> {
        self.guarded(async |client| {
            let (sql, parameters, types) = prepared(query);
            let statement = client.prepare_typed_cached(&sql, &types).await?;
            Ok(client.execute_raw(&statement, &parameters).await?)
        })
        .await
    }

    pub(crate) async fn fetch(&mut self, query: Query) -> Result<Vec<Row>, Fault> {
        self.guarded(async |client| {
            use futures_util::TryStreamExt;
            let (sql, parameters, types) = prepared(query);
            let statement = client.prepare_typed_cached(&sql, &types).await?;
            let rows = client.query_raw(&statement, &parameters).await?;
            let rows = rows.map_ok(|row| Row(EngineRow::Postgres(row)));
            Ok(rows.try_collect().await?)
        })
        .await
    }

    /// Runs all statements of a batch: in the open transaction, or in one of their own.
    pub(crate) async fn run(&mut self, batch: Batch) -> Result<(), Fault> {
        if batch.is_empty() {
            return Ok(());
        }
        let prepared = self.guarded(async |client| pipeline::prepare(client, batch).await).await?;
        let own = !self.open;
        let run = self.guarded(async |client| pipeline::run(client, &prepared, own).await).await;
        run.map_err(|fault| if own { unknown(fault) } else { fault })
    }

    /// Commits the open transaction.
    pub(crate) async fn commit(mut self) -> Result<(), Fault> {
        if self.failed {
            return Err(Fault::other("a statement of the transaction failed"));
        }
        self.open = false;
        let committed = self.guarded(async |client| Ok(client.batch_execute("COMMIT").await?));
        committed.await.map_err(unknown)
    }

    /// Takes the connection out of the pool for good.
    pub(super) fn into_own(mut self) -> Option<ClientWrapper> {
        self.client.take().map(Object::take)
    }

    /// Runs something with the client. The connection is given up if that takes too long.
    async fn guarded<T>(
        &mut self,
        work: impl AsyncFnOnce(&ClientWrapper) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let client = self.client.as_deref().ok_or_else(Fault::closed)?;
        let result = tokio::time::timeout(self.patience, work(client)).await;
        if result.is_err() {
            self.give_up();
        }
        let result = result.unwrap_or_else(|_| Err(timed_out()));
        self.failed |= result.is_err();
        result
    }

    /// Closes the connection; the pool opens another when it needs one.
    fn give_up(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

impl Drop for PostgresConnection {
    fn drop(&mut self) {
        if let Some(client) = self.client.as_deref().filter(|_| self.open) {
            // The first poll sends it; whoever uses the connection next comes after it.
            let _sent = client.batch_execute("ROLLBACK").now_or_never();
        }
    }
}

fn prepared(query: Query) -> (String, Vec<Parameter>, Vec<Type>) {
    let parameters: Vec<Parameter> = query.values.into_iter().map(Parameter::one).collect();
    let types = parameters.iter().map(Parameter::type_of).collect();
    (query.sql.into_owned(), parameters, types)
}
