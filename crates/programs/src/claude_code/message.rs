//! Assembles a message of the model from streamed pieces and complete content blocks.
//!
//! Every message arrives twice: as pieces while it streams, and then as complete content blocks,
//! each in a line of its own with the same message id. A content block that was streamed is not
//! repeated when it arrives complete; one that never arrives complete was abandoned, and is not
//! part of the message. A message that the model's vendor stopped is withheld as a whole, whether
//! the turn continues after it or not.

use parlor_agent::{AgentEvent, ContentBlock, HistoryMessage};
use parlor_protocol::Role;
use serde_json::Value;

use super::failure::REFUSAL;
use crate::dialect::Output;
use crate::fields::{number, text};

/// The message that is being streamed.
#[derive(Debug, Default)]
pub(super) struct StreamedMessage {
    message: Option<String>,
    /// Its complete content blocks, for the history.
    blocks: Vec<ContentBlock>,
    open: Option<Open>,
    /// The texts that were streamed and have not arrived complete yet.
    pieces_only: Vec<String>,
    /// All texts of the turn.
    said: Vec<String>,
    /// Whether any part of the message was shown.
    shown: bool,
    /// Whether the message is withheld, including what is still to come.
    withheld: bool,
}

/// A content block that is being streamed.
#[derive(Debug)]
struct Open {
    index: u64,
    thinking: bool,
    text: String,
    /// Whether it has also arrived complete.
    whole: bool,
    /// Whether its last piece has arrived.
    ended: bool,
}

impl StreamedMessage {
    /// Adds a piece. If `abandoned`, a content block that did not arrive complete is void.
    pub(super) fn piece(&mut self, event: &Value, abandoned: bool, out: &mut Vec<Output>) {
        match text(event, "type") {
            "message_start" => self.turn_to(text(&event["message"], "id"), out),
            "content_block_start" => {
                self.close(out);
                let kind = text(&event["content_block"], "type");
                if kind == "text" || kind == "thinking" {
                    self.open = Some(Open {
                        index: number(event, "index"),
                        thinking: kind == "thinking",
                        text: String::new(),
                        whole: false,
                        ended: false,
                    });
                }
            }
            "content_block_delta" => self.delta(&event["delta"], number(event, "index"), out),
            "content_block_stop" => {
                if let Some(open) = &mut self.open
                    && open.index == number(event, "index")
                {
                    open.ended = true;
                    if open.whole {
                        self.close(out);
                    }
                }
            }
            "message_delta" if text(&event["delta"], "stop_reason") == REFUSAL => {
                self.withhold(out);
            }
            "message_stop" if abandoned => self.abandon(out),
            "message_stop" => self.close(out),
            _ => {}
        }
    }

    /// Adds a complete content block of a message.
    pub(super) fn whole(&mut self, message: &str, block: &Value, out: &mut Vec<Output>) {
        self.turn_to(message, out);
        if self.withheld {
            return;
        }
        match text(block, "type") {
            "text" => {
                let words = text(block, "text");
                self.whole_text(words, false, out);
                if !words.trim().is_empty() {
                    self.blocks.push(ContentBlock::text(words));
                }
            }
            "thinking" => self.whole_text(text(block, "thinking"), true, out),
            "tool_use" => {
                self.close(out);
                self.blocks.push(ContentBlock::ToolUse {
                    id: text(block, "id").to_owned(),
                    name: text(block, "name").to_owned(),
                    input: block.get("input").cloned().unwrap_or_default(),
                });
            }
            _ => {}
        }
    }

    /// Adds the final text of a turn, which the last line repeats: it is shown only if it did not
    /// come before.
    pub(super) fn final_text(&mut self, words: &str, out: &mut Vec<Output>) {
        let (words, all) = (words.trim(), self.said.concat());
        let known = all.trim_end().ends_with(words) || self.said.iter().any(|s| s.trim() == words);
        if !known {
            self.whole_text(words, false, out);
            self.blocks.push(ContentBlock::text(words));
        }
    }

    /// Withholds the message: it is not an answer, and does not go into the history.
    pub(super) fn withhold(&mut self, out: &mut Vec<Output>) {
        if self.open.take().is_some_and(|open| !open.text.is_empty()) {
            out.push(Output::Event(AgentEvent::BlockEnd));
        }
        self.blocks.clear();
        self.withheld = true;
        if std::mem::take(&mut self.shown) {
            out.push(Output::Event(AgentEvent::Withheld));
        }
    }

    /// Ends the message, complete or not, and adds it to the history. Returns whether there was
    /// anything to add.
    pub(super) fn finish(&mut self, out: &mut Vec<Output>) -> bool {
        if let Some(open) = self.open.take_if(|open| !open.text.is_empty()) {
            // It was cut off, but people have seen it.
            if !open.whole && !open.thinking {
                self.blocks.push(ContentBlock::text(&open.text));
            }
            out.push(Output::Event(AgentEvent::BlockEnd));
        }
        self.message = None;
        self.shown = false;
        self.withheld = false;
        self.pieces_only.clear();
        let blocks = std::mem::take(&mut self.blocks);
        let something = !blocks.is_empty();
        if something {
            let message = HistoryMessage { role: Role::Assistant, blocks };
            out.push(Output::Event(AgentEvent::AssistantMessage(message)));
        }
        something
    }

    /// Called when the turn is over.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn turn_to(&mut self, message: &str, out: &mut Vec<Output>) {
        if self.message.as_deref() != Some(message) {
            self.finish(out);
            self.message = Some(message.to_owned());
        }
    }

    fn delta(&mut self, delta: &Value, index: u64, out: &mut Vec<Output>) {
        let Some(open) = self.open.as_mut().filter(|open| open.index == index) else { return };
        let piece = match (text(delta, "type"), open.thinking) {
            ("text_delta", false) => text(delta, "text"),
            ("thinking_delta", true) => text(delta, "thinking"),
            _ => return,
        };
        if !piece.is_empty() {
            self.shown = true;
            open.text.push_str(piece);
            out.push(Output::Event(event(open.thinking, piece)));
        }
    }

    fn whole_text(&mut self, words: &str, thinking: bool, out: &mut Vec<Output>) {
        if !thinking {
            self.said.push(words.to_owned());
        }
        match &mut self.open {
            Some(open) if open.thinking == thinking && !open.whole => {
                if let Some(rest) = words.strip_prefix(open.text.as_str()) {
                    if !rest.is_empty() {
                        open.text.push_str(rest);
                        out.push(Output::Event(event(thinking, rest)));
                    }
                    open.whole = true;
                    if open.ended {
                        self.close(out);
                    }
                    return;
                }
                self.abandon(out);
            }
            Some(_) => self.close(out),
            None => {}
        }
        if let Some(at) = self.pieces_only.iter().position(|shown| shown == words) {
            self.pieces_only.remove(at);
            return;
        }
        if !words.trim().is_empty() {
            self.shown = true;
            out.push(Output::Event(event(thinking, words)));
            out.push(Output::Event(AgentEvent::BlockEnd));
        }
    }

    fn close(&mut self, out: &mut Vec<Output>) {
        if let Some(open) = self.open.take()
            && !open.text.is_empty()
        {
            out.push(Output::Event(AgentEvent::BlockEnd));
            if !open.whole {
                self.pieces_only.push(open.text);
            }
        }
    }

    fn abandon(&mut self, out: &mut Vec<Output>) {
        if let Some(open) = self.open.take()
            && !open.text.is_empty()
        {
            let whole = open.whole || open.thinking;
            let event = if whole { AgentEvent::BlockEnd } else { AgentEvent::BrokeOff };
            out.push(Output::Event(event));
        }
    }
}

fn event(thinking: bool, words: &str) -> AgentEvent {
    let words = words.to_owned();
    if thinking { AgentEvent::Thinking(words) } else { AgentEvent::Text(words) }
}
