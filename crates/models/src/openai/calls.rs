//! The tool calls of one answer, put together from the pieces they come in.
//!
//! OpenAI sends the id and the name with the first piece of a call, then pieces
//! of its arguments, each with the call's index. Others do it in their own way:
//! - whole calls at once, all with index 0 (Ollama), or with none (Google): a
//!   name with another id begins another call;
//! - another id with every piece (older versions of vLLM): without a name it is
//!   still the same call;
//! - no ids, or one id twice: each call gets one of its own, so that its result
//!   can be told apart;
//! - arguments as an object instead of text.

use parlor_agent::{ContentBlock, ModelError};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::tool_input;

/// More calls than this in one answer are no work, but a loop.
const MOST_CALLS: usize = 128;

/// The calls so far.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

#[derive(Debug)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extra: Option<Value>,
}

/// A piece of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
    extra_content: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<Value>,
}

impl Calls {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the next piece.
    pub(super) fn add(&mut self, piece: CallPiece) -> Result<(), ModelError> {
        let CallPiece { index, id, function, extra_content } = piece;
        let FunctionPiece { name, arguments } = function.unwrap_or_default();
        let (id, name) = (id.unwrap_or_default(), name.unwrap_or_default());
        let call = self.call(index, &id, &name)?;
        fill(&mut call.id, id);
        fill(&mut call.name, name);
        match arguments {
            Some(Value::String(piece)) => call.arguments.push_str(&piece),
            Some(Value::Null) | None => {}
            Some(whole) => call.arguments.push_str(&whole.to_string()),
        }
        call.extra = extra_content.or(call.extra.take());
        Ok(())
    }

    /// The calls as blocks, and what came with them by their ids. `answer` is the
    /// id of the answer.
    pub(super) fn finish(self, answer: &str) -> (Vec<ContentBlock>, Map<String, Value>) {
        let mut blocks: Vec<ContentBlock> = Vec::with_capacity(self.0.len());
        let mut extras = Map::new();
        for (at, call) in self.0.into_iter().enumerate() {
            let taken = blocks
                .iter()
                .any(|block| matches!(block, ContentBlock::ToolUse { id, .. } if *id == call.id));
            let id = if call.id.is_empty() || taken { format!("{answer}_{at}") } else { call.id };
            // APIs refuse a history with a call that has no name.
            let name = if call.name.is_empty() { "unnamed".to_owned() } else { call.name };
            extras.extend(call.extra.map(|extra| (id.clone(), extra)));
            blocks.push(ContentBlock::ToolUse {
                id,
                name,
                input: tool_input::parse(&call.arguments),
            });
        }
        (blocks, extras)
    }

    /// The call that a piece belongs to.
    fn call(&mut self, index: Option<u64>, id: &str, name: &str) -> Result<&mut Call, ModelError> {
        let named = !name.is_empty();
        let at = match index {
            // With an index, a name may be repeated with every piece of a call.
            Some(_) => self.0.iter().rposition(|call| call.index == index).filter(|&at| {
                let other = !id.is_empty() && !self.0[at].id.is_empty() && self.0[at].id != id;
                !(named && other)
            }),
            None => self.0.len().checked_sub(1).filter(|&at| {
                let other = id.is_empty() || self.0[at].id != id;
                !(named && other)
            }),
        };
        let at = match at {
            Some(at) => at,
            None if self.0.len() == MOST_CALLS => {
                let why = format!("more than {MOST_CALLS} tool calls in one answer");
                return Err(ModelError::Malformed(why));
            }
            None => {
                self.0.push(Call {
                    index,
                    id: String::new(),
                    name: String::new(),
                    arguments: String::new(),
                    extra: None,
                });
                self.0.len() - 1
            }
        };
        Ok(&mut self.0[at])
    }
}

/// The first value counts.
fn fill(field: &mut String, value: String) {
    if field.is_empty() {
        *field = value;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn finish(pieces: Value) -> Vec<(String, String, Value)> {
        let mut calls = Calls::default();
        for piece in serde_json::from_value::<Vec<CallPiece>>(pieces).unwrap() {
            calls.add(piece).unwrap();
        }
        let blocks = calls.finish("chatcmpl-1").0.into_iter();
        blocks
            .map(|block| match block {
                ContentBlock::ToolUse { id, name, input } => (id, name, input),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    fn expected(calls: Value) -> Vec<(String, String, Value)> {
        serde_json::from_value(calls).unwrap()
    }

    /// H-1: two calls in one message, their pieces interleaved.
    #[test]
    fn pieces_go_to_the_call_of_their_index() {
        let calls = finish(json!([
            {"index": 0, "id": "a", "type": "function", "function": {"name": "look", "arguments": ""}},
            {"index": 1, "id": "b", "type": "function", "function": {"name": "list", "arguments": "{\"n\""}},
            {"index": 0, "function": {"arguments": "{\"at\":"}},
            {"index": 1, "function": {"arguments": ": 2}"}},
            {"index": 0, "id": null, "function": {"name": null, "arguments": " \"é\"}"}},
        ]));
        assert_eq!(calls, expected(json!([["a", "look", {"at": "é"}], ["b", "list", {"n": 2}]])));
    }

    #[test]
    fn every_server_has_its_own_way() {
        let whole = |index: Value, id: Value| json!({"index": index, "id": id, "function": {"name": "look", "arguments": "{}"}});
        let ids = |pieces: Value| -> Vec<String> {
            finish(pieces).into_iter().map(|(id, _, _)| id).collect()
        };
        // Whole calls, all with one index, with none, and without ids.
        assert_eq!(
            ids(json!([whole(json!(0), json!("a")), whole(json!(0), json!("b"))])),
            ["a", "b"]
        );
        assert_eq!(
            ids(json!([whole(json!(null), json!("a")), whole(json!(null), json!("b"))])),
            ["a", "b"]
        );
        let made = ["chatcmpl-1_0", "chatcmpl-1_1"];
        assert_eq!(ids(json!([whole(json!(0), json!("")), whole(json!(1), json!(null))])), made);
        assert_eq!(
            ids(json!([whole(json!(null), json!("")), whole(json!(null), json!(""))])),
            made
        );
        assert_eq!(
            ids(json!([whole(json!(0), json!("a")), whole(json!(1), json!("a"))])),
            ["a", "chatcmpl-1_1"]
        );
        // Another id with every piece; id and name repeated; arguments as an object.
        for pieces in [
            json!([{"index": 0, "id": "a", "function": {"name": "look", "arguments": "{\"n\":"}},
                   {"index": 0, "id": "x", "function": {"arguments": "1}"}}]),
            json!([{"index": 0, "id": "a", "function": {"name": "look", "arguments": "{\"n\":"}},
                   {"index": 0, "id": "a", "function": {"name": "look", "arguments": "1}"}}]),
            json!([{"index": 0, "id": "a", "function": {"name": "look", "arguments": "{\"n\":"}},
                   {"index": 0, "function": {"name": "look", "arguments": "1}"}}]),
            json!([{"id": "a", "function": {"name": "look", "arguments": {"n": 1}}}]),
            json!([{"id": "a", "function": {"name": "look"}}, {"function": {"arguments": "{\"n\":1}"}}]),
        ] {
            assert_eq!(
                finish(pieces.clone()),
                expected(json!([["a", "look", {"n": 1}]])),
                "{pieces}"
            );
        }
    }

    #[test]
    fn what_is_no_call_is_not_lost_and_not_endless() {
        let odd = json!([{"index": 0, "id": "a", "function": {"arguments": "{\"n\": tru"}}]);
        assert_eq!(finish(odd), expected(json!([["a", "unnamed", "{\"n\": tru"]])));
        let mut calls = Calls::default();
        let mut piece =
            |n: u64| calls.add(CallPiece { index: Some(n), ..CallPiece::default() }).is_ok();
        assert!((0..MOST_CALLS as u64).all(&mut piece));
        assert!(!piece(MOST_CALLS as u64));
    }
}
