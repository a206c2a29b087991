//! Allowances: "always allow this tool in this conversation" (P-11).

use parlor_database::{Connection, Row, query};
use parlor_protocol::{ConversationId, Timestamp};
use serde::Serialize;

use crate::error::StorageError;
use crate::store::Store;

/// A tool that is always allowed in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Allowance {
    /// The server of the tool.
    pub server: String,
    /// The tool, as the model calls it.
    pub tool: String,
    /// The tool as it was then; if it changes, the allowance no longer holds.
    #[serde(skip)]
    pub fingerprint: String,
    /// Who granted it.
    pub granted_by: String,
    /// When.
    pub granted_at: Timestamp,
}

impl Store {
    /// The allowances of a conversation, oldest first.
    pub async fn allowances(
        &self,
        conversation: ConversationId,
    ) -> Result<Vec<Allowance>, StorageError> {
        let rows =
            query("SELECT * FROM allowances WHERE conversation_id = $1 ORDER BY granted_at, tool")
                .bind(conversation.to_string())
                .fetch_all(self.reader())
                .await?;
        rows.iter().map(allowance).collect()
    }

    /// Revokes the allowance of a tool, or all of them; returns how many there were.
    pub async fn revoke_allowances(
        &self,
        conversation: ConversationId,
        tool: Option<&str>,
    ) -> Result<u64, StorageError> {
        let mut transaction = self.begin().await?;
        let revoked = query(
            "DELETE FROM allowances WHERE conversation_id = $1 AND ($2 IS NULL OR tool = $2)",
        )
        .bind(conversation.to_string())
        .bind(tool)
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(revoked)
    }
}

/// Grants an allowance, or renews it for the tool as it is now.
pub(crate) async fn grant(
    transaction: &mut Connection,
    conversation: ConversationId,
    allowance: &Allowance,
) -> Result<(), StorageError> {
    query(
        "INSERT INTO allowances (conversation_id, server, tool, fingerprint, granted_by, granted_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (conversation_id, server, tool)
         DO UPDATE SET fingerprint = $4, granted_by = $5, granted_at = $6",
    )
    .bind(conversation.to_string())
    .bind(&allowance.server)
    .bind(&allowance.tool)
    .bind(&allowance.fingerprint)
    .bind(&allowance.granted_by)
    .bind(allowance.granted_at.0)
    .execute(&mut *transaction)
    .await?;
    Ok(())
}

fn allowance(row: &Row) -> Result<Allowance, StorageError> {
    Ok(Allowance {
        server: row.try_get("server")?,
        tool: row.try_get("tool")?,
        fingerprint: row.try_get("fingerprint")?,
        granted_by: row.try_get("granted_by")?,
        granted_at: Timestamp(row.try_get("granted_at")?),
    })
}
