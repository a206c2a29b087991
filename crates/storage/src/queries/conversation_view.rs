//! A conversation with everything that a page shows of it.

use std::collections::{HashMap, HashSet};

use parlor_protocol::message::Message;
use parlor_protocol::{ConversationId, EventId, TurnId};
use serde::Serialize;

use crate::error::StorageError;
use crate::queries::branches::{self, TurnPlace};
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
    /// The last turn of the current path, if there are branches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf: Option<TurnId>,
    /// All turns in the order of the log, each with the one that it follows, if there are branches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnPlace>,
}

impl ConversationView {
    /// The messages of the current path.
    pub fn messages_of_path(&self) -> impl Iterator<Item = &Served<Message>> {
        let path = self.path();
        let is_on = move |turn| path.as_ref().is_none_or(|path| path.contains(&turn));
        self.messages.iter().filter(move |message| is_on(message.get().turn_id))
    }

    /// The turns of the current path, if there are branches.
    fn path(&self) -> Option<HashSet<TurnId>> {
        Some(path_to(&self.turns, self.leaf?))
    }
}

/// The turns from the first one to a leaf.
pub(crate) fn path_to(turns: &[TurnPlace], leaf: TurnId) -> HashSet<TurnId> {
    let parents: HashMap<TurnId, Option<TurnId>> =
        turns.iter().map(|place| (place.turn_id, place.parent)).collect();
    let up = |turn: &TurnId| parents.get(turn).copied().flatten();
    // A turn follows one that began before it, so this ends.
    std::iter::successors(Some(leaf), up).collect()
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
        let turns = match conversation.leaf {
            Some(_) => branches::of_conversation(&mut snapshot, id).await?,
            None => Vec::new(),
        };
        let leaf = turns.iter().find(|place| Some(place.start_seq) == conversation.leaf);
        Ok(ConversationView {
            leaf: leaf.map(|place| place.turn_id),
            turns,
            conversation,
            messages: messages::of_conversation(&mut snapshot, id).await?,
            prompts: prompts.into_iter().map(Prompt::view).collect(),
            // Text that still streams is not a message yet: a reader that begins
            // at this cursor gets it from its beginning.
            cursor: EventId::durable(events::last_durable(&mut snapshot, id).await?),
        })
    }
}
