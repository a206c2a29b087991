//! What an export holds and an import leaves out, by count: people are told.

use serde::Serialize;

/// How much of each kind was left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Conversations past the most that are imported at once.
    pub conversations: u32,
    /// Conversations without a word.
    pub empty: u32,
    /// Entries that could not be read.
    pub unreadable: u32,
    /// Messages past the most of a conversation.
    pub messages: u32,
    /// Messages that were cut at the longest text.
    pub cut: u32,
    /// Messages on other branches than the last one: edits and further answers.
    pub branches: u32,
    /// Pictures, files and recordings.
    pub attachments: u32,
    /// Calls of tools and their results.
    pub tools: u32,
    /// What a model thought.
    pub thoughts: u32,
    /// Instructions and other messages that people did not see.
    pub hidden: u32,
}
