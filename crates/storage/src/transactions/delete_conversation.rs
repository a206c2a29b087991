//! Deletes a conversation, in two steps (U-8).
//!
//! 1. It is hidden: nobody sees it, its turn is asked to end, its external names are free. That can be
//!    undone.
//! 2. Later it is deleted for good, with everything in it but for the decisions of the audit.

use parlor_database::{Batch, Query, query};
use parlor_protocol::{ConversationId, TenantId, Timestamp};

use crate::columns::parsed;
use crate::error::StorageError;
use crate::scope::{Scope, sees, sees_deleted};
use crate::store::Store;

impl Store {
    /// Hides a conversation that is seen, so that this can be undone.
    pub async fn hide_conversation(
        &self,
        scope: &Scope,
        id: ConversationId,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let hide = query(format!(
            "UPDATE conversations AS c SET deleted_at = $5 WHERE c.id = $1 AND {}",
            sees(2)
        ));
        let hide = scope.bind(hide.bind(id.to_string())).bind(now.0);
        if hide.execute(&mut *transaction).await? == 0 {
            return Err(StorageError::NotFound);
        }
        let mut batch = Batch::default();
        batch
            .add(
                "UPDATE turns SET stop_at = COALESCE(stop_at, $2)
                 WHERE conversation_id = $1 AND status = 'running'",
            )
            .bind(id.to_string())
            .bind(now.0);
        // The same message, sent once more, begins another conversation.
        batch
            .add("UPDATE turns SET client_message_id = NULL WHERE conversation_id = $1")
            .bind(id.to_string());
        batch
            .add("DELETE FROM external_conversations WHERE conversation_id = $1")
            .bind(id.to_string());
        transaction.run(batch).await?;
        Ok(transaction.commit().await?)
    }

    /// Undoes that.
    pub async fn restore_conversation(
        &self,
        scope: &Scope,
        id: ConversationId,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let restore = query(format!(
            "UPDATE conversations AS c SET deleted_at = NULL WHERE c.id = $1 AND {}",
            sees_deleted(2)
        ));
        let restore = scope.bind(restore.bind(id.to_string()));
        if restore.execute(&mut *transaction).await? == 0 {
            return Err(StorageError::NotFound);
        }
        Ok(transaction.commit().await?)
    }

    /// Some conversations that were hidden before then, the oldest first.
    pub async fn hidden_before(
        &self,
        then: Timestamp,
        limit: u32,
    ) -> Result<Vec<(TenantId, ConversationId)>, StorageError> {
        let rows = query(
            "SELECT tenant, id FROM conversations WHERE deleted_at IS NOT NULL AND deleted_at < $1
             ORDER BY deleted_at, id LIMIT $2",
        )
        .bind(then.0)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        rows.iter().map(|row| Ok((parsed(row, "tenant")?, parsed(row, "id")?))).collect()
    }

    /// Deletes a conversation for good, one that is seen or was hidden, and everything in it.
    pub async fn delete_conversation(
        &self,
        scope: &Scope,
        id: ConversationId,
    ) -> Result<(), StorageError> {
        let (seen, hidden) = (sees(2), sees_deleted(2));
        let delete = query(format!(
            "DELETE FROM conversations AS c WHERE c.id = $1 AND ({seen} OR {hidden})"
        ));
        self.delete_all_of(id, scope.bind(delete.bind(id.to_string()))).await
    }

    /// The same for one that is still hidden since before then, whoever's it is.
    pub async fn delete_hidden(
        &self,
        tenant: &TenantId,
        id: ConversationId,
        then: Timestamp,
    ) -> Result<(), StorageError> {
        let delete = query(
            "DELETE FROM conversations WHERE id = $1 AND tenant = $2 AND deleted_at IS NOT NULL
             AND deleted_at < $3",
        );
        let delete = delete.bind(id.to_string()).bind(tenant.as_str()).bind(then.0);
        self.delete_all_of(id, delete).await
    }

    /// Deletes the row of a conversation by this statement, and what is in it.
    async fn delete_all_of(&self, id: ConversationId, delete: Query) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        if delete.execute(&mut *transaction).await? == 0 {
            return Err(StorageError::NotFound);
        }
        for statement in [
            "DELETE FROM turns WHERE conversation_id = $1",
            "DELETE FROM events WHERE conversation_id = $1",
            "DELETE FROM deltas WHERE conversation_id = $1",
            "DELETE FROM messages WHERE conversation_id = $1",
            "DELETE FROM history WHERE conversation_id = $1",
            "DELETE FROM images WHERE conversation_id = $1",
            "DELETE FROM prompts WHERE conversation_id = $1",
            "DELETE FROM tool_runs WHERE conversation_id = $1",
            "DELETE FROM allowances WHERE conversation_id = $1",
            "DELETE FROM share_links WHERE conversation_id = $1",
            "DELETE FROM external_conversations WHERE conversation_id = $1",
            "DELETE FROM list_places WHERE conversation_id = $1",
            "DELETE FROM search_entries WHERE conversation_id = $1",
            "DELETE FROM push_messages WHERE conversation_id = $1",
            "DELETE FROM webhook_messages WHERE conversation_id = $1",
        ] {
            query(statement).bind(id.to_string()).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}
