//! The database of conversations, and who reads and writes it.

use std::path::Path;

use parlor_sqlite::{Batch, Database, Write};
use sqlx::SqlitePool;
use sqlx::migrate::Migrator;

use crate::error::StorageError;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Reads are short and the machine has few cores.
const READERS: u32 = 4;

/// The database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    database: Database,
}

impl Store {
    /// Opens or creates the database and brings it to this version's schema.
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

    /// Closes all connections, after what they do is done.
    pub async fn close(&self) {
        self.database.close().await;
    }

    pub(crate) fn reader(&self) -> &SqlitePool {
        self.database.readers()
    }

    /// Writes all of a batch or nothing.
    pub(crate) async fn run(&self, batch: Batch) -> Result<(), StorageError> {
        Ok(self.database.pen().run(batch).await?)
    }

    /// Waits until this caller may write; nothing of it is stored before it
    /// commits.
    pub(crate) async fn write(&self) -> Result<Write, StorageError> {
        Ok(self.database.pen().take().await?)
    }
}

#[cfg(test)]
mod tests;
