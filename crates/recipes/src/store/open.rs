//! Opening the database: migrations first, by one process at a time.

use std::path::Path;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::RecipeStore;
use crate::error::RecipeError;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// How long a statement waits for another process's lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Reads are short, and there are few readers.
const READERS: u32 = 2;

impl RecipeStore {
    /// Opens or creates the database and brings it to this version's schema.
    pub async fn open(path: &Path) -> Result<Self, RecipeError> {
        let cannot_open = |error: sqlx::Error| RecipeError::CannotOpen {
            path: path.display().to_string(),
            why: error.to_string(),
        };
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(LOCK_WAIT);
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(LOCK_WAIT * 2)
            .connect_with(options.clone())
            .await
            .map_err(cannot_open)?;
        migrate(&writer, path).await?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(LOCK_WAIT * 2)
            .connect_with(options.read_only(true).create_if_missing(false))
            .await
            .map_err(cannot_open)?;
        Ok(Self { writer, readers, welcomed: Default::default() })
    }
}

/// All migrations in one transaction that holds the write lock: two processes
/// that meet a new file do not both fill it, and a kill leaves what was before.
async fn migrate(pool: &SqlitePool, path: &Path) -> Result<(), RecipeError> {
    let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default();
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    // `run` would do the same, but its future cannot be sent to another thread.
    MIGRATIONS.run_direct(None, &mut *transaction, false).await.map_err(|error| match error {
        MigrateError::VersionMissing(found) if found > known => {
            RecipeError::NewerSchema { path: path.display().to_string(), found, known }
        }
        MigrateError::Execute(error) => error.into(),
        other => {
            RecipeError::CannotOpen { path: path.display().to_string(), why: other.to_string() }
        }
    })?;
    transaction.commit().await?;
    Ok(())
}
