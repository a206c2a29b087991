//! The answers of the Anthropic Messages API: events of the wire in, ours out.
//!
//! Pure. [`AnswerReader`] is fed the data of one server-sent event after the
//! other and appends what it means. What it does not know it passes over, as
//! the API's rules for new versions ask; a block of an unknown type is collected
//! whole and kept for the history.

use std::borrow::Cow;
use std::collections::VecDeque;

use parlor_agent::{ContentBlock, ModelError, Usage};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::{WireError, mid_stream_error, refused};
use super::request::VENDOR;
use crate::client::{ModelEvent, StopReason};
use crate::http::answer::Reader;
use crate::http::vendor_error::Refusal;
use crate::tool_input;

/// Reads one answer.
#[derive(Debug, Default)]
pub(crate) struct AnswerReader {
    open: Option<OpenBlock>,
    usage: Usage,
    stop: Option<StopReason>,
    /// Calls whose input is not JSON: they were cut off with the answer, or the
    /// model erred. Which of the two, the end of the answer says.
    garbled: Vec<ContentBlock>,
    finished: bool,
}

/// The block that is being sent.
#[derive(Debug)]
enum OpenBlock {
    /// Text or thinking: it is passed on while it arrives.
    Streamed,
    /// A tool call or a vendor's own block: it is passed on when it is whole.
    Collected { block: Map<String, Value>, json: String },
}

impl Reader for AnswerReader {
    fn read(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<(), ModelError> {
        if let Some(OpenBlock::Streamed) = &self.open
            && let Some(text) = plain_text(data)
        {
            out.push_back(ModelEvent::Text(text));
            return Ok(());
        }
        self.event(data, out)
    }

    fn is_finished(&self) -> bool {
        self.finished
    }

    fn refused(refusal: Refusal<'_>) -> ModelError {
        refused(refusal)
    }
}

impl AnswerReader {
    /// Takes an event of any kind.
    fn event(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<(), ModelError> {
        let event: WireEvent<'_> = match serde_json::from_slice(data) {
            Ok(event) => event,
            Err(_) if is_foreign(data) => return Ok(()),
            Err(error) => return Err(ModelError::not_json(&error)),
        };
        match event.kind.as_ref() {
            "content_block_delta" => self.delta(event.delta.unwrap_or_default(), out),
            "content_block_start" => self.block_start(event.content_block.unwrap_or_default(), out),
            "content_block_stop" => self.block_stop(out),
            "message_start" => {
                self.count(event.message.and_then(|message| message.usage), out);
            }
            "message_delta" => {
                let reason = event.delta.and_then(|delta| delta.stop_reason);
                self.stop = reason.as_deref().map(stop_reason).or(self.stop);
                self.count(event.usage, out);
            }
            "message_stop" => {
                self.finished = true;
                let reason = self.stop.unwrap_or(StopReason::EndTurn);
                if reason == StopReason::ToolUse {
                    out.extend(self.garbled.drain(..).map(ModelEvent::ContentBlock));
                }
                out.push_back(ModelEvent::Stop(reason));
            }
            "error" => return Err(mid_stream_error(event.error.unwrap_or_default())),
            // `ping`, and what will come.
            _ => {}
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta, out: &mut VecDeque<ModelEvent>) {
        let Delta { text, thinking, signature, partial_json, .. } = delta;
        match &mut self.open {
            Some(OpenBlock::Collected { json, .. }) => {
                json.push_str(&partial_json.unwrap_or_default());
            }
            // A delta without its start is lenience towards servers that imitate the API.
            Some(OpenBlock::Streamed) | None => {
                let pieces = [
                    text.map(ModelEvent::Text),
                    thinking.map(ModelEvent::Thinking),
                    signature.map(ModelEvent::Signature),
                ];
                out.extend(pieces.into_iter().flatten().filter(|piece| !is_empty(piece)));
            }
        }
    }

    fn block_start(&mut self, block: Map<String, Value>, out: &mut VecDeque<ModelEvent>) {
        let first = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
        match block.get("type").and_then(Value::as_str) {
            Some("text" | "thinking") => {
                self.open = Some(OpenBlock::Streamed);
                let (text, thinking, signature) =
                    (first("text"), first("thinking"), first("signature"));
                self.delta(Delta { text, thinking, signature, ..Delta::default() }, out);
            }
            _ => self.open = Some(OpenBlock::Collected { block, json: String::new() }),
        }
    }

    fn block_stop(&mut self, out: &mut VecDeque<ModelEvent>) {
        match self.open.take() {
            Some(OpenBlock::Streamed) | None => out.push_back(ModelEvent::BlockEnd),
            Some(OpenBlock::Collected { block, json }) if json.trim().is_empty() => {
                out.push_back(ModelEvent::ContentBlock(collected(block)));
            }
            Some(OpenBlock::Collected { mut block, json }) => {
                let input = tool_input::parse(&json);
                let whole = input.is_object();
                block.insert("input".to_owned(), input);
                match collected(block) {
                    call @ ContentBlock::ToolUse { .. } if !whole => self.garbled.push(call),
                    block => out.push_back(ModelEvent::ContentBlock(block)),
                }
            }
        }
    }

    /// Counts are totals of the request so far; a field that is left out keeps its value.
    fn count(&mut self, usage: Option<WireUsage>, out: &mut VecDeque<ModelEvent>) {
        let Some(usage) = usage else { return };
        let set = |to: &mut u64, value: Option<u64>| *to = value.unwrap_or(*to);
        set(&mut self.usage.input_tokens, usage.input_tokens);
        set(&mut self.usage.output_tokens, usage.output_tokens);
        set(&mut self.usage.cache_read_tokens, usage.cache_read_input_tokens);
        set(&mut self.usage.cache_write_tokens, usage.cache_creation_input_tokens);
        out.push_back(ModelEvent::Usage(self.usage));
    }
}

fn collected(mut block: Map<String, Value>) -> ContentBlock {
    if block.get("type").and_then(Value::as_str) != Some("tool_use") {
        return ContentBlock::Vendor { vendor: VENDOR.to_owned(), block: Value::Object(block) };
    }
    let mut text = |key: &str| match block.remove(key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let (id, name) = (text("id"), text("name"));
    let input = block.remove("input").unwrap_or_else(|| Value::Object(Map::new()));
    ContentBlock::ToolUse { id, name, input }
}

fn is_empty(piece: &ModelEvent) -> bool {
    matches!(piece, ModelEvent::Text(t) | ModelEvent::Thinking(t) | ModelEvent::Signature(t) if t.is_empty())
}

fn stop_reason(name: &str) -> StopReason {
    match name {
        "max_tokens" | "model_context_window_exceeded" => StopReason::CutOff,
        "tool_use" => StopReason::ToolUse,
        "pause_turn" => StopReason::Pause,
        "refusal" => StopReason::Declined,
        // `end_turn`, `stop_sequence`, and what will come: the model stopped.
        _ => StopReason::EndTurn,
    }
}

/// The text of a piece of text, if it is written as the API writes it. Nearly
/// every event is one, and this is a fraction of the work; whatever looks
/// different in any way is read as JSON from its beginning.
fn plain_text(data: &[u8]) -> Option<String> {
    let data = data.strip_prefix(br#"{"type":"content_block_delta","index":"#)?;
    let digits = data.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_number = digits == 1 || (digits > 1 && data[0] != b'0');
    let data = data[digits..].strip_prefix(br#","delta":{"type":"text_delta","text":"#)?;
    // The braces of the delta and of the event; the API pads with spaces.
    let text: String = serde_json::from_slice(before_brace(before_brace(data)?)?).ok()?;
    (is_number && !text.is_empty()).then_some(text)
}

fn before_brace(mut data: &[u8]) -> Option<&[u8]> {
    while let [rest @ .., b' '] = data {
        data = rest;
    }
    data.strip_suffix(b"}")
}

/// Whether this is an event of a kind that is not ours, and so may have any shape.
fn is_foreign(data: &[u8]) -> bool {
    const OURS: [&str; 8] = [
        "message_start", "content_block_start", "content_block_delta", "content_block_stop",
        "message_delta", "message_stop", "error", "",
    ];
    #[derive(Deserialize)]
    struct Kind {
        #[serde(rename = "type")]
        kind: String,
    }
    serde_json::from_slice(data).is_ok_and(|Kind { kind }| !OURS.contains(&kind.as_str()))
}

/// All events in one shape: with serde's tagged enums each event would be
/// buffered and parsed twice, and this is done for every token.
#[derive(Deserialize)]
struct WireEvent<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    delta: Option<Delta>,
    #[serde(default)]
    content_block: Option<Map<String, Value>>,
    #[serde(default)]
    message: Option<WireMessage>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Option<WireError>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta {
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireMessage {
    #[serde(default)]
    usage: Option<WireUsage>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(events: &[Value]) -> Result<Vec<ModelEvent>, ModelError> {
        let mut reader = AnswerReader::default();
        let mut out = VecDeque::new();
        for event in events {
            reader.read(event.to_string().as_bytes(), &mut out)?;
        }
        Ok(out.into())
    }

    fn call(json: &[&str], stop_reason: &str) -> Result<Vec<ModelEvent>, ModelError> {
        let block = json!({"type": "tool_use", "id": "t1", "name": "look", "input": {}});
        let mut events = vec![json!({"type": "content_block_start", "content_block": block})];
        events.extend(json.iter().map(|piece| {
            let delta = json!({"type": "input_json_delta", "partial_json": piece});
            json!({"type": "content_block_delta", "delta": delta})
        }));
        events.push(json!({"type": "content_block_stop"}));
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop_reason}}));
        events.push(json!({"type": "message_stop"}));
        read(&events)
    }

    fn look(input: Value) -> ModelEvent {
        ModelEvent::ContentBlock(ContentBlock::ToolUse {
            id: "t1".into(),
            name: "look".into(),
            input,
        })
    }

    #[test]
    fn the_input_of_a_tool_call_is_collected_in_the_order_of_its_keys() {
        let events = call(&["", "{\"z\": [1,", " 2], \"a\"", ": \"é\"}"], "tool_use").unwrap();
        assert_eq!(
            events,
            [look(json!({"z": [1, 2], "a": "é"})), ModelEvent::Stop(StopReason::ToolUse)]
        );
        let ModelEvent::ContentBlock(ContentBlock::ToolUse { input, .. }) = &events[0] else {
            unreachable!()
        };
        assert_eq!(input.to_string(), r#"{"z":[1,2],"a":"é"}"#);
        assert_eq!(call(&[], "tool_use").unwrap()[0], look(json!({})));
    }

    #[test]
    fn a_tool_call_that_was_cut_off_is_no_tool_call() {
        let events = call(&["{\"at\": [1, "], "max_tokens").unwrap();
        assert_eq!(events, [ModelEvent::Stop(StopReason::CutOff)]);
    }

    /// Whoever runs tools can tell the model what is wrong with its call.
    #[test]
    fn a_tool_call_that_is_no_json_is_passed_on_as_it_was_written() {
        let events = call(&["{\"at\": [1, "], "tool_use").unwrap();
        let written = look(json!("{\"at\": [1, "));
        assert_eq!(events, [written, ModelEvent::Stop(StopReason::ToolUse)]);
    }

    /// A block of a kind that we do not know goes into the history as it came.
    #[test]
    fn unknown_blocks_are_kept_whole() {
        let block = json!({"type": "server_tool_use", "id": "s1", "name": "search", "input": {}});
        let delta = json!({"type": "input_json_delta", "partial_json": "{\"q\": 1}"});
        let events = read(&[
            json!({"type": "content_block_start", "content_block": block}),
            json!({"type": "content_block_delta", "delta": delta}),
            json!({"type": "content_block_stop"}),
        ]);
        let block =
            json!({"type": "server_tool_use", "id": "s1", "name": "search", "input": {"q": 1}});
        let kept = ModelEvent::ContentBlock(ContentBlock::Vendor { vendor: VENDOR.into(), block });
        assert_eq!(events.unwrap(), [kept]);
    }

    /// A reader in the middle of a text.
    fn in_text() -> AnswerReader {
        AnswerReader { open: Some(OpenBlock::Streamed), ..AnswerReader::default() }
    }

    #[test]
    fn the_short_way_is_taken_for_text_as_the_api_writes_it() {
        let delta = r#"{"type":"content_block_delta","index":12,"delta":{"type":"text_delta","text":"Hello, \u00e9\n"}"#;
        for padding in ["}", "    }", " } "] {
            let event = format!("{delta}{padding}");
            assert_eq!(plain_text(event.as_bytes()).as_deref(), Some("Hello, é\n"));
        }
    }

    proptest! {
        /// Whatever is between the words, the short way reads what the long one does.
        #[test]
        fn both_ways_read_the_same(
            text in "\\PC{0,12}",
            index in "[0-9]{0,3}",
            after_text in prop_oneof![
                Just(""), Just(" "), Just(r#","text":"b""#), Just(r#","thinking":"t""#), Just(r#"\""#)
            ],
            end in prop_oneof![
                Just("}}"), Just("} }  "), Just("}}\u{c}"), Just(r#"},"type":"ping"}"#), Just("}"), Just("}}}"), Just("")
            ],
        ) {
            let text = Value::from(text).to_string();
            let event = format!(
                r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"text_delta","text":{text}{after_text}{end}"#
            );
            let (mut short, mut long) = (VecDeque::new(), VecDeque::new());
            let read = in_text().read(event.as_bytes(), &mut short);
            let expected = in_text().event(event.as_bytes(), &mut long);
            prop_assert_eq!(read.is_ok(), expected.is_ok());
            prop_assert_eq!(short, long);
        }
    }
}
