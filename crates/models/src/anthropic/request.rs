//! The requests of the Anthropic Messages API: our history in, JSON out.
//!
//! Pure, and borrowed throughout: a history may hold megabytes of pictures.
//! What the API refuses is left out here, so that no history can make a
//! conversation unusable:
//! - blank texts, and messages of which nothing is left;
//! - blocks of other vendors and of other versions;
//! - reasoning of earlier turns: it is bound to the model that thought it, the
//!   API does not need it, and histories outlive models. Within a turn it goes
//!   back whole, which the API insists on;
//! - reasoning without its signature: it was cut off.
//!
//! Neighbours with the same role become one message.

use std::borrow::Cow;

use parlor_agent::tools::ToolSpec;
use parlor_agent::{ContentBlock, Document, HistoryMessage};
use parlor_protocol::Role;
use serde::Serialize;
use serde_json::{Value, json};

use crate::client::ModelRequest;
use crate::settings::Thinking;
use crate::tool_input;

/// The vendor of the blocks that go back unchanged.
pub(crate) const VENDOR: &str = "anthropic";

/// What is the same in every request.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) model: String,
    pub(super) max_tokens: u32,
    pub(super) thinking: Thinking,
    /// Whether the vendor shall keep the prompt for the next turn.
    pub(super) cache: bool,
}

/// The body of a request.
pub(super) fn body(template: &Template, request: &ModelRequest<'_>) -> serde_json::Result<Vec<u8>> {
    let mut messages = messages(request.history);
    let marker = template.cache.then_some(CACHE);
    if let Some(last) = messages.last_mut().and_then(|message| message.content.last_mut())
        && last.block.may_end_cache()
    {
        last.cache_control = marker;
    }
    let system = request.system_prompt.filter(|text| !text.trim().is_empty());
    serde_json::to_vec(&Body {
        model: &template.model,
        max_tokens: template.max_tokens,
        stream: true,
        thinking: thinking(template.thinking),
        system: system.map(|text| [Marked { block: Part::Text { text }, cache_control: marker }]),
        tools: request.tools,
        messages,
    })
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<[Marked<'a>; 1]>,
    #[serde(skip_serializing_if = "<[&ToolSpec]>::is_empty")]
    tools: &'a [&'a ToolSpec],
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Marked<'a>>,
}

/// A block, and whether the cache may end after it.
#[derive(Serialize)]
struct Marked<'a> {
    #[serde(flatten)]
    block: Part<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Clone, Copy, Serialize)]
struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

/// The type of a document that is read as text, whatever kind of text it is.
const PLAIN: &str = "text/plain";

const CACHE: CacheControl = CacheControl { kind: "ephemeral" };

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: Source<'a>,
    },
    Document {
        title: &'a str,
        source: Source<'a>,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Cow<'a, Value>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: Vec<Marked<'a>>,
        is_error: bool,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    #[serde(untagged)]
    Vendor(&'a Value),
}

impl Part<'_> {
    /// The API takes the marker on what people and tools say only.
    fn may_end_cache(&self) -> bool {
        matches!(
            self,
            Self::Text { .. }
                | Self::Image { .. }
                | Self::Document { .. }
                | Self::ToolResult { .. }
        )
    }
}

#[derive(Serialize)]
struct Source<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: &'a str,
    data: &'a str,
}

fn messages(history: &[HistoryMessage]) -> Vec<Message<'_>> {
    let this_turn = history.iter().rposition(|message| message.role == Role::User).unwrap_or(0);
    let mut messages: Vec<Message<'_>> = Vec::with_capacity(history.len());
    for (at, message) in history.iter().enumerate() {
        let role = match message.role {
            Role::User | Role::Tool => "user",
            Role::Assistant => "assistant",
        };
        let mut content = parts(&message.blocks, at > this_turn);
        match messages.last_mut() {
            _ if content.is_empty() => {}
            Some(last) if last.role == role => last.content.append(&mut content),
            _ => messages.push(Message { role, content }),
        }
    }
    messages
}

fn parts(blocks: &[ContentBlock], with_thinking: bool) -> Vec<Marked<'_>> {
    let parts = blocks.iter().filter_map(|block| part(block, with_thinking));
    parts.map(|block| Marked { block, cache_control: None }).collect()
}

fn part(block: &ContentBlock, with_thinking: bool) -> Option<Part<'_>> {
    match block {
        ContentBlock::Text { text } => (!text.trim().is_empty()).then_some(Part::Text { text }),
        ContentBlock::Image { media_type, data } => {
            Some(Part::Image { source: Source { kind: "base64", media_type, data } })
        }
        ContentBlock::Document(Document { name, media_type, data, text }) => {
            let source = match data {
                Some(data) => Source { kind: "base64", media_type, data },
                None => Source { kind: "text", media_type: PLAIN, data: text },
            };
            Some(Part::Document { title: name, source })
        }
        ContentBlock::ToolUse { id, name, input } => {
            Some(Part::ToolUse { id, name, input: tool_input::as_object(input) })
        }
        ContentBlock::ToolResult { tool_use_id, content, is_error } => Some(Part::ToolResult {
            tool_use_id,
            content: parts(content, false),
            is_error: *is_error,
        }),
        ContentBlock::Thinking { text, signature: Some(signature) } if with_thinking => {
            Some(Part::Thinking { thinking: text, signature })
        }
        ContentBlock::Vendor { vendor, block } if vendor == VENDOR && block.is_object() => {
            let reasoning = block.get("type").and_then(Value::as_str) == Some("redacted_thinking");
            (with_thinking || !reasoning).then_some(Part::Vendor(block))
        }
        ContentBlock::File(_)
        | ContentBlock::Thinking { .. }
        | ContentBlock::Vendor { .. }
        | ContentBlock::Unknown(_) => None,
    }
}

fn thinking(setting: Thinking) -> Option<Value> {
    match setting {
        Thinking::Default => None,
        Thinking::Off => Some(json!({"type": "disabled"})),
        // Without `display` newer models send reasoning that has no words in it.
        Thinking::Adaptive => Some(json!({"type": "adaptive", "display": "summarized"})),
        Thinking::Budget(tokens) => Some(json!({"type": "enabled", "budget_tokens": tokens})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(history: &[HistoryMessage], tools: &[&ToolSpec]) -> Value {
        let template = Template {
            model: "m".to_owned(),
            max_tokens: 10,
            thinking: Thinking::Default,
            cache: true,
        };
        let request = ModelRequest { system_prompt: None, history, tools };
        serde_json::from_slice(&body(&template, &request).unwrap()).unwrap()
    }

    #[test]
    fn tools_are_sent_with_their_schemas() {
        let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}});
        let tool = ToolSpec {
            name: "look".into(),
            description: "Looks.".into(),
            input_schema: schema.clone(),
        };
        let request = sent(&[HistoryMessage::user("?")], &[&tool]);
        let tool = json!({"name": "look", "description": "Looks.", "input_schema": schema});
        assert_eq!(request["tools"], json!([tool]));
        assert_eq!(sent(&[], &[])["tools"], Value::Null);
    }

    /// What a paused model said goes back as it is: without a marker that the
    /// API takes on other blocks only, and without what is no block at all.
    #[test]
    fn a_vendors_block_goes_back_unchanged() {
        let block = json!({"type": "server_tool_use", "id": "s1"});
        let vendor =
            |block: &Value| ContentBlock::Vendor { vendor: VENDOR.into(), block: block.clone() };
        let blocks = vec![vendor(&json!(7)), vendor(&block)];
        let paused = HistoryMessage { role: Role::Assistant, blocks };
        let request = sent(&[HistoryMessage::user("?"), paused], &[]);
        assert_eq!(request["messages"][1]["content"], json!([block]));
    }
}
