//! Conversations: creating, changing, stopping and deleting them, and who may.
//!
//! Whoever sees a conversation of the shared account, or a shared one, takes part in it. Who else
//! sees that of a person, and whether it stays, they alone say.

use parlor_fanout::Hint;
use parlor_protocol::{ConversationId, Mode, ProjectId, Visibility};
use parlor_storage::{Conversation, ConversationChanges, NewConversation};
use uuid::Uuid;

use crate::caller::Caller;
use crate::clock::now;
use crate::error::ChatError;
use crate::live_turns::Stop;
use crate::state::ChatState;
use crate::texts::title;

/// For what only the person may do whose conversation it is.
const NOT_OWN: &str = "Only the person whose conversation this is can do that.";

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

/// Deletes a conversation: stops its turn and ends its readers.
pub(crate) async fn delete(
    state: &ChatState,
    caller: &Caller,
    id: ConversationId,
) -> Result<(), ChatError> {
    let conversation = state.take_part(caller, id).await?;
    if !caller.scope.is_in_charge(conversation.person) {
        return Err(ChatError::Forbidden(NOT_OWN));
    }
    state.store.delete_conversation(&caller.scope, id).await?;
    state.forget(id);
    state.hint(Hint::Deleted(id));
    Ok(())
}
