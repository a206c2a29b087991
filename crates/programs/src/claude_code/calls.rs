//! The tool calls of a turn: the state and the outcome of each.

use std::collections::HashMap;

use parlor_agent::{ContentBlock, ToolOutcome};
use serde_json::{Map, Value};

use crate::fields::{blocks, flag, text};
use crate::result_text::{LONGEST_RESULT, cut};

/// The status of a subagent that was started in the background.
const IN_BACKGROUND: &str = "async_launched";
/// The calls of a turn, by id.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<String, Call>);

#[derive(Debug)]
struct Call {
    name: String,
    input: Map<String, Value>,
    state: State,
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Proposed by the model. Whether it runs or needs approval is not known yet.
    Said,
    /// Waits for a person's approval.
    Asked,
    /// Runs, and is shown to people.
    Running,
    /// Shown in another way: it is a question, or was refused.
    Settled,
}

impl Calls {
    /// Adds a call that the model proposed; a known one keeps its state.
    pub(super) fn said(&mut self, id: &str, name: &str, input: Map<String, Value>) {
        let call = Call { name: name.to_owned(), input, state: State::Said };
        self.0.entry(id.to_owned()).or_insert(call);
    }

    /// A person changed the arguments.
    pub(super) fn edit(&mut self, id: &str, input: Map<String, Value>) {
        if let Some(call) = self.0.get_mut(id) {
            call.input = input;
        }
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

    /// Whether any call runs or waits for approval.
    pub(super) fn are_open(&self) -> bool {
        self.0.values().any(|call| matches!(call.state, State::Asked | State::Running))
    }

    /// Called when the turn is over.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The outcome of a call, as people see it. What the program tells its model about a call that was
/// stopped, or that continues in the background, is not shown.
pub(super) fn outcome(line: &Value, result: &Value, interrupted: bool) -> ToolOutcome {
    if interrupted && flag(result, "is_error") {
        return ToolOutcome::Unknown("it was stopped while it ran".to_owned());
    }
    if text(&line["tool_use_result"], "status") == IN_BACKGROUND {
        let content = vec![ContentBlock::text("It goes on in the background.")];
        return ToolOutcome::answered(content, false);
    }
    let mut room = LONGEST_RESULT;
    let shown = content(result).into_iter().map(|block| match block {
        ContentBlock::Text { text } => ContentBlock::text(cut(&text, &mut room)),
        other => other,
    });
    let (content, is_error) = (shown.collect(), flag(result, "is_error"));
    ToolOutcome::answered(content, is_error)
}

/// The result of a call, for the history. Pictures are only mentioned there.
pub(super) fn result_block(id: &str, result: &Value) -> ContentBlock {
    let mut room = LONGEST_RESULT;
    let content = content(result).into_iter().map(|block| match block {
        ContentBlock::Text { text } => ContentBlock::text(cut(&text, &mut room)),
        _ => ContentBlock::text("[image]"),
    });
    ContentBlock::ToolResult {
        tool_use_id: id.to_owned(),
        content: content.collect(),
        is_error: flag(result, "is_error"),
    }
}

fn content(result: &Value) -> Vec<ContentBlock> {
    let block = |block: &Value| match text(block, "type") {
        "text" => Some(ContentBlock::text(text(block, "text"))),
        "image" => Some(ContentBlock::Image {
            media_type: text(&block["source"], "media_type").to_owned(),
            data: text(&block["source"], "data").to_owned(),
        }),
        _ => None,
    };
    blocks(result).iter().filter_map(block).collect()
}
