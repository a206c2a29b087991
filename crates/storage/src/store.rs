//! The handle to the database of conversations.

use parlor_database::{
    Batch, Connections, Database, Location, Lock, LockKind, Migrations, PoolUse, Snapshot,
    Transaction,
};
use parlor_metrics::Timings;

use crate::error::StorageError;
use crate::migrations::MIGRATIONS;

/// Reads of a file are short and the machine has few cores.
const READERS: u32 = 4;
/// Connections to a server, unless the configuration has another number.
const CONNECTIONS: u32 = 16;

/// The database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    database: Database,
}

impl Store {
    /// Opens or creates the database and migrates it to this version's schema.
    pub async fn open(location: impl Into<Location>) -> Result<Self, StorageError> {
        Self::open_with(location.into(), &MIGRATIONS, CONNECTIONS).await
    }

    /// The same, with another number of connections to a server.
    pub async fn connect(location: &Location, connections: u32) -> Result<Self, StorageError> {
        Self::open_with(location.clone(), &MIGRATIONS, connections).await
    }

    async fn open_with(
        location: Location,
        migrations: &Migrations,
        postgres: u32,
    ) -> Result<Self, StorageError> {
        let connections = Connections { sqlite_readers: READERS, postgres };
        Ok(Self { database: Database::open(&location, migrations, connections).await? })
    }

    /// Whether the database can be read and written right now.
    pub async fn check(&self) -> Result<(), StorageError> {
        Ok(self.database.check().await?)
    }

    /// Locks the database for a server: other servers may use it, commands that must be
    /// alone may not.
    pub async fn lock_for_server(&self) -> Result<Lock, StorageError> {
        self.database.lock(LockKind::Server).await?.ok_or(StorageError::InUse)
    }

    /// Waits until no other server is at the same point, and keeps others waiting until the
    /// result is dropped.
    pub async fn one_at_a_time(&self) -> Result<Option<Transaction>, StorageError> {
        Ok(self.database.one_at_a_time().await?)
    }

    /// Whether other servers may use the database at the same time.
    pub fn is_shared(&self) -> bool {
        self.database.is_shared()
    }

    /// The database itself, for the channel between the servers that share it; `None` if
    /// none do.
    pub fn shared_database(&self) -> Option<Database> {
        self.is_shared().then(|| self.database.clone())
    }

    /// How long writes took until they were on the disk.
    pub fn commits(&self) -> &Timings {
        self.database.commits()
    }

    /// How many connections are in use.
    pub fn pool(&self) -> PoolUse {
        self.database.pool()
    }

    /// Closes all connections, after the reads and writes that are under way.
    pub async fn close(&self) {
        self.database.close().await;
    }

    /// The database, for the words that its engine spells differently.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// Any connection that reads.
    pub(crate) fn reader(&self) -> &Database {
        &self.database
    }

    /// One state of the database, for several reads.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, StorageError> {
        Ok(self.database.snapshot().await?)
    }

    /// Writes all of a batch or nothing.
    pub(crate) async fn run(&self, batch: Batch) -> Result<(), StorageError> {
        Ok(self.database.run(batch).await?)
    }

    /// Begins a transaction that may read before it writes.
    pub(crate) async fn begin(&self) -> Result<Transaction, StorageError> {
        Ok(self.database.begin().await?)
    }
}

#[cfg(test)]
mod tests;
