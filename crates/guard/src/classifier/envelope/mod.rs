//! Takes a line out of its wire format.
//!
//! Every agent has a format of its own; here all of them become one shape,
//! [`Said`], so that the rules need to know no agent. A line that has nothing
//! for a person (a status, an acknowledgement, the arguments of a tool
//! while they stream) is a `Said` with nothing in it.
//!
//! Where to look: [`claude_code`], [`codex`], [`acp`] for the agents' own
//! formats; [`plain`] for the objects of the model APIs, for the Gemini stream
//! and for everything else; [`blocks`] for content blocks, [`form`] for
//! elicitation, [`tool`] for tools.

mod acp;
mod blocks;
mod claude_code;
mod codex;
mod form;
mod json_rpc;
mod plain;
mod tool;

use parlor_protocol::{Plan, Question, SubQuestion};
use serde_json::Value;

pub(super) use tool::{ToolOutput, ToolUse};

/// The content of a line, whatever its wire format.
#[derive(Debug, Default)]
pub(super) struct Said<'v> {
    /// The turn was stopped.
    pub(super) aborted: bool,
    /// The text of a failure that the agent reports.
    pub(super) error: Option<String>,
    /// It is about a fault that stops nothing.
    pub(super) warning: bool,
    /// What tools gave back.
    pub(super) results: Vec<ToolOutput>,
    /// Tools that run, or want to.
    pub(super) tools: Vec<ToolUse>,
    /// A plan that is presented as one.
    pub(super) plan: Option<Plan>,
    /// A question that is asked as one.
    pub(super) question: Option<Question>,
    /// Questions of a form.
    pub(super) questions: Vec<SubQuestion>,
    /// Objects that may themselves be a plan, a question or options.
    pub(super) objects: Vec<&'v Value>,
    /// How it reasons.
    pub(super) thinking: Vec<String>,
    /// Its text.
    pub(super) text: Vec<String>,
    /// The words are a piece of a longer text, and are not judged.
    pub(super) partial: bool,
}

impl<'v> Said<'v> {
    /// Reads a line of whatever agent.
    pub(super) fn read(value: &'v Value) -> Self {
        match value {
            Value::String(text) => Self::words(text),
            Value::Array(items) => blocks::read(items),
            Value::Object(_) => json_rpc::read(value)
                .or_else(|| claude_code::read(value))
                .or_else(|| codex::read(value))
                .unwrap_or_else(|| plain::read(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::default(),
        }
    }

    /// Nothing for a person.
    fn nothing() -> Self {
        Self::default()
    }

    fn words(text: &str) -> Self {
        Self { text: vec![text.to_owned()], ..Self::default() }
    }

    fn fragment(text: &str) -> Self {
        Self { partial: true, ..Self::words(text) }
    }

    fn thoughts(text: &str) -> Self {
        let thinking = if text.trim().is_empty() { Vec::new() } else { vec![text.to_owned()] };
        Self { thinking, ..Self::default() }
    }

    /// A piece of a thought: white space counts, it stands between words.
    fn thought_fragment(text: &str) -> Self {
        Self { thinking: vec![text.to_owned()], partial: true, ..Self::default() }
    }

    fn failed(words: impl Into<String>) -> Self {
        Self { error: Some(words.into()), ..Self::default() }
    }

    fn uses(tool: ToolUse) -> Self {
        Self { tools: vec![tool], ..Self::default() }
    }

    fn gives(output: ToolOutput) -> Self {
        Self { results: vec![output], ..Self::default() }
    }

    fn plans(markdown: &str) -> Self {
        Self { plan: Some(Plan::from_markdown(markdown)), ..Self::default() }
    }
}

/// The text of a field, or nothing.
fn text_of<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field)?.as_str()
}

/// The first field that is there and is not `null`.
fn first_of<'v>(value: &'v Value, fields: &[&str]) -> Option<&'v Value> {
    fields.iter().filter_map(|field| value.get(field)).find(|field| !field.is_null())
}

/// The first field that is a text with something in it.
fn first_text<'v>(value: &'v Value, fields: &[&str]) -> Option<&'v str> {
    fields.iter().filter_map(|field| text_of(value, field)).find(|text| !text.trim().is_empty())
}

/// The text of an error: its `message`, or whatever text it has.
fn error_words(error: &Value) -> Option<&str> {
    match error {
        Value::String(text) => Some(text),
        _ => first_text(error, &["message", "detail", "error", "text"])
            .or_else(|| error_words_within(error.get("error")?)),
    }
}

fn error_words_within(error: &Value) -> Option<&str> {
    first_text(error, &["message", "detail"])
}
