//! The handle to the database of conversations.

use std::path::Path;

use parlor_sqlite::{Batch, Database, Transaction};
use sqlx::SqlitePool;
use sqlx::migrate::Migrator;

use crate::error::StorageError;
use crate::migrations::MIGRATIONS;

/// Reads are short and the machine has few cores.
const READERS: u32 = 4;

/// The database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    database: Database,
}

impl Store {
    /// Opens or creates the database and migrates it to this version's schema.
    pub async fn open(path: &Path) -> Result<Self, StorageError> {
        Self::open_with(path, &MIGRATIONS).await
    }

    async fn open_with(path: &Path, migrations: &Migrator) -> Result<Self, StorageError> {
        Ok(Self { database: Database::open(path, migrations, READERS).await? })
    }

    /// Whether the database can be read and written right now.
    pub async fn check(&self) -> Result<(), StorageError> {
        Ok(self.database.check().await?)
    }

    /// Closes all connections, after the reads and writes that are under way.
    pub async fn close(&self) {
        self.database.close().await;
    }

    /// The connections that read.
    pub(crate) fn reader(&self) -> &SqlitePool {
        self.database.readers()
    }

    /// Writes all of a batch or nothing.
    pub(crate) async fn run(&self, batch: Batch) -> Result<(), StorageError> {
        Ok(self.database.writes().run(batch).await?)
    }

    /// Begins a transaction that may read before it writes.
    pub(crate) async fn begin(&self) -> Result<Transaction, StorageError> {
        Ok(self.database.writes().begin().await?)
    }
}

#[cfg(test)]
mod tests;
