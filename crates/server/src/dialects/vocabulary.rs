//! What an event is called and what it says, for every dialect.
//!
//! A dialect that puts something in its own way does so before it asks here.
//! Text is the bulk of it: nothing is copied on its way to the pen.

use std::fmt;

use parlor_protocol::{EventBody, ToolProgress};
use serde::{Serialize, Serializer};
use uuid::Uuid;

/// What a dialect does with a name and data.
pub(super) trait Pen {
    /// Writes an event.
    fn event(&mut self, name: &'static str, data: &impl Serialize);

    /// Writes an event whose data says itself in which conversation it happened.
    fn event_of_a_conversation(&mut self, name: &'static str, data: &impl Serialize) {
        self.event(name, data);
    }
}

/// Writes an event in the words that all dialects share.
pub(super) fn write(body: &EventBody, pen: &mut impl Pen) {
    match body {
        EventBody::Start { conversation_id, turn_id, message_id } => {
            let data = Start {
                conversation_id: Shown(conversation_id),
                turn_id: Shown(turn_id),
                message_id: message_id.as_ref().map(Shown),
            };
            pen.event_of_a_conversation("start", &data);
        }
        EventBody::Queued { turn_id } => pen.event("queued", &Queued { turn_id: Shown(turn_id) }),
        EventBody::Chunk { text, message_id } => {
            pen.event("chunk", &Text { text, message_id: Id(message_id.as_uuid()) });
        }
        EventBody::Snapshot { text, message_id } => {
            pen.event("snapshot", &Text { text, message_id: Id(message_id.as_uuid()) });
        }
        EventBody::Thinking { text, message_id } => {
            pen.event("thinking", &Text { text, message_id: Id(message_id.as_uuid()) });
        }
        EventBody::ToolUse { tool, call_id, status, progress } => {
            let (call_id, progress) = (Shown(call_id), progress.as_ref());
            pen.event("tool_use", &ToolUse { tool, call_id, status, progress });
        }
        EventBody::Artifact { kind, id } if kind == "recipe" => {
            pen.event("recipe_artifact", &RecipeArtifact { recipe_id: id });
        }
        EventBody::Artifact { kind, id } => pen.event("artifact", &Artifact { kind, id }),
        EventBody::Message(message) => pen.event_of_a_conversation("message", message),
        EventBody::UserPrompt(prompt) => pen.event_of_a_conversation("userPrompt", prompt),
        EventBody::UserPromptUpdated(updated) => pen.event("userPromptUpdated", updated),
        EventBody::UserPromptClosed(closed) => pen.event("userPromptClosed", closed),
        EventBody::Error { message, code, recoverable } => {
            pen.event("error", &Failure { message, code, recoverable: *recoverable });
        }
        EventBody::Done { conversation_id, turn_id, tokens_used, reason } => {
            let data = Done {
                conversation_id: Shown(conversation_id),
                turn_id: Shown(turn_id),
                tokens_used: *tokens_used,
                reason,
            };
            pen.event_of_a_conversation("done", &data);
        }
    }
}

/// The words of an event that streams text; of another one, none.
pub(super) fn words(body: &EventBody) -> &str {
    match body {
        EventBody::Chunk { text, .. }
        | EventBody::Snapshot { text, .. }
        | EventBody::Thinking { text, .. } => text,
        _ => "",
    }
}

/// The id of a message, written without a detour over formatting: there is one
/// in every piece of text.
struct Id<'a>(&'a Uuid);

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = Uuid::encode_buffer();
        serializer.serialize_str(self.0.hyphenated().encode_lower(&mut text))
    }
}

/// An id, written without being copied into a string first.
pub(super) struct Shown<T>(pub(super) T);

impl<T: fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[derive(Serialize)]
struct Start<C, T, M: Serialize> {
    conversation_id: C,
    turn_id: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<M>,
}

#[derive(Serialize)]
struct Queued<T> {
    turn_id: T,
}

#[derive(Serialize)]
struct Text<'a, M> {
    text: &'a str,
    message_id: M,
}

#[derive(Serialize)]
struct ToolUse<'a, C, S> {
    tool: &'a str,
    call_id: C,
    status: S,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<&'a ToolProgress>,
}

#[derive(Serialize)]
struct RecipeArtifact<'a> {
    recipe_id: &'a str,
}

#[derive(Serialize)]
struct Artifact<'a> {
    kind: &'a str,
    id: &'a str,
}

#[derive(Serialize)]
struct Failure<'a, C> {
    message: &'a str,
    code: C,
    recoverable: bool,
}

#[derive(Serialize)]
struct Done<C, T, R> {
    conversation_id: C,
    turn_id: T,
    tokens_used: Option<u64>,
    reason: R,
}
