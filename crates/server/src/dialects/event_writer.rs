//! The names and the data of events, for every dialect.
//!
//! A dialect that encodes an event in its own way does so before it comes here.
//! Streamed text is the bulk of it: it is not copied on its way to the writer.

use std::fmt;

use parlor_protocol::{Branch, EventBody, ToolProgress};
use serde::{Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

/// Writes the events of one dialect.
pub(super) trait EventWriter {
    /// Writes an event.
    fn event(&mut self, name: &'static str, data: &impl Serialize);

    /// Writes an event whose data names its conversation.
    fn conversation_event(&mut self, name: &'static str, data: &impl Serialize) {
        self.event(name, data);
    }
}

/// Writes an event with the name and the data that all dialects share.
pub(super) fn write_event(body: &EventBody, writer: &mut impl EventWriter) {
    match body {
        EventBody::Start { conversation_id, turn_id, message_id, app, branch } => {
            let data = Start {
                conversation_id: AsDisplay(conversation_id),
                turn_id: AsDisplay(turn_id),
                message_id: message_id.as_ref().map(AsDisplay),
                app: app.as_deref(),
                branch: branch.as_ref(),
            };
            writer.conversation_event("start", &data);
        }
        EventBody::BranchChosen { conversation_id, turn_id } => {
            let (conversation_id, turn_id) = (AsDisplay(conversation_id), AsDisplay(turn_id));
            writer.conversation_event("branch_chosen", &BranchChosen { conversation_id, turn_id });
        }
        EventBody::Queued { turn_id } => {
            writer.event("queued", &Queued { turn_id: AsDisplay(turn_id) })
        }
        EventBody::Chunk { text, message_id } => {
            writer.event("chunk", &Text { text, message_id: FastUuid(message_id.as_uuid()) });
        }
        EventBody::Snapshot { text, message_id } => {
            writer.event("snapshot", &Text { text, message_id: FastUuid(message_id.as_uuid()) });
        }
        EventBody::Thinking { text, message_id } => {
            writer.event("thinking", &Text { text, message_id: FastUuid(message_id.as_uuid()) });
        }
        EventBody::ToolUse { tool, call_id, status, input, progress } => {
            let call_id = AsDisplay(call_id);
            let (input, progress) = (input.as_ref(), progress.as_ref());
            writer.event("tool_use", &ToolUse { tool, call_id, status, input, progress });
        }
        EventBody::Artifact { kind, id } if kind == "recipe" => {
            writer.event("recipe_artifact", &RecipeArtifact { recipe_id: id });
        }
        EventBody::Artifact { kind, id } => writer.event("artifact", &Artifact { kind, id }),
        EventBody::Message(message) => writer.conversation_event("message", message),
        EventBody::UserPrompt(prompt) => writer.conversation_event("userPrompt", prompt),
        EventBody::UserPromptUpdated(updated) => writer.event("userPromptUpdated", updated),
        EventBody::UserPromptClosed(closed) => writer.event("userPromptClosed", closed),
        EventBody::Error { message, code, recoverable } => {
            writer.event("error", &Failure { message, code, recoverable: *recoverable });
        }
        EventBody::Done { conversation_id, turn_id, tokens_used, reason } => {
            let data = Done {
                conversation_id: AsDisplay(conversation_id),
                turn_id: AsDisplay(turn_id),
                tokens_used: *tokens_used,
                reason,
            };
            writer.conversation_event("done", &data);
        }
    }
}

/// The text of an event that streams text; empty for all others.
pub(super) fn streamed_text(body: &EventBody) -> &str {
    match body {
        EventBody::Chunk { text, .. }
        | EventBody::Snapshot { text, .. }
        | EventBody::Thinking { text, .. } => text,
        _ => "",
    }
}

/// The id of a message, encoded without the formatting machinery: there is one in
/// every piece of text.
struct FastUuid<'a>(&'a Uuid);

impl Serialize for FastUuid<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = Uuid::encode_buffer();
        serializer.serialize_str(self.0.hyphenated().encode_lower(&mut text))
    }
}

/// Serializes a value by its `Display`, without a string in between.
pub(super) struct AsDisplay<T>(pub(super) T);

impl<T: fmt::Display> Serialize for AsDisplay<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[derive(Serialize)]
struct Start<'a, C, T, M: Serialize> {
    conversation_id: C,
    turn_id: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<M>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a Branch>,
}

#[derive(Serialize)]
struct BranchChosen<C, T> {
    conversation_id: C,
    turn_id: T,
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
    input: Option<&'a Value>,
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
