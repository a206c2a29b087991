//! The raw history that a model needs, in no vendor's format.
//!
//! A history is a list of messages, each a list of content blocks. It is written by the
//! agent, stored by `chat` as JSON that nobody else reads, and given back with the next
//! turn. Nothing is lost on the way:
//! - a block that only its vendor understands is a [`ContentBlock::Vendor`], and goes
//!   back to that vendor unchanged;
//! - a block that this version does not know is a [`ContentBlock::Unknown`], and is
//!   written again as it was read.

use parlor_protocol::Role;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::attached::{Attached, AttachedFile, Document, PDF};

/// The field in which a program's vendor block names its CLI session. Stored: it never
/// changes.
pub const CLI_SESSION: &str = "session";

/// What the largest picture costs that vendors do not scale down; and the picture of a page of a
/// PDF, which they look at beside its text.
const PICTURE: u64 = 1_600;

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryMessage {
    /// Who speaks.
    pub role: Role,
    /// Its content blocks, in order.
    pub blocks: Vec<ContentBlock>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum ContentBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// Its type, checked against its bytes by whoever took it in.
        media_type: String,
        /// Its bytes in base64.
        data: String,
    },
    /// A file that a person attached, as it is stored: its content is put in its place before a
    /// turn begins, as far as the model takes it.
    File(AttachedFile),
    /// The content of a file that is no picture. It is made for a turn, and never stored.
    Document(Document),
    /// The model wants a tool to be called.
    ToolUse {
        /// The model's own id of the call.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments: an object. Anything else is what the model wrote in
        /// its place, text that is no JSON as a string; such a call cannot be
        /// made, and is answered with an error.
        input: Value,
    },
    /// What came of a tool call.
    ToolResult {
        /// The model's id of the call.
        tool_use_id: String,
        /// What the tool gave back: texts and pictures.
        content: Vec<ContentBlock>,
        /// Whether the tool failed.
        is_error: bool,
    },
    /// Reasoning.
    Thinking {
        /// The reasoning, or what the vendor shows of it.
        text: String,
        /// The vendor's proof that it is the model's own. Reasoning that was
        /// cut off has none, and never goes back to the model.
        signature: Option<String>,
    },
    /// A block that only its vendor understands, such as encrypted reasoning.
    Vendor {
        /// Whose it is: the kind of the agent that wrote it.
        vendor: String,
        /// The block as it came.
        block: Value,
    },
    /// A block of another version of Parlor. It is kept, and not sent.
    Unknown(Value),
}

impl HistoryMessage {
    /// A text message of a person.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, blocks: vec![ContentBlock::text(text)] }
    }

    /// A text message of the agent.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, blocks: vec![ContentBlock::text(text)] }
    }

    /// The text of the message, blocks joined by blank lines.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.blocks.iter().filter_map(ContentBlock::as_text).collect();
        texts.join("\n\n")
    }

    /// Whether there is a picture in it, or a file that a model may refuse; also in what a tool gave
    /// back.
    pub fn has_picture(&self) -> bool {
        self.blocks.iter().any(ContentBlock::has_picture)
    }

    /// Replaces its pictures by a text, and other files by theirs.
    pub fn without_pictures(&mut self, words: &str) {
        self.blocks.iter_mut().for_each(|block| block.without_pictures(words));
    }

    /// The CLI sessions that a program wrote into this message. They are masked for people.
    pub fn cli_sessions(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match block {
            ContentBlock::Vendor { block, .. } => block.get(CLI_SESSION)?.as_str(),
            _ => None,
        })
    }

    /// Removes the CLI sessions: the next turn of the program begins another one.
    pub fn without_cli_sessions(&mut self) {
        self.blocks.retain(|block| match block {
            ContentBlock::Vendor { block, .. } => block.get(CLI_SESSION).is_none(),
            _ => true,
        });
    }

    /// Makes a call in this message the one that ran: a person may have changed its
    /// arguments. Says whether the call is in this message.
    pub fn amend_call(&mut self, call: &str, arguments: &Map<String, Value>) -> bool {
        let found = self.blocks.iter_mut().find_map(|block| match block {
            ContentBlock::ToolUse { id, input, .. } if id == call => Some(input),
            _ => None,
        });
        match found {
            Some(input) => {
                *input = Value::Object(arguments.clone());
                true
            }
            None => false,
        }
    }

    /// About how many tokens a model counts for this message.
    ///
    /// It is rather too high than too low: what is trimmed by it must fit.
    pub fn approximate_tokens(&self) -> u64 {
        const ROLE_AND_FRAME: u64 = 4;
        ROLE_AND_FRAME + self.blocks.iter().map(ContentBlock::approximate_tokens).sum::<u64>()
    }
}

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }

    fn has_picture(&self) -> bool {
        match self {
            Self::Image { .. } => true,
            Self::File(file) => file.is_picture() || file.media_type == PDF && !file.text_only,
            Self::Document(document) => document.data.is_some(),
            Self::ToolResult { content, .. } => content.iter().any(Self::has_picture),
            _ => false,
        }
    }

    fn without_pictures(&mut self, words: &str) {
        match self {
            Self::Image { .. } => *self = Self::text(words),
            Self::File(file) if file.is_picture() => *self = Self::text(words),
            Self::File(file) => file.text_only = true,
            Self::Document(document) => document.data = None,
            Self::ToolResult { content, .. } => {
                content.iter_mut().for_each(|block| block.without_pictures(words));
            }
            _ => {}
        }
    }

    /// About how many tokens a model counts for this block; rather too many.
    pub fn approximate_tokens(&self) -> u64 {
        match self {
            Self::Text { text } | Self::Thinking { text, .. } => tokens_of(text),
            Self::Image { .. } => PICTURE,
            Self::File(file) => file.tokens,
            Self::Document(document) => tokens_of(&document.text),
            Self::ToolUse { id, name, input } => {
                tokens_of(id) + tokens_of(name) + tokens_of(&input.to_string())
            }
            Self::ToolResult { tool_use_id, content, .. } => {
                tokens_of(tool_use_id) + content.iter().map(Self::approximate_tokens).sum::<u64>()
            }
            Self::Vendor { block, .. } => tokens_of(&block.to_string()),
            Self::Unknown(_) => 0,
        }
    }
}

/// About how many tokens a model counts for a file: a picture, or a text with as many pages that it
/// looks at.
pub fn tokens_of_file(is_picture: bool, text: &str, pages: u64) -> u64 {
    let pictures = if is_picture { 1 } else { pages };
    tokens_of(text).saturating_add(PICTURE.saturating_mul(pictures))
}

/// Three characters of plain English make a token at the least, other scripts
/// come close to one token for each character.
fn tokens_of(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    (ascii.div_ceil(3) + other) as u64
}

/// The blocks of this version as they are stored. An unknown field makes a
/// block unknown: reading it as ours would lose the field.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Known<B, S, V> {
    Text { text: S },
    Image { media_type: S, data: S },
    ToolUse { id: S, name: S, input: V },
    ToolResult { tool_use_id: S, content: B, is_error: bool },
    Thinking { text: S, signature: Option<S> },
    Vendor { vendor: S, block: V },
}

impl Serialize for ContentBlock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let known: Known<&[ContentBlock], &str, &Value> = match self {
            Self::File(file) => {
                return Attached::<&AttachedFile, &Document>::File(file).serialize(serializer);
            }
            Self::Document(document) => {
                return Attached::<&AttachedFile, &Document>::Document(document)
                    .serialize(serializer);
            }
            Self::Text { text } => Known::Text { text },
            Self::Image { media_type, data } => Known::Image { media_type, data },
            Self::ToolUse { id, name, input } => Known::ToolUse { id, name, input },
            Self::ToolResult { tool_use_id, content, is_error } => {
                Known::ToolResult { tool_use_id, content, is_error: *is_error }
            }
            Self::Thinking { text, signature } => {
                Known::Thinking { text, signature: signature.as_deref() }
            }
            Self::Vendor { vendor, block } => Known::Vendor { vendor, block },
            Self::Unknown(value) => return value.serialize(serializer),
        };
        known.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match Attached::<AttachedFile, Document>::deserialize(&value) {
            Ok(Attached::File(file)) => return Ok(Self::File(file)),
            Ok(Attached::Document(document)) => return Ok(Self::Document(document)),
            Err(_) => {}
        }
        Ok(match Known::<Vec<ContentBlock>, String, Value>::deserialize(&value) {
            Ok(Known::Text { text }) => Self::Text { text },
            Ok(Known::Image { media_type, data }) => Self::Image { media_type, data },
            Ok(Known::ToolUse { id, name, input }) => Self::ToolUse { id, name, input },
            Ok(Known::ToolResult { tool_use_id, content, is_error }) => {
                Self::ToolResult { tool_use_id, content, is_error }
            }
            Ok(Known::Thinking { text, signature }) => Self::Thinking { text, signature },
            Ok(Known::Vendor { vendor, block }) => Self::Vendor { vendor, block },
            Err(_) => Self::Unknown(value),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// K-1: what is stored comes back as it was, also what this version does not know.
    #[test]
    fn a_history_is_read_back_as_it_was_written() {
        let stored = json!([
            {"role": "user", "blocks": [
                {"type": "image", "media_type": "image/png", "data": "AAAA"},
                {"type": "file", "id": "00000000-0000-0000-0000-000000000001", "name": "a.pdf",
                 "media_type": "application/pdf", "bytes": 9, "tokens": 3, "mark": "m",
                 "suspicious": "order", "text_only": true},
                {"type": "file", "id": "00000000-0000-0000-0000-000000000002",
                 "media_type": "image/png", "bytes": 9, "tokens": 3, "mark": "m"},
                {"type": "file", "id": "00000000-0000-0000-0000-000000000003", "sealed": true,
                 "media_type": "image/png", "bytes": 9, "tokens": 3, "mark": "m"},
                {"type": "text", "text": "What is this?"},
            ]},
            {"role": "assistant", "blocks": [
                {"type": "thinking", "text": "Hm.", "signature": "c2ln"},
                {"type": "thinking", "text": "cut o", "signature": null},
                {"type": "vendor", "vendor": "anthropic",
                 "block": {"type": "redacted_thinking", "data": "x"}},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"z": 1, "a": [2]}},
            ]},
            {"role": "tool", "blocks": [
                {"type": "tool_result", "tool_use_id": "t1", "is_error": false,
                 "content": [{"type": "text", "text": "a cat"}, {"type": "sound", "hz": 440}]},
            ]},
            {"role": "assistant", "blocks": [
                {"type": "text", "text": "A cat.", "mood": "sure"},
                {"type": "hologram", "depth": 3},
                {"type": "text"},
                42,
            ]},
        ]);
        let history: Vec<HistoryMessage> = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(&history).unwrap(), stored);
        let unknown =
            history[3].blocks.iter().filter(|b| matches!(b, ContentBlock::Unknown(_))).count();
        assert_eq!(unknown, 4);
        assert!(matches!(history[0].blocks[1], ContentBlock::File(_)));
        // Of a later version.
        assert!(matches!(history[0].blocks[3], ContentBlock::Unknown(_)));
        assert_eq!(history[0].text(), "What is this?");
    }

    /// K-2: the estimate grows with what is said, in every script.
    #[test]
    fn tokens_are_rather_over_than_underestimated() {
        let english = "The quick brown fox jumps over the lazy dog. ".repeat(100);
        let tokens = HistoryMessage::user(english).approximate_tokens();
        assert!((1_000..2_000).contains(&tokens), "{tokens}");
        assert!(ContentBlock::text("これは日本語の文章です").approximate_tokens() >= 11);
        assert_eq!(ContentBlock::text("").approximate_tokens(), 0);
        let picture =
            ContentBlock::Image { media_type: "image/png".into(), data: "A".repeat(1 << 20) };
        assert!(picture.approximate_tokens() < 2_000);
    }
}
