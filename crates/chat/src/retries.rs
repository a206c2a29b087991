//! "Try again": a message that is sent once more (U-1, U-5).
//!
//! 1. `retry_of` names a message of the conversation: a person's, or any of the turn that
//!    it began.
//! 2. Text, image or files that the request leaves out are those of the person's message. They
//!    are not stored twice.
//! 3. The metadata of the new message names the message that it repeats, and the raw history
//!    names the turn: of several attempts the model reads the last
//!    ([`crate::turn`]'s context). People see them all.

use parlor_protocol::message::Message;
use parlor_protocol::{
    ChatRequest, ConversationId, FileReference, ImageReference, MessageId, TurnId, metadata,
};
use serde::Deserialize as _;
use serde_json::Value;

use crate::caller::Caller;
use crate::error::ChatError;
use crate::files::MessageFile;
use crate::state::ChatState;
use crate::versions::{AsRead, Version};

/// The key of the raw history that names the turn that is tried again.
const MARK: &str = "retry_of";

/// What is tried again.
#[derive(Debug)]
pub(crate) struct Retry {
    /// The person's message.
    pub(crate) message: MessageId,
    /// The turn that it began.
    pub(crate) turn: TurnId,
}

/// What a request takes over from a message that was sent before.
#[derive(Debug, Default)]
pub(crate) struct Repeated {
    /// What it tries again.
    pub(crate) retry: Option<Retry>,
    /// The files, unless the request has its own.
    pub(crate) files: Vec<MessageFile>,
    /// The message in whose place it is.
    pub(crate) version: Option<Version>,
    /// The message as the model reads it, if that is not the same.
    pub(crate) as_read: Option<AsRead>,
}

/// Looks up what a request tries again, and fills in what it leaves out.
pub(crate) async fn complete(
    state: &ChatState,
    caller: &Caller,
    request: &mut ChatRequest,
) -> Result<Repeated, ChatError> {
    let Some(named) = request.retry_of else { return Ok(Repeated::default()) };
    // A new conversation has no message to try again.
    let conversation = request.conversation_id.ok_or(ChatError::NotFound)?;
    let asked = state.store.message_that_began(&caller.scope, conversation, named).await?;
    let asked = asked.get();
    if request.message.trim().is_empty() {
        request.message.clone_from(&asked.content);
    }
    let files = kept_files(state, caller, asked, request, matches!(request.image, Some(Some(_))));
    let files = files.await?;
    let retry = Some(Retry { message: asked.id, turn: asked.turn_id });
    Ok(Repeated { retry, files, ..Repeated::default() })
}

/// What was tried again, by its message.
pub(crate) async fn find(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
    message: MessageId,
) -> Result<Retry, ChatError> {
    let asked = state.store.message_that_began(&caller.scope, conversation, message).await?;
    Ok(Retry { message: asked.get().id, turn: asked.get().turn_id })
}

/// The files of a message that a request keeps: those for which it has no others.
pub(crate) async fn kept_files(
    state: &ChatState,
    caller: &Caller,
    message: &Message,
    request: &ChatRequest,
    other_image: bool,
) -> Result<Vec<MessageFile>, ChatError> {
    let image: Option<ImageReference> = metadata::IMAGE.get(&message.metadata);
    let image = image.filter(|_| !other_image).map(|image| (image.id, true));
    let files = metadata::FILES.raw(&message.metadata).filter(|_| request.files.is_none());
    let files: Vec<FileReference> =
        files.and_then(|files| Vec::deserialize(files).ok()).unwrap_or_default();
    let mut kept = Vec::new();
    for (id, is_image) in image.into_iter().chain(files.iter().map(|file| (file.id, false))) {
        let file = state.store.file(&caller.scope, id).await?;
        kept.push(MessageFile { file, is_image, is_stored: true });
    }
    Ok(kept)
}

/// Marks a part of the raw history as another attempt at a turn.
pub(crate) fn mark(history: &mut Value, turn: TurnId) {
    if let Value::Object(fields) = history {
        fields.insert(MARK.to_owned(), Value::String(turn.to_string()));
    }
}

/// The turn that a part of the raw history tries again.
pub(crate) fn marked(history: &Value) -> Option<TurnId> {
    history.get(MARK)?.as_str()?.parse().ok()
}
