//! A database file: checked, opened, migrated; and its health check.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::MigrateError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row, SqliteConnection, SqlitePool};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::group_commit::GroupCommit;
use super::{SqliteReader, fault};
use crate::fault::{Fault, OpenError};
use crate::migrations::Migrations;
use crate::pool_use::PoolUse;
use crate::purpose::{Purpose, UNFINISHED_COPY, unfinished};

/// How long a statement waits for another program's lock before it is `Busy`.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// The pause between two attempts to connect to a file that is locked.
const LOCKED_PAUSE: Duration = Duration::from_millis(20);

/// An open database: one connection that writes, a few that read. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct File {
    writes: GroupCommit,
    readers: SqlitePool,
    check_options: Arc<SqliteConnectOptions>,
    /// A check opens a connection, which is a thread: one at a time.
    checks: Arc<Semaphore>,
}

impl File {
    /// Opens the file; creates and migrates it if there is a purpose to.
    pub(crate) async fn open(
        path: &Path,
        purpose: Purpose<'_>,
        readers: u32,
    ) -> Result<Self, OpenError> {
        let cannot_open =
            |why: String| OpenError::CannotOpen { database: path.display().to_string(), why };
        let failed = |error: sqlx::Error| cannot_open(Fault::from(error).to_string());
        check_file(path).map_err(cannot_open)?;
        let creates = purpose.migrations().is_some();
        if !creates && !path.exists() {
            return Err(cannot_open("there is no such file".to_owned()));
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(creates)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // A mapped page that cannot be read kills the process; with reads it is
            // an error.
            .pragma("mmap_size", "0")
            .busy_timeout(LOCK_WAIT);
        // The journal of a savepoint is kept in memory, not in a file for each. Text
        // that streams changes the same pages over and over, so the WAL is moved into
        // the database after 16 MB, not after 4.
        let writer_options =
            options.clone().pragma("temp_store", "MEMORY").pragma("wal_autocheckpoint", "4000");
        let mut writer = connect(&writer_options).await.map_err(failed)?;
        migrate(&mut writer, path, purpose).await?;
        let read_options = options.read_only(true).create_if_missing(false);
        let readers = SqlitePoolOptions::new()
            .max_connections(readers)
            .min_connections(1)
            .acquire_timeout(LOCK_WAIT * 2)
            // A connection to a file is not lost; a test would be a second read.
            .test_before_acquire(false)
            .connect_with(read_options.clone())
            .await
            .map_err(failed)?;
        // A file that was deleted under a running server is not created again.
        let writer_options = writer_options.create_if_missing(false);
        Ok(Self {
            writes: GroupCommit::new(writer, writer_options, LOCK_WAIT * 2),
            readers,
            check_options: Arc::new(read_options),
            checks: Arc::new(Semaphore::new(1)),
        })
    }

    /// The queue of writes.
    pub(crate) fn writes(&self) -> &GroupCommit {
        &self.writes
    }

    /// The options of a connection that reads the file anew.
    pub(super) fn check_options(&self) -> &SqliteConnectOptions {
        &self.check_options
    }

    /// Any connection that reads.
    pub(crate) async fn reader(&self) -> Result<SqliteReader, Fault> {
        Ok(SqliteReader::Any(self.readers.acquire().await?))
    }

    /// A connection that reads one state of the database.
    pub(crate) async fn snapshot(&self) -> Result<SqliteReader, Fault> {
        Ok(SqliteReader::Snapshot(self.readers.begin().await?))
    }

    /// Whether it can be read and written right now.
    pub(crate) async fn check(&self) -> Result<(), Fault> {
        self.check_reads().await?;
        self.check_writes().await
    }

    /// How many of the connections that read are in use.
    pub(crate) fn pool(&self) -> PoolUse {
        let most = u64::from(self.readers.options().get_max_connections());
        let idle = u64::try_from(self.readers.num_idle()).unwrap_or(u64::MAX);
        PoolUse { most, in_use: u64::from(self.readers.size()).saturating_sub(idle) }
    }

    /// Closes all connections, after the reads and writes that are under way.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writes.close().await;
    }

    /// Reads the first row of every table through a new connection: those that are
    /// open have pages in memory and would not notice that the file is damaged.
    async fn check_reads(&self) -> Result<(), Fault> {
        let _one = self.checks.acquire().await.map_err(|_| Fault::closed())?;
        let mut connection = self.check_options.connect().await?;
        let read = first_rows(&mut connection).await;
        let _closed = connection.close().await;
        Ok(read?)
    }

    /// Writes an unused number of the file's header, unchanged, through to the disk.
    /// A lock alone would not show that the disk is full.
    async fn check_writes(&self) -> Result<(), Fault> {
        let mut transaction = self.writes.begin().await?;
        let number = sqlx::query("PRAGMA user_version").fetch_one(&mut *transaction).await?;
        let number: i64 = number.try_get(0)?;
        sqlx::query(AssertSqlSafe(format!("PRAGMA user_version = {number}")))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await
    }
}

/// Connects. Processes that open a new file at the same moment lock each other out
/// while they switch it to WAL mode, and SQLite's own busy timeout does not cover that.
async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let deadline = Instant::now() + LOCK_WAIT * 2;
    loop {
        match options.connect().await {
            Err(error) if fault::is_busy(&error) && Instant::now() < deadline => {
                tokio::time::sleep(LOCKED_PAUSE).await;
            }
            connected => return connected,
        }
    }
}

async fn first_rows(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let tables = sqlx::query("SELECT name FROM sqlite_schema WHERE type = 'table'");
    for table in tables.fetch_all(&mut *connection).await? {
        let name = table.try_get::<String, _>(0)?.replace('"', "\"\"");
        let first = AssertSqlSafe(format!("SELECT 1 FROM \"{name}\" NOT INDEXED LIMIT 1"));
        sqlx::query(first).fetch_optional(&mut *connection).await?;
    }
    Ok(())
}

/// Refuses an empty file whose WAL has content. To SQLite an empty file is a new
/// database, and it deletes the WAL; but a full disk or a failed copy may have left it.
fn check_file(path: &Path) -> Result<(), String> {
    let length =
        |path: &Path| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|f| f.len());
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    let wal = PathBuf::from(wal);
    // In this order: another process that creates the database writes its WAL last.
    let has_changes = length(&wal).is_some_and(|length| length > 0);
    if length(path) != Some(0) {
        return Ok(());
    }
    if has_changes {
        return Err(format!(
            "it is empty, but {} holds changes to it; restore a backup of both, or move both away \
             to begin with nothing",
            wal.display()
        ));
    }
    if !is_just_created(path) {
        tracing::warn!(
            path = %path.display(),
            "the database file is empty and becomes a new database; if it held data, \
             stop the server and restore a backup"
        );
    }
    Ok(())
}

/// Whether another process may be creating it at this moment.
fn is_just_created(path: &Path) -> bool {
    const JUST: Duration = Duration::from_secs(10);
    let created = fs::metadata(path).and_then(|file| file.created());
    created.is_ok_and(|created| created.elapsed().is_ok_and(|age| age < JUST))
}

/// Runs all migrations in one transaction that holds the write lock from its beginning:
/// of two processes that open a new file one migrates it, and a kill leaves it as it was.
async fn migrate(
    writer: &mut SqliteConnection,
    path: &Path,
    purpose: Purpose<'_>,
) -> Result<(), OpenError> {
    let Some(migrations) = purpose.migrations().map(Migrations::sqlite) else { return Ok(()) };
    let known = migrations.iter().map(|migration| migration.version).max().unwrap_or_default();
    let path = || path.display().to_string();
    let cannot_open = |error: sqlx::Error| OpenError::CannotOpen {
        database: path(),
        why: Fault::from(error).to_string(),
    };
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.map_err(cannot_open)?;
    if matches!(purpose, Purpose::Serve(_))
        && let Some(source) = copied_from(&mut transaction).await.map_err(cannot_open)?
    {
        return Err(OpenError::CannotOpen { database: path(), why: unfinished(&source) });
    }
    // `run` does the same, but its future is not `Send`.
    migrations.run_direct(None, &mut *transaction, false).await.map_err(|error| match error {
        MigrateError::VersionMissing(found) if found > known => {
            OpenError::NewerSchema { database: path(), found, known }
        }
        MigrateError::Execute(error) => cannot_open(error),
        MigrateError::ExecuteMigration(error, version) => OpenError::CannotOpen {
            database: path(),
            why: format!("migration {version}: {}", Fault::from(error)),
        },
        other => OpenError::CannotOpen { database: path(), why: other.to_string() },
    })?;
    transaction.commit().await.map_err(cannot_open)
}

/// The source of a copy into this file that was not finished.
async fn copied_from(connection: &mut SqliteConnection) -> Result<Option<String>, sqlx::Error> {
    let exists = sqlx::query("SELECT name FROM sqlite_schema WHERE name = $1")
        .bind(UNFINISHED_COPY)
        .fetch_optional(&mut *connection)
        .await?;
    if exists.is_none() {
        return Ok(None);
    }
    let select = AssertSqlSafe(format!("SELECT source FROM {UNFINISHED_COPY}"));
    sqlx::query(select).fetch_one(connection).await?.try_get(0).map(Some)
}

#[cfg(test)]
mod tests;
