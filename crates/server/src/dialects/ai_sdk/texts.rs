//! Steps, and the texts in them.

use bytes::BytesMut;
use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{MessageType, metadata};
use serde_json::json;

use super::parts::Part;
use super::{AiSdk, Version};
use crate::dialects::data_lines::write;
use crate::dialects::turn_steps::TextBlock;

impl AiSdk {
    /// Opens a step for what comes next.
    pub(super) fn content(&mut self, to: &mut BytesMut) {
        if self.step.has_output {
            self.finish_step(to);
        }
        if !self.step.is_open {
            self.step.is_open = true;
            write(to, &Part::StartStep);
        }
    }

    pub(super) fn finish_step(&mut self, to: &mut BytesMut) {
        if std::mem::take(&mut self.step).is_open {
            write(to, &Part::FinishStep);
        }
    }

    /// Ends the last step of the response. One that the client would post is not the last.
    pub(super) fn finish_last_step(&mut self, to: &mut BytesMut) {
        if self.step.is_postable {
            self.content(to);
        }
        self.finish_step(to);
    }

    pub(super) fn begin_text(&mut self, block: TextBlock, to: &mut BytesMut) {
        self.content(to);
        self.open_text = Some(block);
        self.step.texts.push((block, String::new()));
        begin_part(block, to);
    }

    pub(super) fn text(&mut self, block: TextBlock, delta: &str, to: &mut BytesMut) {
        if let (Version::Seven, Some((_, text))) = (self.version, self.step.texts.last_mut()) {
            text.push_str(delta);
        }
        write_text(block, delta, to);
    }

    pub(super) fn end_text(&mut self, to: &mut BytesMut) {
        if let Some(block) = self.open_text.take() {
            end_part(block, to);
        }
    }

    /// A text is not what was shown of it. 7 takes the step back and writes it again; others get
    /// the right text after the wrong one.
    pub(super) fn replace(&mut self, block: TextBlock, text: &str, to: &mut BytesMut) {
        let was_open = self.open_text == Some(block);
        let in_step = self.step.texts.iter_mut().find(|(shown, _)| *shown == block);
        match in_step {
            Some((_, shown)) if self.version == Version::Seven && !self.step.has_others => {
                text.clone_into(shown);
                write(to, &Part::ResetStep);
                for (block, text) in &self.step.texts {
                    begin_part(*block, to);
                    write_text(*block, text, to);
                    if self.open_text != Some(*block) {
                        end_part(*block, to);
                    }
                }
            }
            _ => {
                self.end_text(to);
                self.begin_text(block, to);
                self.text(block, text, to);
                if !was_open {
                    self.end_text(to);
                }
            }
        }
    }

    /// A message that did not stream.
    pub(super) fn whole_message(&mut self, message: &Message, to: &mut BytesMut) {
        if !message.content.is_empty() {
            let block = TextBlock { id: message.id, is_reasoning: false };
            self.begin_text(block, to);
            self.text(block, &message.content, to);
            self.end_text(to);
        }
        self.structure(message, to);
    }

    /// The structure behind the text of a message. That of a question is in its prompt.
    pub(super) fn structure(&mut self, message: &Message, to: &mut BytesMut) {
        let id = message.id.to_string();
        let part = match (&message.message_type, &message.data) {
            (MessageType::Plan, Some(MessageData::Plan(plan))) => {
                let mut data = json!({"plan": plan});
                if let Some(prompt) = metadata::PROMPT_ID.get(&message.metadata) {
                    data["prompt_id"] = json!(prompt);
                }
                Part::Plan { id, data }
            }
            (kind, Some(MessageData::Other(data))) => {
                Part::Message { id, data: json!({"message_type": kind, "data": data}) }
            }
            _ => return,
        };
        self.content(to);
        self.step.has_others = true;
        write(to, &part);
    }
}

fn begin_part(block: TextBlock, to: &mut BytesMut) {
    match block.is_reasoning {
        true => write(to, &Part::ReasoningStart { id: block.id }),
        false => write(to, &Part::TextStart { id: block.id }),
    }
}

fn write_text(block: TextBlock, delta: &str, to: &mut BytesMut) {
    match block.is_reasoning {
        true => write(to, &Part::ReasoningDelta { id: block.id, delta }),
        false => write(to, &Part::TextDelta { id: block.id, delta }),
    }
}

fn end_part(block: TextBlock, to: &mut BytesMut) {
    match block.is_reasoning {
        true => write(to, &Part::ReasoningEnd { id: block.id }),
        false => write(to, &Part::TextEnd { id: block.id }),
    }
}
