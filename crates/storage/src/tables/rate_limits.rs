//! How much of their rate limits senders have used: one number for each.
//!
//! These are the reads and writes of a node that counts in memory, because it is the only
//! one. Several nodes count in the rows themselves: `postgres_only`.

use parlor_database::{Batch, query};

use crate::error::StorageError;
use crate::store::Store;

/// What one sender has used of a rate limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitUse {
    /// The sender.
    pub sender: String,
    /// When the limit is unused again, in microseconds since 1970.
    pub rested_at: i64,
}

impl Store {
    /// The limits that are in use at `now`.
    pub async fn rate_limit_uses(&self, now: i64) -> Result<Vec<RateLimitUse>, StorageError> {
        let rows = query("SELECT sender, rested_at FROM quotas WHERE rested_at > $1")
            .bind(now)
            .fetch_all(self.reader())
            .await?;
        rows.iter()
            .map(|row| {
                Ok(RateLimitUse {
                    sender: row.try_get("sender")?,
                    rested_at: row.try_get("rested_at")?,
                })
            })
            .collect()
    }

    /// Stores what senders have used, and deletes what is unused again at `now`.
    pub async fn save_rate_limit_uses(
        &self,
        used: &[RateLimitUse],
        now: i64,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.add("DELETE FROM quotas WHERE rested_at <= $1").bind(now);
        for RateLimitUse { sender, rested_at } in used {
            batch
                .add(
                    "INSERT INTO quotas (sender, rested_at) VALUES ($1, $2)
                     ON CONFLICT (sender) DO UPDATE SET rested_at = $2",
                )
                .bind(sender)
                .bind(rested_at);
        }
        self.run(batch).await
    }
}
