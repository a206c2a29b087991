//! The calls of one message, one after the other. Pure.
//!
//! Each call is proposed, made, and settled before the next one is proposed:
//! what a person is asked about is what happens next. All results together
//! are one message to the model, in the order of the calls.

use std::collections::VecDeque;

use parlor_agent::tools::Tool;
use parlor_agent::{Answer, ContentBlock, HistoryMessage};
use parlor_protocol::{Mode, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Value,
}

impl Call {
    /// Whether these are the arguments that the model wrote.
    pub(super) fn has_arguments(&self, arguments: &Map<String, Value>) -> bool {
        match &self.input {
            Value::Null => arguments.is_empty(),
            input => input.as_object() == Some(arguments),
        }
    }
}

/// The state of the calls of a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Calls {
    /// The first of them is proposed or made right now.
    pending: VecDeque<Call>,
    results: Vec<ContentBlock>,
    /// Whether the first is being made.
    running: bool,
}

impl Calls {
    /// The calls of a message.
    pub(super) fn of(message: &HistoryMessage) -> Self {
        let pending = message.blocks.iter().filter_map(|block| match block {
            ContentBlock::ToolUse { id, name, input } => {
                Some(Call { id: id.clone(), name: name.clone(), input: input.clone() })
            }
            _ => None,
        });
        Self { pending: pending.collect(), results: Vec::new(), running: false }
    }

    /// The call that is to be settled next.
    pub(super) fn current(&self) -> Option<&Call> {
        self.pending.front()
    }

    /// The current call, if it has this id.
    pub(super) fn is_current(&self, id: &str) -> bool {
        self.current().is_some_and(|call| call.id == id)
    }

    /// After a crash the current call is proposed again: the ledger of tool runs knows how
    /// far it came.
    pub(super) fn interrupted(&mut self) {
        self.running = false;
    }

    /// Notes that the current call is being made.
    pub(super) fn started(&mut self) {
        self.running = true;
    }

    /// Whether the current call is being made.
    pub(super) fn is_running(&self) -> bool {
        self.running
    }

    /// Notes what came of the current call.
    pub(super) fn settle(&mut self, content: Vec<ContentBlock>, is_error: bool) {
        self.running = false;
        if let Some(call) = self.pending.pop_front() {
            self.results.push(ContentBlock::ToolResult { tool_use_id: call.id, content, is_error });
        }
    }

    /// Gives up what is not settled: no model takes a call without a result.
    pub(super) fn give_up(&mut self) {
        while !self.pending.is_empty() {
            let why = if self.running {
                "The turn was stopped while this ran. Whether it took effect is not known."
            } else {
                "The turn was stopped before this ran."
            };
            self.settle(vec![ContentBlock::text(why)], true);
        }
    }

    /// All results, once every call is settled.
    pub(super) fn message(&mut self) -> HistoryMessage {
        HistoryMessage { role: Role::Tool, blocks: std::mem::take(&mut self.results) }
    }
}

/// The arguments, and why the call cannot even be proposed.
pub(super) fn admissible(
    call: &Call,
    tool: Option<&Tool>,
    mode: Mode,
) -> Result<Map<String, Value>, String> {
    let name = &call.name;
    let Some(tool) = tool else {
        return Err(format!("There is no tool {name:?}. Use only the tools that are listed."));
    };
    if !tool.claims.read_only {
        may_change(name, mode)?;
    }
    arguments(call)
}

/// T-3: what changes something does not run in plan mode, whatever the model was told.
fn may_change(name: &str, mode: Mode) -> Result<(), String> {
    match mode {
        Mode::Act => Ok(()),
        Mode::Plan => Err(format!(
            "{name} was not run: the conversation is in plan mode, in which nothing is changed. \
             Present a plan; it is carried out once the person says so."
        )),
    }
}

/// The arguments of a call of the client's tool, and why it cannot be made. What such a tool
/// changes is not known.
pub(super) fn for_client(call: &Call, mode: Mode) -> Result<Map<String, Value>, String> {
    may_change(&call.name, mode)?;
    arguments(call)
}

fn arguments(call: &Call) -> Result<Map<String, Value>, String> {
    let name = &call.name;
    match &call.input {
        Value::Object(input) => Ok(input.clone()),
        Value::Null => Ok(Map::new()),
        Value::String(written) if serde_json::from_str::<Map<String, Value>>(written).is_ok() => {
            Err(format!(
                "{name} was not run: a number in its arguments has more digits than can be passed \
                 on exactly, and it is not rounded. Give it as a string, or with fewer digits."
            ))
        }
        _ => Err(format!("{name} was not run: its arguments are not a JSON object. Try again.")),
    }
}

/// A person's answer as the result of a call, for the model.
pub(super) fn result_of(answer: Answer) -> (Vec<ContentBlock>, bool) {
    let (words, is_error) = match answer {
        Answer::Given(Value::String(text)) => (format!("The person answered: {text}"), false),
        Answer::Given(value) => (format!("The person answered: {value}"), false),
        Answer::Refused(None) => ("The person declined to answer.".to_owned(), false),
        Answer::Refused(Some(why)) => (format!("The person declined to answer: {why}"), false),
        Answer::Expired => {
            ("Nobody answered in time. Do not take that as a yes.".to_owned(), false)
        }
    };
    (vec![ContentBlock::text(words)], is_error)
}
