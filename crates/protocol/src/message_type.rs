//! The types that a message can have (C-1), and what becomes of a type that
//! this version does not know (T-7).
//!
//! Code that treats types differently matches on [`MessageType`] without a
//! wildcard, so that a new type does not compile until every such place has
//! decided what to do with it. CONTRIBUTING.md lists the places.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a message is, and so which card shows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(type = "\"text\" | \"question\" | \"multi_question\" | \"info\" | \"tool_result\" | \
        \"error\" | \"thinking\" | \"plan\" | \"tool_call\" | (string & {})")
)]
pub enum MessageType {
    /// Without a semantic class: what people write, old rows, unknown types.
    #[default]
    Text,
    /// One question that expects an answer.
    Question,
    /// Options to choose from, or several questions answered together.
    MultiQuestion,
    /// An agent's text; the fallback for its output.
    Info,
    /// What a tool did, or is doing.
    ToolResult,
    /// Something failed.
    Error,
    /// How the agent reasons.
    Thinking,
    /// A plan that can be carried out or refined.
    Plan,
    /// A tool that waits for approval.
    ToolCall,
    /// A type of a newer version. It is shown as text and keeps its name.
    Unknown(Box<str>),
}

impl MessageType {
    /// Every type that this version knows.
    pub const KNOWN: [Self; 9] = [
        Self::Text,
        Self::Question,
        Self::MultiQuestion,
        Self::Info,
        Self::ToolResult,
        Self::Error,
        Self::Thinking,
        Self::Plan,
        Self::ToolCall,
    ];

    /// The name on the wire and in storage.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text => "text",
            Self::Question => "question",
            Self::MultiQuestion => "multi_question",
            Self::Info => "info",
            Self::ToolResult => "tool_result",
            Self::Error => "error",
            Self::Thinking => "thinking",
            Self::Plan => "plan",
            Self::ToolCall => "tool_call",
            Self::Unknown(name) => name,
        }
    }

    /// Reads a name in `snake_case` or `PascalCase` (T-1). Every name is a
    /// type: what is not known is [`MessageType::Unknown`], and none is `text`.
    pub fn from_name(name: &str) -> Self {
        Self::KNOWN.into_iter().find(|known| is_spelling_of(name, known.as_str())).unwrap_or_else(
            || match name {
                "" => Self::Text,
                other => Self::Unknown(other.into()),
            },
        )
    }
}

/// True for `multi_question` itself and for `MultiQuestion`.
fn is_spelling_of(name: &str, snake: &str) -> bool {
    let pascal = snake.split('_').flat_map(|word| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
    });
    name == snake || name.chars().eq(pascal)
}

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for MessageType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for MessageType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Option::<String>::deserialize(deserializer)?;
        Ok(name.as_deref().map_or(Self::Text, Self::from_name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-1: both spellings are read, one is written.
    #[test]
    fn names_are_read_in_snake_case_and_pascal_case() {
        for known in MessageType::KNOWN {
            assert_eq!(MessageType::from_name(known.as_str()), known);
        }
        for (pascal, known) in [
            ("Text", MessageType::Text),
            ("Question", MessageType::Question),
            ("MultiQuestion", MessageType::MultiQuestion),
            ("ToolCall", MessageType::ToolCall),
            ("ToolResult", MessageType::ToolResult),
            ("Plan", MessageType::Plan),
        ] {
            assert_eq!(MessageType::from_name(pascal), known);
            assert_eq!(serde_json::to_value(&known).unwrap(), known.as_str());
        }
    }

    /// T-7: a type of a newer version keeps its name, both ways.
    #[test]
    fn an_unknown_type_keeps_its_name() {
        let read: MessageType = serde_json::from_str("\"Hologram\"").unwrap();
        assert_eq!(read, MessageType::Unknown("Hologram".into()));
        assert_eq!(serde_json::to_string(&read).unwrap(), "\"Hologram\"");
    }

    /// T-1: no name at all is `text`.
    #[test]
    fn no_name_is_text() {
        assert_eq!(serde_json::from_str::<MessageType>("null").unwrap(), MessageType::Text);
        assert_eq!(MessageType::from_name(""), MessageType::Text);
    }
}
