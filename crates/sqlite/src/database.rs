//! A database file: opening it, migrations first, and asking whether it works.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row, SqliteConnection, SqlitePool};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::fault::{self, Fault};
use crate::pen::Pen;

/// How long a statement waits for another program's lock before it is `Busy`.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Between two tries to connect to a file that is locked.
const LOCKED_PAUSE: Duration = Duration::from_millis(20);

/// An open database: one connection that writes, a few that read. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Database {
    pen: Pen,
    readers: SqlitePool,
    look_options: SqliteConnectOptions,
    /// A look costs a thread: one at a time, however many ask.
    looks: Arc<Semaphore>,
}

/// Why a database is not used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OpenError {
    /// Refuse to start.
    #[error(
        "the database {path} was written by a newer version of Parlor (schema {found}, this \
         version knows {known}); run that version, or restore a backup"
    )]
    NewerSchema {
        /// Where it is.
        path: String,
        /// The newest migration in it.
        found: i64,
        /// The newest migration that this binary has.
        known: i64,
    },
    /// Refuse to start.
    #[error("the database {path} cannot be opened: {why}")]
    CannotOpen {
        /// Where it is.
        path: String,
        /// What to do about it.
        why: String,
    },
}

impl Database {
    /// Opens or creates it, and brings it to the schema of these migrations.
    pub async fn open(path: &Path, migrations: &Migrator, readers: u32) -> Result<Self, OpenError> {
        let cannot_open =
            |why: String| OpenError::CannotOpen { path: path.display().to_string(), why };
        let failed = |error: sqlx::Error| cannot_open(Fault::from(error).to_string());
        check_file(path).map_err(cannot_open)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // A page that is mapped and no longer there ends the process; one that is
            // read is an error.
            .pragma("mmap_size", "0")
            .busy_timeout(LOCK_WAIT);
        // What a savepoint undoes is kept in memory, not in a file for each. And text
        // that streams changes the same pages over and over: they are moved from the
        // log of changes into the database after 16 MB of it, not after 4.
        let writer_options =
            options.clone().pragma("temp_store", "MEMORY").pragma("wal_autocheckpoint", "4000");
        let mut writer = connect(&writer_options).await.map_err(failed)?;
        migrate(&mut writer, path, migrations).await?;
        let read_options = options.read_only(true).create_if_missing(false);
        let readers = SqlitePoolOptions::new()
            .max_connections(readers)
            .min_connections(1)
            .acquire_timeout(LOCK_WAIT * 2)
            // A file does not hang up; asking before each read would be a second read.
            .test_before_acquire(false)
            .connect_with(read_options.clone())
            .await
            .map_err(failed)?;
        // A file that went away is not made anew under a running server.
        let writer_options = writer_options.create_if_missing(false);
        Ok(Self {
            pen: Pen::new(writer, writer_options, LOCK_WAIT * 2),
            readers,
            look_options: read_options,
            looks: Arc::new(Semaphore::new(1)),
        })
    }

    /// Where one asks to write.
    pub fn pen(&self) -> &Pen {
        &self.pen
    }

    /// The connections that read.
    pub fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// Whether it can be read and written right now.
    pub async fn check(&self) -> Result<(), Fault> {
        self.look().await?;
        self.touch().await
    }

    /// Closes all connections, after what they do is done.
    pub async fn close(&self) {
        self.readers.close().await;
        self.pen.close().await;
    }

    /// Looks at the file as a newcomer would, at the first row of every table: what
    /// other connections keep in memory does not tell that the file is damaged.
    async fn look(&self) -> Result<(), Fault> {
        let _one = self.looks.acquire().await.map_err(|_| Fault::closed())?;
        let mut newcomer = self.look_options.connect().await?;
        let seen = first_rows(&mut newcomer).await;
        let _closed = newcomer.close().await;
        Ok(seen?)
    }

    /// Writes a number that nobody uses as it is, which reaches the disk. A lock
    /// alone would not tell that the disk is full.
    async fn touch(&self) -> Result<(), Fault> {
        let mut write = self.pen.take().await?;
        let number = sqlx::query("PRAGMA user_version").fetch_one(&mut *write).await?;
        let number: i64 = number.try_get(0)?;
        sqlx::query(AssertSqlSafe(format!("PRAGMA user_version = {number}")))
            .execute(&mut *write)
            .await?;
        write.commit().await
    }
}

/// Connects. Several that open a new file at the same moment are in each other's way
/// when they choose how it is written, and SQLite does not wait for that by itself.
async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let until = Instant::now() + LOCK_WAIT * 2;
    loop {
        match options.connect().await {
            Err(error) if fault::is_busy(&error) && Instant::now() < until => {
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

/// A file without a byte is a new database to SQLite, which throws away what lies
/// beside it. It may as well be what a full disk or a failed copy left.
fn check_file(path: &Path) -> Result<(), String> {
    let length =
        |path: &Path| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|f| f.len());
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = PathBuf::from(log);
    // In this order: another program that makes the database writes its log last.
    let has_changes = length(&log).is_some_and(|length| length > 0);
    if length(path) != Some(0) {
        return Ok(());
    }
    if has_changes {
        return Err(format!(
            "it is empty, but {} holds changes to it; restore a backup of both, or move both away \
             to begin with nothing",
            log.display()
        ));
    }
    if !is_just_made(path) {
        tracing::warn!(
            path = %path.display(),
            "the database file is empty: a new database begins in it; if it held something, \
             stop the server and restore a backup"
        );
    }
    Ok(())
}

/// Whether another program makes it at this moment, too.
fn is_just_made(path: &Path) -> bool {
    const JUST: Duration = Duration::from_secs(10);
    let made = fs::metadata(path).and_then(|file| file.created());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age < JUST))
}

/// All migrations in one transaction that holds the write lock: two processes
/// that meet a new file do not both fill it, and a kill leaves what was before.
async fn migrate(
    writer: &mut SqliteConnection,
    path: &Path,
    migrations: &Migrator,
) -> Result<(), OpenError> {
    let known = migrations.iter().map(|migration| migration.version).max().unwrap_or_default();
    let path = || path.display().to_string();
    let cannot_open = |error: sqlx::Error| OpenError::CannotOpen {
        path: path(),
        why: Fault::from(error).to_string(),
    };
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.map_err(cannot_open)?;
    // `run` would do the same, but its future cannot be sent to another thread.
    migrations.run_direct(None, &mut *transaction, false).await.map_err(|error| match error {
        MigrateError::VersionMissing(found) if found > known => {
            OpenError::NewerSchema { path: path(), found, known }
        }
        MigrateError::Execute(error) => cannot_open(error),
        MigrateError::ExecuteMigration(error, version) => OpenError::CannotOpen {
            path: path(),
            why: format!("migration {version}: {}", Fault::from(error)),
        },
        other => OpenError::CannotOpen { path: path(), why: other.to_string() },
    })?;
    transaction.commit().await.map_err(cannot_open)
}

#[cfg(test)]
mod tests;
