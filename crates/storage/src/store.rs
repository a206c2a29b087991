//! The handle to the database of conversations.

use parlor_database::{
    Batch, Connections, Database, Location, Lock, Migrations, Snapshot, Transaction,
};

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

    /// Locks the database for one server. A second one would take over the turns of the
    /// first.
    pub async fn lock_for_one_server(&self) -> Result<Lock, StorageError> {
        self.database.lock().await?.ok_or(StorageError::InUse)
    }

    /// Whether other servers may use the database at the same time.
    pub fn is_shared(&self) -> bool {
        self.database.is_shared()
    }

    /// Closes all connections, after the reads and writes that are under way.
    pub async fn close(&self) {
        self.database.close().await;
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
