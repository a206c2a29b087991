//! The servers that share the database: who runs, and since when one no longer does.
//!
//! Only the database's clock decides. A node whose last beat is older than the lease is
//! declared dead by whoever notices first; it cannot beat again under the same boot.

use parlor_database::{Row, query};
use parlor_protocol::{BootId, NodeId, Timestamp};
use uuid::Uuid;

use crate::columns::{counter, parsed};
use crate::error::StorageError;
use crate::store::Store;

/// A node as it joins.
#[derive(Debug, Clone)]
pub struct NewNode {
    /// Its data directory.
    pub id: NodeId,
    /// This run of it.
    pub boot: BootId,
    /// Its name for people.
    pub name: String,
    /// The version of the server.
    pub version: String,
}

/// A node that runs, or did lately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its data directory.
    pub id: NodeId,
    /// This run of it.
    pub boot: BootId,
    /// Its name for people.
    pub name: String,
    /// The version of the server.
    pub version: String,
    /// When it joined, by the database's clock.
    pub started_at: Timestamp,
    /// Its last beat, by the database's clock.
    pub beat_at: Timestamp,
    /// Whether it left or was declared dead.
    pub is_dead: bool,
    /// How many turns it takes at the moment.
    pub turns: u64,
}

/// How long rows of dead nodes are kept: a day.
const KEPT_MS: i64 = 86_400_000;

impl Store {
    /// Registers a node. An earlier run of it is dead: it has the same data directory, which
    /// one process locks. Returns the time of the database's clock.
    pub async fn join_node(&self, node: &NewNode) -> Result<Timestamp, StorageError> {
        let clock = self.database().clock();
        let mut transaction = self.begin().await?;
        query(format!("DELETE FROM nodes WHERE dead_at < {clock} - $1"))
            .bind(KEPT_MS)
            .execute(&mut *transaction)
            .await?;
        let row = query(format!(
            "INSERT INTO nodes (id, boot, name, version, started_at, beat_at)
             VALUES ($1, $2, $3, $4, {clock}, {clock})
             ON CONFLICT (id) DO UPDATE SET boot = $2, name = $3, version = $4,
             started_at = {clock}, beat_at = {clock}, dead_at = NULL RETURNING beat_at"
        ))
        .bind(node.id.to_string())
        .bind(node.boot.to_string())
        .bind(&node.name)
        .bind(&node.version)
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Timestamp(row.try_get("beat_at")?))
    }

    /// Says that a node runs. Returns the time of the database's clock; `None` if the node
    /// was declared dead.
    pub async fn beat(&self, boot: BootId) -> Result<Option<Timestamp>, StorageError> {
        let clock = self.database().clock();
        let mut transaction = self.begin().await?;
        let row = query(format!(
            "UPDATE nodes SET beat_at = {clock} WHERE boot = $1 AND dead_at IS NULL
             RETURNING beat_at"
        ))
        .bind(boot.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        transaction.commit().await?;
        row.map(|row| Ok(Timestamp(row.try_get("beat_at")?))).transpose()
    }

    /// Declares nodes dead whose last beat is older than the lease; returns how many.
    pub async fn declare_dead(&self, lease_ms: i64) -> Result<u64, StorageError> {
        let clock = self.database().clock();
        let mut transaction = self.begin().await?;
        let declared = query(format!(
            "UPDATE nodes SET dead_at = {clock} WHERE dead_at IS NULL AND beat_at < {clock} - $1"
        ))
        .bind(lease_ms)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(declared)
    }

    /// A node leaves: others may take over its turns at once.
    pub async fn leave_node(&self, boot: BootId) -> Result<(), StorageError> {
        let clock = self.database().clock();
        let mut transaction = self.begin().await?;
        query(format!("UPDATE nodes SET dead_at = {clock} WHERE boot = $1 AND dead_at IS NULL"))
            .bind(boot.to_string())
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// All nodes that run or did in the last day.
    pub async fn nodes(&self) -> Result<Vec<Node>, StorageError> {
        let rows = query(
            "SELECT n.*, (SELECT COUNT(*) FROM turns t WHERE t.owner = n.boot
             AND t.status = 'running') AS turns FROM nodes n ORDER BY n.name, n.id",
        )
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(node).collect()
    }

    /// Names this installation, the same on every node.
    pub async fn installation(&self) -> Result<String, StorageError> {
        let mut transaction = self.begin().await?;
        query("INSERT INTO installation (one, id) VALUES (1, $1) ON CONFLICT (one) DO NOTHING")
            .bind(Uuid::now_v7().to_string())
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let row = query("SELECT id FROM installation").fetch_one(self.reader()).await?;
        Ok(row.try_get("id")?)
    }
}

fn node(row: &Row) -> Result<Node, StorageError> {
    let dead_at: Option<i64> = row.try_get("dead_at")?;
    Ok(Node {
        id: parsed(row, "id")?,
        boot: parsed(row, "boot")?,
        name: row.try_get("name")?,
        version: row.try_get("version")?,
        started_at: Timestamp(row.try_get("started_at")?),
        beat_at: Timestamp(row.try_get("beat_at")?),
        is_dead: dead_at.is_some(),
        turns: counter(row, "turns")?,
    })
}
