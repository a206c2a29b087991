//! Its tool calls: which it has made, which it was asked about, and what the
//! configuration says about them.

use std::collections::HashMap;

use parlor_agent::{Block, ToolOutcome};
use serde_json::{Map, Value};

use super::fields::{blocks, flag, text};

/// A helper that was started and not waited for.
const IN_BACKGROUND: &str = "async_launched";
/// The longest result that is shown, in bytes of text.
const LONGEST_RESULT: usize = 100 << 10;
/// The calls of a turn.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<String, Call>);

#[derive(Debug)]
struct Call {
    name: String,
    input: Map<String, Value>,
    state: State,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It was said. Whether it is made or asked about is not known yet.
    Said,
    /// A person is asked about it.
    Asked,
    /// It is being made, and people know.
    Running,
    /// People know of it in another way: it is a question, or it was refused.
    Settled,
}

impl Calls {
    /// The model wants this; one that is known stays as it is.
    pub(super) fn said(&mut self, id: &str, name: &str, input: Map<String, Value>) {
        let call = Call { name: name.to_owned(), input, state: State::Said };
        self.0.entry(id.to_owned()).or_insert(call);
    }

    pub(super) fn set(&mut self, id: &str, state: State) {
        if let Some(call) = self.0.get_mut(id) {
            call.state = state;
        }
    }

    pub(super) fn state(&self, id: &str) -> Option<State> {
        self.0.get(id).map(|call| call.state)
    }

    pub(super) fn get(&self, id: &str) -> Option<(&str, &Map<String, Value>)> {
        self.0.get(id).map(|call| (call.name.as_str(), &call.input))
    }

    /// Whether one is asked about, or is being made, and people know.
    pub(super) fn are_open(&self) -> bool {
        self.0.values().any(|call| matches!(call.state, State::Asked | State::Running))
    }

    /// The turn is over.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// What came of a call, for people. What it tells its model of a call that was
/// stopped, or that goes on in the background, is not for them.
pub(super) fn outcome(line: &Value, result: &Value, interrupted: bool) -> ToolOutcome {
    if interrupted && flag(result, "is_error") {
        return ToolOutcome::Unknown("it was stopped while it ran".to_owned());
    }
    if text(&line["tool_use_result"], "status") == IN_BACKGROUND {
        let content = vec![Block::text("It goes on in the background.")];
        return ToolOutcome::Answered { content, is_error: false, artifact: None };
    }
    let mut room = LONGEST_RESULT;
    let shown = content(result).into_iter().map(|block| match block {
        Block::Text { text } => Block::text(cut(&text, &mut room)),
        other => other,
    });
    let (content, is_error) = (shown.collect(), flag(result, "is_error"));
    ToolOutcome::Answered { content, is_error, artifact: None }
}

/// What came of a call, for the history. Pictures are only named there.
pub(super) fn remembered(id: &str, result: &Value) -> Block {
    let mut room = LONGEST_RESULT;
    let content = content(result).into_iter().map(|block| match block {
        Block::Text { text } => Block::text(cut(&text, &mut room)),
        _ => Block::text("[image]"),
    });
    Block::ToolResult {
        tool_use_id: id.to_owned(),
        content: content.collect(),
        is_error: flag(result, "is_error"),
    }
}

fn content(result: &Value) -> Vec<Block> {
    let block = |block: &Value| match text(block, "type") {
        "text" => Some(Block::text(text(block, "text"))),
        "image" => Some(Block::Image {
            media_type: text(&block["source"], "media_type").to_owned(),
            data: text(&block["source"], "data").to_owned(),
        }),
        _ => None,
    };
    blocks(result).iter().filter_map(block).collect()
}

fn cut(text: &str, room: &mut usize) -> String {
    let end = text.floor_char_boundary((*room).min(text.len()));
    *room -= end;
    if end == text.len() { text.to_owned() } else { format!("{}\n[cut off]", &text[..end]) }
}
