//! The connection that writes, and how it heals.
//!
//! After some faults (a full disk, an I/O error) SQLite has undone a transaction by
//! itself; after others it may not have. Whoever cannot say how a transaction ended
//! must not go on with its connection: one whose rollback failed, or that cannot
//! even begin, is dropped, and the next transaction opens another.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::fault::Fault;

/// A connection, unless a fault took it.
#[derive(Debug)]
pub(crate) struct Writer {
    connection: Option<SqliteConnection>,
    options: SqliteConnectOptions,
}

impl Writer {
    /// Takes a connection, and what is needed to open another.
    pub(crate) fn new(connection: SqliteConnection, options: SqliteConnectOptions) -> Self {
        Self { connection: Some(connection), options }
    }

    /// The connection, if it is there. [`Writer::ready`] makes sure that it is.
    pub(crate) fn connection(&mut self) -> Option<&mut SqliteConnection> {
        self.connection.as_mut()
    }

    /// The connection for a new transaction; another one if a fault took it.
    pub(crate) async fn ready(&mut self) -> Result<&mut SqliteConnection, Fault> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let connection = self.options.connect().await?;
                tracing::info!("the database was opened again");
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

    /// Undoes the transaction, if one is open.
    pub(crate) async fn roll_back(&mut self) {
        if self.execute("ROLLBACK").await.is_err() {
            self.discard().await;
        }
    }

    /// Lets go of the connection, and of every lock that it holds.
    pub(crate) async fn discard(&mut self) {
        if let Some(connection) = self.connection.take() {
            tracing::warn!("the database failed; the next write opens it again");
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
