//! An open database of either engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use parlor_metrics::Timings;

use crate::batch::Batch;
use crate::connection::{Connection, EngineConnection, Snapshot, Transaction};
use crate::fault::{Fault, OpenError};
use crate::location::Location;
use crate::lock_kind::LockKind;
use crate::migrations::Migrations;
use crate::pool_use::PoolUse;
use crate::postgres::{HeldLock, Server};
use crate::purpose::Purpose;
use crate::sqlite::File;

/// An open database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Database(pub(crate) Engine, Arc<Timings>);

#[derive(Debug, Clone)]
pub(crate) enum Engine {
    Sqlite(File),
    Postgres(Server),
}

/// Held until it is dropped, or until the process ends.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "held, not read")] Option<HeldLock>);

/// How many connections a database has at most.
#[derive(Debug, Clone, Copy)]
pub struct Connections {
    /// Those that read a SQLite file; one more writes it.
    pub sqlite_readers: u32,
    /// Those to a PostgreSQL server.
    pub postgres: u32,
}

/// A command holds a lock, reads one snapshot and writes.
const FOR_COMMANDS: Connections = Connections { sqlite_readers: 2, postgres: 4 };

impl Database {
    /// Opens a database, creates the file if it is one, and migrates it. One that holds
    /// half of a copy is refused.
    pub async fn open(
        location: &Location,
        migrations: &Migrations,
        connections: Connections,
    ) -> Result<Self, OpenError> {
        Self::open_for(Purpose::Serve(migrations), location, connections).await
    }

    /// Opens a database that exists, as it is, for an administrator's command.
    pub async fn open_as_is(location: &Location) -> Result<Self, OpenError> {
        Self::open_for(Purpose::Inspect, location, FOR_COMMANDS).await
    }

    /// Opens, creates and migrates a database, to copy rows into it.
    pub(crate) async fn open_for_copy(
        location: &Location,
        migrations: &Migrations,
    ) -> Result<Self, OpenError> {
        Self::open_for(Purpose::CopyInto(migrations), location, FOR_COMMANDS).await
    }

    async fn open_for(
        purpose: Purpose<'_>,
        location: &Location,
        connections: Connections,
    ) -> Result<Self, OpenError> {
        let engine = match location {
            Location::File(path) => {
                Engine::Sqlite(File::open(path, purpose, connections.sqlite_readers).await?)
            }
            Location::Server(url) => {
                Engine::Postgres(Server::open(url, purpose, connections.postgres).await?)
            }
        };
        Ok(Self(engine, Arc::default()))
    }

    /// Writes all of a batch or nothing. When it returns, it is on the disk.
    pub async fn run(&self, batch: Batch) -> Result<(), Fault> {
        let began = Instant::now();
        let written = match &self.0 {
            Engine::Sqlite(file) => file.writes().run(batch).await,
            Engine::Postgres(server) => server.run(batch).await,
        };
        self.1.add(began.elapsed());
        written
    }

    /// Begins a transaction that may read before it writes. On SQLite all other writes
    /// wait until it ends; on PostgreSQL it must lock the rows that it decides on.
    pub async fn begin(&self) -> Result<Transaction, Fault> {
        let connection = match &self.0 {
            Engine::Sqlite(file) => EngineConnection::SqliteWriter(file.writes().begin().await?),
            Engine::Postgres(server) => EngineConnection::Postgres(server.begin().await?),
        };
        Ok(Transaction::new(connection, Arc::clone(&self.1)))
    }

    /// One state of the database, for several reads.
    pub async fn snapshot(&self) -> Result<Snapshot, Fault> {
        Ok(Snapshot::new(match &self.0 {
            Engine::Sqlite(file) => EngineConnection::SqliteReader(file.snapshot().await?),
            Engine::Postgres(server) => EngineConnection::Postgres(server.snapshot().await?),
        }))
    }

    /// Any connection that reads.
    pub(crate) async fn reader(&self) -> Result<Connection, Fault> {
        Ok(Connection(match &self.0 {
            Engine::Sqlite(file) => EngineConnection::SqliteReader(file.reader().await?),
            Engine::Postgres(server) => EngineConnection::Postgres(server.connection().await?),
        }))
    }

    /// Whether it can be read and written right now.
    pub async fn check(&self) -> Result<(), Fault> {
        match &self.0 {
            Engine::Sqlite(file) => file.check().await,
            Engine::Postgres(server) => server.check().await,
        }
    }

    /// Writes one state of a SQLite file to a new file while it is in use; the caller syncs
    /// it. A server has tools of its own.
    pub async fn back_up(&self, to: &Path) -> Result<(), Fault> {
        match &self.0 {
            Engine::Sqlite(file) => file.back_up(to).await,
            Engine::Postgres(_) => Err(Fault::other("a server is backed up with pg_dump")),
        }
    }

    /// Locks the database until the lock is dropped; `None` if that cannot be had now. A file
    /// is locked by its directory.
    pub async fn lock(&self, kind: LockKind) -> Result<Option<Lock>, Fault> {
        match &self.0 {
            Engine::Sqlite(_) => Ok(Some(Lock(None))),
            Engine::Postgres(server) => Ok(server.lock(kind).await?.map(|held| Lock(Some(held)))),
        }
    }

    /// Waits until no other process is at the same point, and keeps others waiting until it
    /// is dropped. `None` for a file, which one process uses.
    pub async fn one_at_a_time(&self) -> Result<Option<Transaction>, Fault> {
        match &self.0 {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(server) => {
                let connection = server.one_at_a_time().await?;
                let connection = EngineConnection::Postgres(connection);
                Ok(Some(Transaction::new(connection, Arc::clone(&self.1))))
            }
        }
    }

    /// How long writes took until they were on the disk, with the time that they waited for others.
    pub fn commits(&self) -> &Timings {
        &self.1
    }

    /// How many connections are in use.
    pub fn pool(&self) -> PoolUse {
        match &self.0 {
            Engine::Sqlite(file) => file.pool(),
            Engine::Postgres(server) => server.pool(),
        }
    }

    /// Closes all connections, after the reads and writes that are under way.
    pub async fn close(&self) {
        match &self.0 {
            Engine::Sqlite(file) => file.close().await,
            Engine::Postgres(server) => server.close(),
        }
    }
}
