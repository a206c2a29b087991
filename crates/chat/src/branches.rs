//! Branches: a message that is edited, another answer to one, and which branch to go on with (U-7).
//!
//! 1. `edit_of` names the message of a person that a new one takes the place of; `regenerate` names
//!    any message of a turn that a person began, whose message is sent again as it was.
//! 2. The new turn follows the turn that the old one follows. Both stay: the log has them one after
//!    the other, and the `start` of the new one says what it follows. What a model reads is the
//!    path to the turn, from the first one on.
//! 3. A mark in the raw history says that CLI sessions from before the branch know what was said in
//!    the other one: a program begins a new session and is told the words of the path.
//! 4. A person chooses the branch that the next message goes on with. Every open page follows.
//!
//! Nothing that tools did is undone; the new message says so if there is something.

use parlor_agent::HistoryMessage;
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::Message;
use parlor_protocol::{
    BranchChoice, ChatRequest, ConversationId, EventBody, MessageId, Role, TurnId, metadata,
};
use parlor_storage::StorageError;

use crate::caller::Caller;
use crate::clock::now;
use crate::error::ChatError;
use crate::fail_point::{self, FailPoint};
use crate::project::Project;
use crate::retries::{self, Repeated};
use crate::state::ChatState;
use crate::versions::{AsRead, Version};

/// Looks up the message that a request puts another one in the place of, and fills in what the
/// request leaves out.
pub(crate) async fn complete(
    state: &ChatState,
    caller: &Caller,
    request: &mut ChatRequest,
) -> Result<Option<Repeated>, ChatError> {
    let (named, is_edit) = match (request.edit_of, request.regenerate, request.retry_of) {
        (None, None, _) => return Ok(None),
        (Some(named), None, None) => (named, true),
        (None, Some(named), None) => (named, false),
        _ => return Err(malformed("name one of retry_of, edit_of and regenerate, not several")),
    };
    let Some(conversation) = request.conversation_id else {
        return Err(malformed("edit_of, regenerate: name the conversation_id of the message too"));
    };
    let old = message_that_began(state, caller, conversation, named, is_edit).await?;
    let as_read = match is_edit {
        true => None,
        false => {
            if !request.message.trim().is_empty() || request.has_files() {
                let why = "regenerate: the message is sent again as it was; edit_of changes it";
                return Err(malformed(why));
            }
            request.message.clone_from(&old.content);
            words_for_model(state, conversation, &old).await?
        }
    };
    if !is_edit {
        request.files = None;
    }
    let other_image = is_edit && request.image.is_some();
    let files = retries::kept_files(state, caller, &old, request, other_image).await?;
    let retry = match metadata::RETRY_OF.get(&old.metadata) {
        Some(first) => Some(retries::find(state, caller, conversation, first).await?),
        None => None,
    };
    request.clear_context |= metadata::CLEARS.get(&old.metadata) == Some(true);
    let version = Version { message: old.id, turn: old.turn_id, is_edit, changes_stay: false };
    Ok(Some(Repeated { version: Some(version), files, retry, as_read }))
}

/// The message of a person that began the turn of a message; for an edit it is that message.
async fn message_that_began(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
    named: MessageId,
    is_edit: bool,
) -> Result<Message, ChatError> {
    let (store, scope) = (&state.store, &caller.scope);
    let message = store.message(scope, conversation, named).await?;
    let began = match store.message_that_began(scope, conversation, named).await {
        Err(StorageError::NotFound) => {
            return Err(malformed("edit_of, regenerate: no message of a person began that turn"));
        }
        began => began?.into_inner(),
    };
    if is_edit && began.id != named {
        return Err(malformed(match message.get().role {
            Role::User => {
                "edit_of: that is an answer within a turn; name the message that began it"
            }
            _ => "edit_of: a person did not write that message; regenerate asks for another answer",
        }));
    }
    Ok(began)
}

/// A message as the model read it, if that was not what people read.
async fn words_for_model(
    state: &ChatState,
    conversation: ConversationId,
    message: &Message,
) -> Result<Option<AsRead>, ChatError> {
    let parts = state.store.history_of_turn(conversation, message.turn_id).await?;
    let first = parts.into_iter().rev().find_map(|part| {
        let message: HistoryMessage = serde_json::from_value(part.body).ok()?;
        (message.role == Role::User).then(|| message.text())
    });
    Ok(first.filter(|text| *text != message.content).map(AsRead))
}

/// Whether tools did something in a turn, or in those that follow it, that is not undone.
pub(crate) async fn changes_stay(
    state: &ChatState,
    project: &Project,
    conversation: ConversationId,
    turn: TurnId,
) -> Result<bool, ChatError> {
    let ran = state.store.tools_run_from(conversation, turn).await?;
    let tools = project.tools.as_ref().map(|tools| tools.list());
    let tools = tools.as_deref().unwrap_or_default();
    // In doubt it did: a tool that is not known any longer, or one of a program's own.
    let only_reads = |server: &str, name: &str| {
        let mut named = tools.iter().filter(|tool| tool.server == server && tool.spec.name == name);
        named.any(|tool| !tool.flow.sink.is)
    };
    Ok(ran.iter().any(|(server, name)| !only_reads(server, name)))
}

/// Goes on with the branch that a turn or a message is on: with its newest end, which is the answer.
pub(crate) async fn choose(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
    choice: BranchChoice,
) -> Result<TurnId, ChatError> {
    let (store, tenant) = (&state.store, &caller.tenant);
    state.take_part(caller, conversation).await?;
    let turn = match (choice.turn_id, choice.message_id) {
        (Some(turn), None) => turn,
        (None, Some(message)) => {
            store.message(&caller.scope, conversation, message).await?.get().turn_id
        }
        _ => return Err(malformed("name a turn_id or a message_id of the branch")),
    };
    let event = |turn_id| {
        let body = EventBody::BranchChosen { conversation_id: conversation, turn_id };
        Clean::new(&Sanitizer::default(), body)
    };
    match store.choose_branch(tenant, conversation, turn, event, now()).await {
        Ok(chosen) => {
            fail_point::reached(FailPoint::Chosen);
            if !chosen.events.is_empty() {
                state.live_turns.log(conversation).publish(chosen.events);
            }
            Ok(chosen.leaf)
        }
        Err(error) => Err(state.why_not_begun(conversation, error).await),
    }
}

fn malformed(why: &str) -> ChatError {
    ChatError::Malformed(why.to_owned())
}
