//! The message that shows the result of a call (T-6): a short text, and all of it in the data.

use parlor_guard::Clean;
use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{CallId, ImageReference, MessageId, MessageType, Role, ToolResult, metadata};
use parlor_storage::StoredFile;
use uuid::Uuid;

use super::effect::{ResultCode, ShownResult};
use super::writer::TurnWriter;
use crate::texts::excerpt;

/// Adds the message to the next write, with its images.
pub(super) fn show(writer: &mut TurnWriter, shown: ShownResult) {
    let ShownResult { run, text, output, is_error, code, images, app, suspicious, of_others } =
        shown;
    let is_shown = app.as_ref().is_some_and(|app| app.is_shown);
    let login = (code == Some(ResultCode::LoginNeeded)).then(|| run.server.clone());
    let server = is_shown.then_some(run.server);
    let mut message = Message {
        role: Role::Tool,
        // Cut after masking: half of a secret no longer looks like one.
        content: excerpt(Clean::new(&writer.sanitizer, text).get()),
        data: Some(MessageData::ToolResult(ToolResult {
            name: run.tool,
            call_id: CallId::new(run.id),
            output,
            is_error,
            structured: app.and_then(|app| app.structured),
        })),
        ..writer.new_message(MessageId::new(Uuid::now_v7()), MessageType::ToolResult)
    };
    let facts = &mut message.metadata;
    if is_error {
        metadata::IS_ERROR.set(facts, &true);
    }
    if !images.is_empty() {
        let references: Vec<ImageReference> = images.iter().map(reference).collect();
        metadata::IMAGES.set(facts, &references);
    }
    if let Some(server) = server {
        metadata::APP.set(facts, server.as_str());
    }
    if of_others {
        metadata::OF_OTHERS.set(facts, &true);
        if let Some(origin) = run.label.and_then(|label| label.origin) {
            metadata::READ.set(facts, origin.as_str());
        }
    }
    if let Some(rule) = suspicious {
        metadata::SUSPICIOUS.set(facts, &rule);
    }
    if let Some(server) = login {
        metadata::LOGIN.set(facts, server.as_str());
    }
    if let Some(code) = code {
        metadata::CODE.set(facts, code.as_str());
    }
    writer.pending.step.images.extend(images);
    writer.add_message(message);
}

fn reference(image: &StoredFile) -> ImageReference {
    ImageReference { id: image.id, media_type: image.media_type.clone() }
}
