//! Conversations of clients that name them by ids of their own.
//!
//! Such an id comes with the first message already, and it may be guessed: it names a conversation
//! only to the person who began it, or to the session or key of the shared account that did.

use parlor_database::{Batch, query};
use parlor_protocol::{ConversationId, ExternalId, ProjectId, TenantId};

use crate::columns::parsed;
use crate::error::StorageError;
use crate::store::Store;

/// A conversation as a client names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalConversation {
    /// The person, or the session or key of the shared account.
    pub principal: String,
    /// The protocol that it speaks.
    pub surface: Surface,
    /// The project that it speaks to.
    pub project: ProjectId,
    /// Its own id of the conversation.
    pub id: ExternalId,
}

/// A protocol whose clients name conversations. Each has its own names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// AG-UI: `threadId`.
    AgUi,
    /// AI SDK: `id` of a chat.
    AiSdk,
    /// OpenAI: a header, or `conversation`.
    OpenAi,
}

impl Surface {
    fn as_str(self) -> &'static str {
        match self {
            Self::AgUi => "ag-ui",
            Self::AiSdk => "ai-sdk",
            Self::OpenAi => "openai",
        }
    }
}

impl Store {
    /// The conversation that a client names so, if it has begun.
    pub async fn external_conversation(
        &self,
        tenant: &TenantId,
        named: &ExternalConversation,
    ) -> Result<Option<ConversationId>, StorageError> {
        let row = query(
            "SELECT conversation_id FROM external_conversations WHERE tenant = $1
             AND principal = $2 AND surface = $3 AND project = $4 AND external_id = $5",
        )
        .bind(tenant.as_str())
        .bind(&named.principal)
        .bind(named.surface.as_str())
        .bind(named.project.as_str())
        .bind(named.id.as_str())
        .fetch_optional(self.reader())
        .await?;
        row.as_ref().map(|row| parsed(row, "conversation_id")).transpose()
    }
}

/// Names a conversation, in the write that begins it. A name that is taken is a conflict.
pub(crate) fn insert(
    batch: &mut Batch,
    tenant: &TenantId,
    conversation: ConversationId,
    named: &ExternalConversation,
) {
    batch
        .add(
            "INSERT INTO external_conversations
             (tenant, principal, surface, project, external_id, conversation_id)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(tenant.as_str())
        .bind(&named.principal)
        .bind(named.surface.as_str())
        .bind(named.project.as_str())
        .bind(named.id.as_str())
        .bind(conversation.to_string());
}
