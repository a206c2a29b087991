//! The message that a model is streaming.

use parlor_agent::{ContentBlock, HistoryMessage};
use parlor_protocol::Role;
use serde::{Deserialize, Serialize};

/// Blocks that are finished, and the one that streams.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Draft {
    blocks: Vec<ContentBlock>,
    /// A text or reasoning; nothing else streams.
    open: Option<ContentBlock>,
}

impl Draft {
    /// Whether a text is open.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.open, Some(ContentBlock::Text { .. }))
    }

    /// Adds to the open text. True if other words were open, which this ends.
    pub(super) fn text(&mut self, piece: &str) -> bool {
        if let Some(ContentBlock::Text { text }) = &mut self.open {
            text.push_str(piece);
            return false;
        }
        let ended = self.close();
        self.open = Some(ContentBlock::text(piece));
        ended
    }

    /// Adds to the open reasoning. True if other words were open, which this ends.
    pub(super) fn thinking(&mut self, piece: &str) -> bool {
        if let Some(ContentBlock::Thinking { text, .. }) = &mut self.open {
            text.push_str(piece);
            return false;
        }
        let ended = self.close();
        self.open = Some(ContentBlock::Thinking { text: piece.to_owned(), signature: None });
        ended
    }

    /// Signs the open reasoning. Some models sign reasoning that they do not show.
    pub(super) fn sign(&mut self, piece: &str) -> bool {
        let ended = self.thinking("");
        if let Some(ContentBlock::Thinking { signature, .. }) = &mut self.open {
            signature.get_or_insert_default().push_str(piece);
        }
        ended
    }

    /// Adds a block that came whole. True if words were open, which this ends.
    pub(super) fn push(&mut self, block: ContentBlock) -> bool {
        let ended = self.close();
        self.blocks.push(block);
        ended
    }

    /// Ends the open block. True if it had words in it, which somebody saw.
    pub(super) fn close(&mut self) -> bool {
        let Some(block) = self.open.take() else { return false };
        let seen = match &block {
            ContentBlock::Text { text } | ContentBlock::Thinking { text, .. } => !text.is_empty(),
            _ => false,
        };
        self.blocks.push(block);
        seen
    }

    /// Whether a tool is called.
    pub(super) fn has_calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, ContentBlock::ToolUse { .. }))
    }

    /// The message with its calls, which somebody will answer.
    pub(super) fn take_with_calls(&mut self) -> HistoryMessage {
        self.close();
        HistoryMessage { role: Role::Assistant, blocks: std::mem::take(&mut self.blocks) }
    }

    /// The message, if anything was said. Tool calls are left out: nobody will
    /// answer them, and no model takes a history with an unanswered call.
    pub(super) fn take(&mut self) -> Option<HistoryMessage> {
        self.close();
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.retain(|block| !matches!(block, ContentBlock::ToolUse { .. }));
        (!blocks.is_empty()).then_some(HistoryMessage { role: Role::Assistant, blocks })
    }
}
