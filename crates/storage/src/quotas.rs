//! How much of their limits senders have used: one number for each.

use sqlx::Row;

use crate::error::StorageError;
use crate::store::Store;
use parlor_sqlite::Batch;

/// What one sender has used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedQuota {
    /// Who.
    pub sender: String,
    /// From when on it is as if nothing had been sent, in microseconds since 1970.
    pub rested_at: i64,
}

impl Store {
    /// What senders have used that have not rested by `now`.
    pub async fn used_quotas(&self, now: i64) -> Result<Vec<UsedQuota>, StorageError> {
        let rows = sqlx::query("SELECT sender, rested_at FROM quotas WHERE rested_at > $1")
            .bind(now)
            .fetch_all(self.reader())
            .await?;
        rows.iter()
            .map(|row| {
                Ok(UsedQuota {
                    sender: row.try_get("sender")?,
                    rested_at: row.try_get("rested_at")?,
                })
            })
            .collect()
    }

    /// Notes what senders have used, and forgets those that have rested by `now`.
    pub async fn save_quotas(&self, used: &[UsedQuota], now: i64) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.add("DELETE FROM quotas WHERE rested_at <= $1").bind(now);
        for UsedQuota { sender, rested_at } in used {
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
