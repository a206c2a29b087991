//! The connection that writes, and how it heals.
//!
//! After some faults (a full disk, an I/O error) SQLite has rolled back a transaction by
//! itself; after others it may not have. A connection whose state is unknown must not be
//! used again: if a rollback fails, or a transaction cannot begin, the connection is
//! dropped, and the next transaction opens another.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::fault::Fault;

/// The connection; none after a fault.
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Option<SqliteConnection>,
    options: SqliteConnectOptions,
}

impl Writer {
    /// Takes a connection, and the options to open another.
    pub(crate) fn new(connection: SqliteConnection, options: SqliteConnectOptions) -> Self {
        Self { connection: Some(connection), options }
    }

    /// The connection, if there is one. [`Writer::ready`] makes sure of it.
    pub(crate) fn connection(&mut self) -> Option<&mut SqliteConnection> {
        self.connection.as_mut()
    }

    /// The connection for a new transaction; a new one after a fault.
    pub(crate) async fn ready(&mut self) -> Result<&mut SqliteConnection, Fault> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let connection = self.options.connect().await?;
                tracing::info!("reopened the database");
                connection
            }
        };
        Ok(self.connection.insert(connection))
    }

    /// Runs a statement without values.
    pub(crate) async fn execute(&mut self, sql: &'static str) -> Result<(), Fault> {
        let connection = self.connection.as_mut().ok_or_else(Fault::closed)?;
        sqlx::query(sql).execute(connection).await?;
        Ok(())
    }

    /// Rolls back the transaction.
    pub(crate) async fn roll_back(&mut self) {
        if self.execute("ROLLBACK").await.is_err() {
            self.discard().await;
        }
    }

    /// Drops the connection, and every lock that it holds.
    pub(crate) async fn discard(&mut self) {
        if let Some(connection) = self.connection.take() {
            tracing::warn!(
                "dropped the database connection after a fault; the next write reopens it"
            );
            let _closed = connection.close().await;
        }
    }

    /// Closes the connection for good.
    pub(crate) async fn close(self) {
        if let Some(connection) = self.connection {
            let _closed = connection.close().await;
        }
    }
}
