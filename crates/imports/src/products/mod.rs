//! The products whose exports are read, each in a file of its own. Shapes as their exports had
//! them in 2024 to 2026; a field that is missing is left out, never an error.

mod chatgpt;
mod claude;
mod librechat;
mod open_webui;

use serde::Serialize;
use serde_json::Value;

use crate::left_out::LeftOut;
use crate::text::text;
use crate::{Conversation, MOST_MESSAGES, Message};

/// A product whose exports are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Product {
    /// ChatGPT: `conversations.json`.
    ChatGpt,
    /// Claude: `conversations.json`.
    Claude,
    /// Open WebUI: `chat-export-….json`.
    #[serde(rename = "open-webui")]
    OpenWebUi,
    /// LibreChat: one file for each conversation.
    LibreChat,
}

impl Product {
    /// Its name in a database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChatGpt => "chatgpt",
            Self::Claude => "claude",
            Self::OpenWebUi => "open-webui",
            Self::LibreChat => "librechat",
        }
    }
}

/// The longest title and id that are kept, in characters.
const LONGEST_NAME: usize = 200;

/// What a product's reader finds in a conversation.
struct Found {
    id: Option<String>,
    title: Option<String>,
    began_at: Option<i64>,
    messages: Vec<Message>,
}

/// Reads one conversation of an export. `None` if no product writes such; without a conversation if
/// it holds no words.
pub(crate) fn read(
    value: &Value,
    left_out: &mut LeftOut,
) -> Option<(Product, Option<Conversation>)> {
    let has = |name: &str| value.get(name).is_some();
    let (product, found) = if has("mapping") {
        (Product::ChatGpt, chatgpt::read(value, left_out))
    } else if has("chat_messages") {
        (Product::Claude, claude::read(value, left_out))
    } else if value.get("chat").is_some_and(Value::is_object) {
        (Product::OpenWebUi, open_webui::read(value, left_out))
    } else if has("conversationId") && has("messages") {
        (Product::LibreChat, librechat::read(value, left_out))
    } else {
        return None;
    };
    Some((product, conversation(found, left_out)))
}

fn conversation(found: Found, left_out: &mut LeftOut) -> Option<Conversation> {
    let Found { id, title, began_at, mut messages } = found;
    let over = messages.len().saturating_sub(MOST_MESSAGES);
    left_out.messages = left_out.messages.saturating_add(u32::try_from(over).unwrap_or(u32::MAX));
    messages.drain(..over);
    let first = messages.first()?;
    let began_at = began_at.or(first.at);
    // Without an id, the first words tell one conversation from another.
    let id = id.filter(|id| !id.trim().is_empty()).unwrap_or_else(|| first.text.clone());
    Some(Conversation {
        id: short(&id),
        title: short(&title.unwrap_or_default()),
        began_at,
        messages,
    })
}

fn short(name: &str) -> String {
    let name = name.chars().filter(|c| !c.is_control());
    name.take(LONGEST_NAME).collect::<String>().trim().to_owned()
}

fn owned(value: &Value, name: &str) -> Option<String> {
    text(value, name).map(str::to_owned)
}
