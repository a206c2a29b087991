//! "Try again": a message that is sent once more (U-1, U-5).
//!
//! 1. `retry_of` names a message of the conversation: a person's, or any of the
//!    turn that it began.
//! 2. What the request leaves out, the text or the picture, is that of the
//!    person's message. The picture is not stored twice.
//! 3. The new message says in its metadata which one it repeats, and the raw
//!    history which turn: of several tries the model is told the last
//!    ([`crate::context`]). People see them all.

use parlor_protocol::{ChatRequest, MessageId, TurnId};
use parlor_storage::NewImage;
use serde_json::Value;
use uuid::Uuid;

use crate::chat_agent::{Caller, Chat};
use crate::error::ChatError;

/// Where the raw history says which turn a message tries again.
const MARK: &str = "retry_of";

/// What is tried again.
#[derive(Debug)]
pub(crate) struct Retry {
    /// The person's message.
    pub(crate) message: MessageId,
    /// The turn that it began.
    pub(crate) turn: TurnId,
    /// Its picture, if the request brings none of its own.
    pub(crate) picture: Option<NewImage>,
}

impl Chat {
    /// Looks up what a request tries again, and fills in what it leaves out.
    pub(crate) async fn retried(
        &self,
        caller: &Caller,
        request: &mut ChatRequest,
    ) -> Result<Option<Retry>, ChatError> {
        let Some(named) = request.retry_of else { return Ok(None) };
        // A conversation that only begins has no such message.
        let conversation = request.conversation_id.ok_or(ChatError::NotFound)?;
        let asked = self.store().message_that_began(&caller.tenant, conversation, named).await?;
        let asked = asked.get();
        if request.message.trim().is_empty() {
            request.message.clone_from(&asked.content);
        }
        let picture = match picture_of(&asked.metadata) {
            Some(id) if request.image.is_none() => {
                let image = self.store().image(&caller.tenant, id).await?;
                Some(NewImage { id, media_type: image.media_type, bytes: image.bytes })
            }
            _ => None,
        };
        Ok(Some(Retry { message: asked.id, turn: asked.turn_id, picture }))
    }
}

/// Marks a part of the raw history as another try.
pub(crate) fn mark(history: &mut Value, turn: TurnId) {
    if let Value::Object(fields) = history {
        fields.insert(MARK.to_owned(), Value::String(turn.to_string()));
    }
}

/// The turn that a part of the raw history tries again.
pub(crate) fn marked(history: &Value) -> Option<TurnId> {
    history.get(MARK)?.as_str()?.parse().ok()
}

fn picture_of(metadata: &parlor_protocol::message::Metadata) -> Option<Uuid> {
    metadata.get("image")?.get("id")?.as_str()?.parse().ok()
}
