//! The text of an agent: pieces become blocks, and blocks a message for the history.
//!
//! A block ends where the agent begins another message, turns from thinking to speaking, or
//! calls a tool. Some agents report an error of their model's API as text too, before the error
//! itself: such a block is held back until it is known which it is.

use parlor_agent::{AgentEvent, ContentBlock, HistoryMessage};
use parlor_protocol::Role;

use crate::dialect::Output;

/// How a block begins that may be nothing but an error.
const ERRORS: &[&str] = &["API Error:"];

/// The text that streams, and what of the message is complete.
#[derive(Debug, Default)]
pub(super) struct Text {
    open: Option<Open>,
    blocks: Vec<ContentBlock>,
    /// Whether anything was said since [`Text::forget_said`].
    said: bool,
}

#[derive(Debug)]
struct Open {
    thinking: bool,
    message: Option<String>,
    text: String,
    /// Whether it may be nothing but an error.
    held: bool,
}

impl Text {
    /// The next piece.
    pub(super) fn piece(
        &mut self,
        thinking: bool,
        message: Option<&str>,
        piece: &str,
        out: &mut Vec<Output>,
    ) {
        if piece.is_empty() {
            return;
        }
        let is_other = |open: &Open| {
            open.thinking != thinking || (message.is_some() && open.message.as_deref() != message)
        };
        if self.open.as_ref().is_some_and(is_other) {
            self.end_block(out);
        }
        let open = self.open.get_or_insert_with(|| Open {
            thinking,
            message: message.map(str::to_owned),
            text: String::new(),
            held: !thinking && ERRORS.iter().any(|error| piece.starts_with(error)),
        });
        open.text.push_str(piece);
        self.said |= !thinking;
        if !open.held {
            out.push(event(thinking, piece.to_owned()));
        }
    }

    /// The block is complete.
    pub(super) fn end_block(&mut self, out: &mut Vec<Output>) {
        let Some(open) = self.open.take() else { return };
        if open.held {
            out.push(event(open.thinking, open.text.clone()));
        }
        out.push(Output::Event(AgentEvent::BlockEnd));
        if !open.thinking && !open.text.trim().is_empty() {
            self.blocks.push(ContentBlock::text(open.text));
        }
    }

    /// Drops a block that was held back: the error itself says it.
    pub(super) fn drop_held(&mut self) {
        self.open.take_if(|open| open.held);
    }

    /// The message is withheld: it is no part of the history.
    pub(super) fn withhold(&mut self, out: &mut Vec<Output>) {
        self.drop_held();
        self.end_block(out);
        self.blocks.clear();
        out.push(Output::Event(AgentEvent::Withheld));
    }

    /// A tool is called: part of the message.
    pub(super) fn add(&mut self, block: ContentBlock) {
        self.blocks.push(block);
    }

    /// The message is complete. Whether there was anything to add to the history.
    pub(super) fn finish(&mut self, out: &mut Vec<Output>) -> bool {
        self.end_block(out);
        let blocks = std::mem::take(&mut self.blocks);
        if blocks.is_empty() {
            return false;
        }
        let message = HistoryMessage { role: Role::Assistant, blocks };
        out.push(Output::Event(AgentEvent::AssistantMessage(message)));
        true
    }

    /// Whether anything was said since the last [`Text::forget_said`].
    pub(super) fn has_said(&self) -> bool {
        self.said
    }

    pub(super) fn forget_said(&mut self) {
        self.said = false;
    }
}

fn event(thinking: bool, words: String) -> Output {
    Output::Event(if thinking { AgentEvent::Thinking(words) } else { AgentEvent::Text(words) })
}
