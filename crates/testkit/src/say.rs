//! What a scripted model says, independent of the wire format.

use serde_json::Value;

/// One thing that is said. A wire format that cannot express it sends nothing.
#[derive(Debug, Clone)]
pub(crate) enum Say {
    /// A piece of text, in the block that is open or in a new one.
    Text(String),
    /// A piece of reasoning, in the open block of it or in a new one.
    Thinking(String),
    /// Signs the reasoning.
    Signature(String),
    /// A tool call; its arguments are text, which need not be JSON.
    ToolCall { id: String, name: String, arguments: String },
    /// A block of the Messages API that comes whole.
    Block(Value),
    /// Ends the block that is open.
    EndBlock,
    /// An error in the middle of the answer.
    Error { kind: String, message: String },
}

/// What a request cost.
#[derive(Debug, Clone)]
pub(crate) enum Cost {
    /// The server does not report it.
    Unsaid,
    /// So many tokens.
    Tokens { input: u64, output: u64 },
    /// As JSON of the API.
    Json(Value),
}

/// The two halves of a text, as a server sends the arguments of a call.
pub(crate) fn halves(text: &str) -> (&str, &str) {
    let middle = (0..=text.len() / 2).rev().find(|&at| text.is_char_boundary(at));
    text.split_at(middle.unwrap_or_default())
}
