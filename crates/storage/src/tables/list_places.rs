//! Where somebody has a conversation in their list: on top, in the archive, or where it is by its time.

use parlor_database::query;
use parlor_protocol::{ConversationId, Timestamp};

use crate::error::{MOST_PINNED, StorageError};
use crate::scope::{Scope, sees};
use crate::store::Store;

/// What changes about the place; `None` leaves it as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlaceChange {
    /// Whether it is on top.
    pub pinned: Option<bool>,
    /// Whether it is in the archive.
    pub archived: Option<bool>,
}

impl PlaceChange {
    /// Whether nothing changes.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl Store {
    /// Gives a conversation that is seen another place in the viewer's list. `TooMany` if it has no
    /// room on top.
    pub async fn place(
        &self,
        scope: &Scope,
        id: ConversationId,
        change: PlaceChange,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let viewer = scope.viewer_key();
        if change.pinned == Some(true) {
            let row = query(
                "SELECT COUNT(*) AS pinned FROM list_places WHERE viewer = $1
                 AND pinned_at IS NOT NULL AND conversation_id <> $2
                 AND EXISTS (SELECT 1 FROM conversations c
                     WHERE c.id = conversation_id AND c.tenant = $3 AND c.deleted_at IS NULL)",
            )
            .bind(&viewer)
            .bind(id.to_string())
            .bind(scope.tenant().as_str())
            .fetch_one(&mut *transaction)
            .await?;
            if row.try_get::<i64>("pinned")? >= i64::from(MOST_PINNED) {
                return Err(StorageError::TooManyPinned);
            }
        }
        let upsert = query(format!(
            "INSERT INTO list_places (conversation_id, viewer, pinned_at, archived_at)
             SELECT c.id, $5, CASE WHEN $6 = 1 THEN $8 END, CASE WHEN $7 = 1 THEN $8 END
             FROM conversations c WHERE c.id = $1 AND {}
             ON CONFLICT (conversation_id, viewer) DO UPDATE SET
             pinned_at = CASE $6 WHEN 1 THEN COALESCE(list_places.pinned_at, $8)
                 WHEN 0 THEN NULL ELSE list_places.pinned_at END,
             archived_at = CASE $7 WHEN 1 THEN COALESCE(list_places.archived_at, $8)
                 WHEN 0 THEN NULL ELSE list_places.archived_at END",
            sees(2)
        ));
        let placed = scope
            .bind(upsert.bind(id.to_string()))
            .bind(viewer)
            .bind(change.pinned.map(i64::from))
            .bind(change.archived.map(i64::from))
            .bind(now.0)
            .execute(&mut *transaction)
            .await?;
        if placed == 0 {
            return Err(StorageError::NotFound);
        }
        Ok(transaction.commit().await?)
    }
}
