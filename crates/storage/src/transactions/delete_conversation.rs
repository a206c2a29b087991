//! Deletes a conversation and everything in it, but for the decisions of the audit.

use parlor_database::query;
use parlor_protocol::ConversationId;

use crate::error::StorageError;
use crate::scope::{Scope, sees};
use crate::store::Store;

impl Store {
    /// Deletes a conversation that is seen, and everything in it.
    pub async fn delete_conversation(
        &self,
        scope: &Scope,
        id: ConversationId,
    ) -> Result<(), StorageError> {
        let mut transaction = self.begin().await?;
        let delete =
            query(format!("DELETE FROM conversations AS c WHERE c.id = $1 AND {}", sees(2)));
        let delete = scope.bind(delete.bind(id.to_string()));
        let deleted = delete.execute(&mut *transaction).await?;
        if deleted == 0 {
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
        ] {
            query(statement).bind(id.to_string()).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}
