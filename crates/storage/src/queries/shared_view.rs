//! What a link shows of a conversation (Y-2): a list of what may go out, and nothing beside it.
//!
//! - The messages of one path, up to where the link ends. No prompts, no other versions, no events.
//! - What people said with their pictures, and the names of other files, what the agent said to them, its questions and plans. Not
//!   how it thinks, what it asked to be allowed, the arguments of a call, or why something failed.
//! - Of a tool its name; what it gave back only if whoever made the link chose that.
//! - A message names the link, and not its conversation.

use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{
    ConversationId, EventId, FileReference, ImageReference, MessageType, Metadata, Role, Timestamp,
    metadata,
};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::error::StorageError;
use crate::queries::branches;
use crate::queries::conversation_view::path_to;
use crate::scope::Scope;
use crate::served::Served;
use crate::store::Store;
use crate::tables::share_links::ShareLink;
use crate::tables::{conversations, events, messages};

/// What a link shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SharedView {
    /// The title.
    pub title: Served<String>,
    /// When the link was made.
    pub shared_at: Timestamp,
    /// Whether it shows what follows too.
    pub follows: bool,
    /// Whether the agent answers at this moment, if the link shows what follows.
    pub running: bool,
    /// The messages, in order.
    pub messages: Vec<Served<Message>>,
    /// The last event that is part of them.
    pub cursor: EventId,
}

impl SharedView {
    /// Whether a picture is part of it.
    pub fn has_image(&self, id: Uuid) -> bool {
        let shows = |facts: &Metadata| {
            metadata::IMAGE.get(facts).is_some_and(|image| image.id == id)
                || images(facts).iter().any(|image| image.id == id)
                || files(facts).iter().any(|file| file.id == id && file.is_picture())
        };
        self.messages.iter().any(|message| shows(&message.get().metadata))
    }
}

impl Store {
    /// What a link shows, from one snapshot.
    pub async fn shared_view(&self, link: &ShareLink) -> Result<SharedView, StorageError> {
        let mut snapshot = self.snapshot().await?;
        let scope = Scope::of_server(link.tenant.clone());
        let conversation = conversations::find(&mut snapshot, &scope, link.conversation).await?;
        let follows = link.until.is_none();
        let leaf = if follows { conversation.leaf } else { link.leaf };
        let path = match leaf {
            Some(number) => {
                let turns = branches::of_conversation(&mut snapshot, link.conversation).await?;
                let leaf = turns.iter().find(|place| place.start_seq == number);
                leaf.map(|leaf| path_to(&turns, leaf.turn_id))
            }
            None => None,
        };
        let all = messages::up_to(&mut snapshot, link.conversation, link.until).await?;
        let is_on = |message: &Message| path.as_ref().is_none_or(|p| p.contains(&message.turn_id));
        let shown = all.into_iter().filter(is_on).filter_map(|message| shown(message, link));
        let last = events::last_durable(&mut snapshot, link.conversation).await?;
        Ok(SharedView {
            title: link.title.clone().map_or(conversation.title, Served::new),
            shared_at: link.created_at,
            follows,
            running: follows && conversation.running,
            messages: shown.map(Served::new).collect(),
            cursor: EventId::durable(link.until.unwrap_or(last)),
        })
    }
}

/// A message as the link shows it, if it does.
fn shown(message: Message, link: &ShareLink) -> Option<Message> {
    let from_person = message.role == Role::User;
    let (content, data) = match message.message_type {
        MessageType::Error | MessageType::Thinking | MessageType::ToolCall => return None,
        MessageType::ToolResult => result(message.content, message.data, link.results)?,
        MessageType::Question | MessageType::Plan => (message.content, message.data),
        MessageType::Text
        | MessageType::Info
        | MessageType::MultiQuestion
        | MessageType::Unknown(_) => (message.content, None),
    };
    let mut facts = Metadata::new();
    if from_person && let Some(image) = metadata::IMAGE.get(&message.metadata) {
        metadata::IMAGE.set(&mut facts, &image);
    }
    // Of what is no picture the name is shown, and not the content.
    let of_person = files(&message.metadata);
    if from_person && !of_person.is_empty() {
        metadata::FILES.set(&mut facts, &of_person);
    }
    let of_result = images(&message.metadata);
    if link.results && !of_result.is_empty() {
        metadata::IMAGES.set(&mut facts, &of_result);
    }
    if metadata::WITHHELD.get(&message.metadata) == Some(true) {
        metadata::WITHHELD.set(&mut facts, &true);
    }
    let conversation_id = link.id.to_string().parse::<ConversationId>().ok()?;
    Some(Message { conversation_id, content, data, metadata: facts, ..message })
}

/// A tool's result, or of it that the tool ran.
fn result(
    content: String,
    data: Option<MessageData>,
    whole: bool,
) -> Option<(String, Option<MessageData>)> {
    // What is not a result in our shape may be anything.
    let Some(MessageData::ToolResult(mut result)) = data else { return None };
    // It is for the app that shows the result, which a link does not have.
    result.structured = None;
    if !whole {
        result.output = Value::Null;
    }
    let content = if whole { content } else { String::new() };
    Some((content, Some(MessageData::ToolResult(result))))
}

fn files(facts: &Metadata) -> Vec<FileReference> {
    let listed = metadata::FILES.raw(facts).cloned().unwrap_or_default();
    serde_json::from_value(listed).unwrap_or_default()
}

fn images(facts: &Metadata) -> Vec<ImageReference> {
    let listed = metadata::IMAGES.raw(facts).cloned().unwrap_or_default();
    serde_json::from_value(listed).unwrap_or_default()
}
