//! Conversations: creating, changing, stopping, deleting and restoring them, and who may.
//!
//! Whoever sees a conversation of the shared account, or a shared one, takes part in it. Who else
//! sees that of a person, and whether it stays, they alone say.

use std::time::Duration;

use parlor_fanout::Hint;
use parlor_protocol::{ConversationId, Mode, ProjectId, Visibility};
use parlor_storage::{
    Conversation, ConversationChanges, NewConversation, PlaceChange, StorageError,
};
use uuid::Uuid;

use crate::caller::Caller;
use crate::clock::now;
use crate::error::ChatError;
use crate::live_turns::Stop;
use crate::state::ChatState;
use crate::texts::title;

/// For what only the person may do whose conversation it is.
const NOT_OWN: &str = "Only the person whose conversation this is can do that.";

/// How long the turn of a deleted conversation has to end before it is restored.
const TURN_ENDS_WITHIN: Duration = Duration::from_secs(5);

/// Creates a conversation whose first message is yet to come.
pub(crate) async fn create(
    state: &ChatState,
    caller: &Caller,
    project: &ProjectId,
    mode: Mode,
    folder: Option<String>,
) -> Result<Conversation, ChatError> {
    let project = state.project(caller, project)?.id.clone();
    let id = ConversationId::new(Uuid::now_v7());
    let (title, person) = (String::new(), caller.person());
    let new = NewConversation { project, title, mode, folder, person };
    state.store.create_conversation(&caller.tenant, id, &new, now()).await?;
    Ok(state.store.conversation(&caller.scope, id).await?)
}

/// Changes a conversation. Readers who no longer see it end.
pub(crate) async fn update(
    state: &ChatState,
    caller: &Caller,
    id: ConversationId,
    changes: ConversationChanges<'_>,
) -> Result<(), ChatError> {
    let conversation = state.take_part(caller, id).await?;
    let is_own = conversation.person.is_some() && conversation.person == caller.person();
    // A visitor of another site has nobody here to share with.
    if changes.visibility.is_some() && (!is_own || caller.scope.is_visitor()) {
        return Err(ChatError::Forbidden(NOT_OWN));
    }
    let new_title = changes.title.map(title);
    let changes = ConversationChanges { title: new_title.as_deref(), ..changes };
    state.store.update_conversation(&caller.scope, id, changes).await?;
    if changes.visibility == Some(Visibility::Private) {
        state.audience_changed(id);
    }
    Ok(())
}

/// Stops the running turn of a conversation; false if there is none.
pub(crate) async fn stop(
    state: &ChatState,
    caller: &Caller,
    id: ConversationId,
) -> Result<bool, ChatError> {
    state.take_part(caller, id).await?;
    if state.live_turns.stop(id, Stop::Person) {
        return Ok(true);
    }
    // It may run on another node.
    let is_running = state.store.is_shared() && state.store.request_stop(id, now()).await?;
    if is_running {
        state.hint(Hint::Stop(id));
    }
    Ok(is_running)
}

/// Gives a conversation another place in the caller's own list.
pub(crate) async fn place(
    state: &ChatState,
    caller: &Caller,
    id: ConversationId,
    change: PlaceChange,
) -> Result<(), ChatError> {
    state.take_part(caller, id).await?;
    match state.store.place(&caller.scope.taking_part(), id, change, now()).await {
        Err(error @ StorageError::TooManyPinned) => Err(ChatError::Malformed(error.to_string())),
        placed => Ok(placed?),
    }
}

/// Deletes a conversation: stops its turn and ends its readers. That can be undone for a while, unless
/// it is deleted for good.
pub(crate) async fn delete(
    state: &ChatState,
    caller: &Caller,
    id: ConversationId,
    for_good: bool,
) -> Result<(), ChatError> {
    let for_good = for_good || state.projects.deleted_kept_for().is_zero();
    match state.take_part(caller, id).await {
        Ok(conversation) if !caller.scope.is_in_charge(conversation.person) => {
            return Err(ChatError::Forbidden(NOT_OWN));
        }
        Ok(_) => {}
        // It may be one that was deleted before.
        Err(ChatError::NotFound) if for_good => {}
        Err(error) => return Err(error),
    }
    let scope = caller.scope.taking_part();
    match for_good {
        true => state.store.delete_conversation(&scope, id).await?,
        false => state.store.hide_conversation(&scope, id, now()).await?,
    }
    state.forget(id);
    state.hint(Hint::Deleted(id));
    Ok(())
}

/// Undoes a deletion. A turn that ran writes its end before readers come back.
pub(crate) async fn restore(
    state: &ChatState,
    caller: &Caller,
    id: ConversationId,
) -> Result<(), ChatError> {
    let _in_time = tokio::time::timeout(TURN_ENDS_WITHIN, state.live_turns.ended(id)).await;
    Ok(state.store.restore_conversation(&caller.scope.taking_part(), id).await?)
}
