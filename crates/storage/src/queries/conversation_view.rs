//! A conversation with everything that a page shows of it.

use parlor_protocol::message::Message;
use parlor_protocol::{ConversationId, EventId};
use serde::Serialize;

use crate::error::StorageError;
use crate::scope::Scope;
use crate::served::Served;
use crate::store::Store;
use crate::tables::conversations::{self, Conversation};
use crate::tables::prompts::{self, Prompt, PromptView};
use crate::tables::{events, messages};

/// A conversation with its messages and the event id to read on from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConversationView {
    /// The conversation.
    #[serde(flatten)]
    pub conversation: Conversation,
    /// Its messages, in order.
    pub messages: Vec<Served<Message>>,
    /// Its prompts with their status, in order.
    pub prompts: Vec<PromptView>,
    /// The last event that is part of these messages.
    pub cursor: EventId,
}

impl Store {
    /// A conversation that is seen, with its messages, prompts and cursor, from one snapshot.
    pub async fn conversation_view(
        &self,
        scope: &Scope,
        id: ConversationId,
    ) -> Result<ConversationView, StorageError> {
        let mut snapshot = self.snapshot().await?;
        let conversation = conversations::find(&mut snapshot, scope, id).await?;
        let prompts = prompts::of_conversation(&mut snapshot, id).await?;
        Ok(ConversationView {
            conversation,
            messages: messages::of_conversation(&mut snapshot, id).await?,
            prompts: prompts.into_iter().map(Prompt::view).collect(),
            // Text that still streams is not a message yet: a reader that begins
            // at this cursor gets it from its beginning.
            cursor: EventId::durable(events::last_durable(&mut snapshot, id).await?),
        })
    }
}
