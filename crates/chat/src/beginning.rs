//! A person's message, and all that is written with it.

use parlor_agents::{Block, HistoryMessage};
use parlor_guard::Clean;
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    ChatRequest, ConversationId, EventBody, MessageId, MessageType, Role, TurnId,
};
use parlor_storage::{BeginTurn, NewConversation, NewImage};
use uuid::Uuid;

use crate::chat_agent::Caller;
use crate::project::Project;
use crate::session::raw;
use crate::texts::now;

/// The write that acknowledges a message and begins its turn.
pub(crate) fn beginning(
    caller: &Caller,
    project: &Project,
    request: &ChatRequest,
    new: Option<NewConversation>,
    image: Option<NewImage>,
) -> BeginTurn {
    let at = now();
    let conversation =
        request.conversation_id.unwrap_or_else(|| ConversationId::new(Uuid::now_v7()));
    let turn = TurnId::new(Uuid::now_v7());
    let mut metadata = Metadata::new();
    if let Some(image) = &image {
        let image = serde_json::json!({"id": image.id, "media_type": image.media_type});
        metadata.insert("image".to_owned(), image);
    }
    let message = Message {
        id: MessageId::new(Uuid::now_v7()),
        conversation_id: conversation,
        turn_id: turn,
        role: Role::User,
        message_type: MessageType::Text,
        content: request.message.clone(),
        data: None,
        options: None,
        questions: None,
        metadata,
        created_at: at,
    };
    let start =
        EventBody::Start { conversation_id: conversation, turn_id: turn, message_id: message.id };
    let history = vec![raw(&history_of(&request.message, image.as_ref()))];
    let message = Clean::new(&project.sanitizer, message);
    BeginTurn {
        tenant: caller.tenant.clone(),
        conversation,
        new,
        turn,
        started_by: caller.session.clone(),
        client_message_id: request.client_message_id.clone(),
        start: Clean::new(&project.sanitizer, start),
        message_event: message.to_event(),
        message,
        history,
        image,
        block_message: MessageId::new(Uuid::now_v7()),
        now: at,
    }
}

fn history_of(text: &str, image: Option<&NewImage>) -> HistoryMessage {
    let mut message = HistoryMessage { role: Role::User, blocks: Vec::new() };
    if let Some(image) = image {
        message.blocks.push(Block::Image {
            media_type: image.media_type.clone(),
            data: data_encoding::BASE64.encode(&image.bytes),
        });
    }
    if !text.trim().is_empty() {
        message.blocks.push(Block::text(text));
    }
    message
}
