//! Lists of conversations: what is found, where each stands, and which are deleted.

use parlor_protocol::ConversationId;
use parlor_storage::{ConversationFilter, ConversationPage, PageCursor, PlaceChange, SearchPage};

use super::Chat;
use crate::caller::Caller;
use crate::conversations;
use crate::error::ChatError;

/// Conversations on a page of the list.
const CONVERSATIONS_PER_PAGE: u32 = 50;
/// Messages on a page of what was found.
const FOUND_PER_PAGE: u32 = 20;

impl Chat {
    /// A page of the conversations that the caller takes part in, or, for `everybody`, of all that
    /// they see: some administrators read those of others.
    pub async fn conversations(
        &self,
        caller: &Caller,
        everybody: bool,
        filter: ConversationFilter<'_>,
        before: Option<&PageCursor>,
    ) -> Result<ConversationPage, ChatError> {
        let (store, limit) = (&self.state.store, CONVERSATIONS_PER_PAGE);
        let scope = if everybody { caller.scope.clone() } else { caller.scope.taking_part() };
        Ok(store.conversations(&scope, filter, before, limit).await?)
    }

    /// Gives a conversation another place in the caller's own list.
    pub async fn place(
        &self,
        caller: &Caller,
        id: ConversationId,
        change: PlaceChange,
    ) -> Result<(), ChatError> {
        conversations::place(&self.state, caller, id, change).await
    }

    /// Deletes a conversation: stops its turn and ends its readers. That of a person is deleted by
    /// them alone. It can be undone for a while, unless it is deleted for good.
    pub async fn delete(
        &self,
        caller: &Caller,
        id: ConversationId,
        for_good: bool,
    ) -> Result<(), ChatError> {
        conversations::delete(&self.state, caller, id, for_good).await
    }

    /// Undoes the deletion of a conversation.
    pub async fn restore(&self, caller: &Caller, id: ConversationId) -> Result<(), ChatError> {
        conversations::restore(&self.state, caller, id).await
    }

    /// What is found in the conversations that the caller takes part in, newest first.
    pub async fn search(
        &self,
        caller: &Caller,
        typed: &str,
        before: Option<&PageCursor>,
    ) -> Result<SearchPage, ChatError> {
        let scope = caller.scope.taking_part();
        Ok(self.state.store.search(&scope, typed, before, FOUND_PER_PAGE).await?)
    }
}
