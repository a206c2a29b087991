//! What a server of chat completions wants back beside a tool call.
//!
//! Some servers refuse a call that comes back without what they sent with it:
//! - DeepSeek: the reasoning before the call, in `reasoning_content`, with every
//!   later request of the conversation, empty if there was none;
//! - OpenRouter: `reasoning_details`, signed or encrypted, within the turn;
//! - Google: `extra_content` of the call, a signature, within the turn.
//!
//! What came is written into the history as one block that nobody else reads.
//! It is bound to the model: another one would refuse it, so it goes back only
//! to the model that it came from.

use parlor_agent::{ContentBlock, HistoryMessage};
use parlor_protocol::Role;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The vendor of the blocks that go back.
pub(crate) const VENDOR: &str = "openai";

/// What came beside the tool calls of one answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Note {
    /// The model that was asked.
    pub(super) model: String,
    /// Where it wrote its reasoning, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_field: Option<ReasoningField>,
    /// Its reasoning in a form that can be checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reasoning_details: Vec<Value>,
    /// What came with the calls, by their ids.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) extra_content: Map<String, Value>,
}

/// The field that a server puts reasoning into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReasoningField {
    /// As DeepSeek, LM Studio and older versions of vLLM do.
    ReasoningContent,
    /// As OpenRouter, Ollama and vLLM do.
    Reasoning,
}

impl Note {
    /// The note as a block of the history, if there is anything to note.
    pub(super) fn into_block(self) -> Option<ContentBlock> {
        let empty = self.reasoning_field.is_none()
            && self.reasoning_details.is_empty()
            && self.extra_content.is_empty();
        let block = serde_json::to_value(self).ok().filter(|_| !empty)?;
        Some(ContentBlock::Vendor { vendor: VENDOR.to_owned(), block })
    }

    /// The note of this model in a message, if there is one.
    pub(super) fn find(blocks: &[ContentBlock], model: &str) -> Option<Self> {
        blocks.iter().find_map(|block| match block {
            ContentBlock::Vendor { vendor, block } if vendor == VENDOR => {
                Self::deserialize(block).ok().filter(|note| note.model == model)
            }
            _ => None,
        })
    }

    /// Whether this model insists on `reasoning_content` with its calls.
    pub(super) fn insists(history: &[HistoryMessage], model: &str) -> bool {
        let answers = history.iter().filter(|message| message.role == Role::Assistant);
        let mut notes = answers.filter_map(|answer| Self::find(&answer.blocks, model));
        notes.any(|note| note.reasoning_field == Some(ReasoningField::ReasoningContent))
    }

    /// Takes the next details. They come in pieces: those of one block are one.
    pub(super) fn add_details(&mut self, details: Vec<Value>) {
        for detail in details {
            match self.reasoning_details.last_mut() {
                Some(last) if continues(last, &detail) => join(last, detail),
                _ => self.reasoning_details.push(detail),
            }
        }
    }
}

fn continues(last: &Value, next: &Value) -> bool {
    let same = |key: &str| last[key] == next[key] || last[key].is_null() || next[key].is_null();
    last["type"] == next["type"] && last["index"] == next["index"] && same("id")
}

fn join(last: &mut Value, next: Value) {
    let (Value::Object(last), Value::Object(next)) = (last, next) else { return };
    for (key, value) in next {
        match (last.get_mut(&key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(text)), Value::String(piece))
                if ["text", "summary", "data"].contains(&key.as_str()) =>
            {
                text.push_str(&piece);
            }
            (_, value) => {
                last.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_one_detail_are_joined() {
        let mut note = Note::default();
        note.add_details(vec![
            json!({"type": "reasoning.text", "index": 0, "text": "Let ", "signature": null}),
            json!({"type": "reasoning.text", "index": 0, "text": "me."}),
        ]);
        note.add_details(vec![json!({"type": "reasoning.text", "index": 0, "signature": "c2ln"})]);
        note.add_details(vec![
            json!({"type": "reasoning.encrypted", "index": 1, "id": "a", "data": "x"}),
            json!({"type": "reasoning.encrypted", "index": 1, "id": "b", "data": "y"}),
            json!(7),
        ]);
        assert_eq!(
            note.reasoning_details,
            [
                json!({"type": "reasoning.text", "index": 0, "text": "Let me.", "signature": "c2ln"}),
                json!({"type": "reasoning.encrypted", "index": 1, "id": "a", "data": "x"}),
                json!({"type": "reasoning.encrypted", "index": 1, "id": "b", "data": "y"}),
                json!(7),
            ]
        );
    }
}
