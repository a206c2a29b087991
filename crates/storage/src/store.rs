//! Opening the database: one writer, several readers, migrations first.

use std::path::Path;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, SqliteConnection, SqlitePool};

use crate::batch::Batch;
use crate::error::StorageError;
use crate::pen::{Pen, Write};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// How long a statement waits for another program's lock before it is `Busy`.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Reads are short and the machine has few cores.
const READERS: u32 = 4;

/// The database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pen: Pen,
    readers: SqlitePool,
}

impl Store {
    /// Opens or creates the database and brings it to this version's schema.
    pub async fn open(path: &Path) -> Result<Self, StorageError> {
        Self::open_with(path, &MIGRATIONS).await
    }

    async fn open_with(path: &Path, migrations: &Migrator) -> Result<Self, StorageError> {
        let cannot_open = |error: sqlx::Error| StorageError::CannotOpen {
            path: path.display().to_string(),
            why: error.to_string(),
        };
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(LOCK_WAIT);
        // What a savepoint undoes is kept in memory, not in a file for each. And text
        // that streams changes the same pages over and over: they are moved from the
        // log of changes into the database after 16 MB of it, not after 4.
        let writer_options =
            options.clone().pragma("temp_store", "MEMORY").pragma("wal_autocheckpoint", "4000");
        let mut writer = writer_options.connect().await.map_err(cannot_open)?;
        migrate(&mut writer, path, migrations).await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .min_connections(1)
            .acquire_timeout(LOCK_WAIT * 2)
            // A file does not hang up; asking before each read would be a second read.
            .test_before_acquire(false)
            .connect_with(options.read_only(true).create_if_missing(false))
            .await
            .map_err(cannot_open)?;
        Ok(Self { pen: Pen::new(writer, writer_options, LOCK_WAIT * 2), readers })
    }

    /// Whether the database can be written right now: a row comes and goes, which
    /// reaches the disk. A lock alone would not tell that the disk is full.
    pub async fn check_writable(&self) -> Result<(), StorageError> {
        let mut transaction = self.write().await?;
        for statement in [
            "INSERT INTO deltas (conversation_id, block, part, raw, clean)
             VALUES ('', 0, 0, '', '')",
            "DELETE FROM deltas WHERE conversation_id = ''",
        ] {
            sqlx::query(statement).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Closes all connections, after what they do is done.
    pub async fn close(&self) {
        self.readers.close().await;
        self.pen.close().await;
    }

    pub(crate) fn reader(&self) -> &SqlitePool {
        &self.readers
    }

    /// Writes all of a batch or nothing.
    pub(crate) async fn run(&self, batch: Batch) -> Result<(), StorageError> {
        self.pen.run(batch).await
    }

    /// Waits until this caller may write; nothing of it is stored before it
    /// commits.
    pub(crate) async fn write(&self) -> Result<Write, StorageError> {
        self.pen.take().await
    }
}

/// Each migration is a transaction of its own: a kill in the middle leaves the
/// one before it.
async fn migrate(
    writer: &mut SqliteConnection,
    path: &Path,
    migrations: &Migrator,
) -> Result<(), StorageError> {
    let known = migrations.iter().map(|migration| migration.version).max().unwrap_or_default();
    migrations.run(writer).await.map_err(|error| match error {
        MigrateError::VersionMissing(found) if found > known => {
            StorageError::NewerSchema { path: path.display().to_string(), found, known }
        }
        MigrateError::Execute(error) => error.into(),
        other => {
            StorageError::CannotOpen { path: path.display().to_string(), why: other.to_string() }
        }
    })
}

#[cfg(test)]
mod tests;
