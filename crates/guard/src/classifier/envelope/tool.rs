//! Tools in an agent's line: one that is used, and what one gave back.

use parlor_protocol::{Plan, QuestionOption};
use serde_json::Value;

use super::{first_of, first_text};

const NAMES: [&str; 5] = ["name", "tool_name", "toolName", "tool", "title"];
const INPUTS: [&str; 6] = ["input", "parameters", "arguments", "args", "rawInput", "params"];

/// The tool that puts questions to a person, without case and underscores.
const ASK_TOOL: &str = "askuserquestion";

/// What other agents call it.
const OTHER_ASK_TOOLS: [&str; 3] = ["askuser", "askfollowupquestion", "requestuserinput"];

/// The name of the tool that presents a plan.
const PLAN_TOOL: &str = "exitplanmode";

/// A tool that runs, or that wants to.
#[derive(Debug)]
pub(in crate::classifier) struct ToolUse {
    pub(in crate::classifier) name: String,
    pub(in crate::classifier) input: Value,
    /// What it is about to do, in words.
    pub(in crate::classifier) description: Option<String>,
    /// It waits for a person's leave.
    pub(in crate::classifier) asks_permission: bool,
    /// The answers that it would take, where it lists them.
    pub(in crate::classifier) answers: Vec<QuestionOption>,
}

/// What a tool gave back.
#[derive(Debug)]
pub(in crate::classifier) struct ToolOutput {
    pub(in crate::classifier) name: String,
    pub(in crate::classifier) output: Value,
    /// The output as text.
    pub(in crate::classifier) text: String,
    pub(in crate::classifier) is_error: bool,
}

impl ToolUse {
    /// Reads a `tool_use` block, or what other agents have in its place.
    pub(super) fn read(value: &Value) -> Self {
        let call = value.get("function").filter(|call| call.is_object()).unwrap_or(value);
        let input = match first_of(call, &INPUTS) {
            // Some APIs write the arguments as a text that is JSON.
            Some(Value::String(json)) => {
                serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.clone()))
            }
            Some(input) => input.clone(),
            None => Value::Null,
        };
        Self {
            name: first_text(call, &NAMES).unwrap_or_default().to_owned(),
            description: first_text(value, &["description"])
                .or_else(|| first_text(&input, &["description"]))
                .map(str::to_owned),
            input,
            asks_permission: false,
            answers: Vec::new(),
        }
    }

    /// Reads an object that is named after a tool that addresses people: by its `type`,
    /// or by its only field. Its arguments are in it, or are the object itself.
    pub(super) fn read_named(value: &Value) -> Option<Self> {
        let speaks = |name: &str| matches!(plain_name(name).as_str(), ASK_TOOL | PLAN_TOOL);
        let (name, inner) = match first_text(value, &["type"]).filter(|name| speaks(name)) {
            Some(name) => (name, value),
            None => {
                let mut fields = value.as_object()?.iter();
                let (name, inner) =
                    fields.find(|(name, inner)| speaks(name) && inner.is_object())?;
                (name.as_str(), inner)
            }
        };
        let tool = Self::read(inner);
        let input = if tool.input.is_object() { tool.input } else { inner.clone() };
        Some(Self { name: name.to_owned(), input, ..tool })
    }

    /// The same tool, as one that waits for leave.
    pub(super) fn asking(mut self) -> Self {
        self.asks_permission = true;
        self
    }

    /// Its description: what it does, or else its name.
    pub(in crate::classifier) fn words(&self) -> &str {
        self.description.as_deref().unwrap_or(&self.name)
    }

    /// True for a tool that asks a person something. Whoever asks for leave to
    /// run must have the one name that cannot be a tool of an MCP server: an
    /// approval must never look like a question.
    pub(in crate::classifier) fn is_ask(&self) -> bool {
        let name = plain_name(&self.name);
        name == ASK_TOOL || (!self.asks_permission && OTHER_ASK_TOOLS.contains(&name.as_str()))
    }

    /// True for the ask tool to which a person may always answer something else.
    pub(in crate::classifier) fn takes_other_answers(&self) -> bool {
        plain_name(&self.name) == ASK_TOOL
    }

    /// The plan, if this is the tool that presents one (T-2).
    pub(in crate::classifier) fn plan(&self) -> Option<Plan> {
        (plain_name(&self.name) == PLAN_TOOL)
            .then(|| Plan::from_markdown(first_text(&self.input, &["plan"]).unwrap_or_default()))
    }

    /// True for an ask or a plan that was announced, and has nothing in it yet.
    pub(super) fn is_announced_only(&self) -> bool {
        let empty = self.input.as_object().is_none_or(serde_json::Map::is_empty);
        empty && (self.is_ask() || plain_name(&self.name) == PLAN_TOOL)
    }
}

impl ToolOutput {
    /// Reads a `tool_result` block, or what other agents have in its place.
    pub(super) fn read(value: &Value) -> Self {
        let failed = first_of(value, &["is_error", "isError"]).and_then(Value::as_bool);
        let status = first_text(value, &["status"]).unwrap_or_default();
        let error = value.get("error").and_then(super::error_words);
        let output = first_of(value, &["content", "output", "result", "text"]).cloned();
        let mut text = output.as_ref().map(output_text).unwrap_or_default();
        if text.is_empty() {
            text = error.unwrap_or_default().to_owned();
        }
        Self {
            name: first_text(value, &["name", "tool_name", "toolName", "tool"])
                .unwrap_or_default()
                .to_owned(),
            is_error: failed.unwrap_or(error.is_some() || is_failure(status)),
            output: output.unwrap_or(Value::Null),
            text,
        }
    }
}

/// True for the status of a tool call that failed.
pub(super) fn is_failure(status: &str) -> bool {
    matches!(status, "error" | "failed" | "failure" | "declined" | "denied" | "cancelled")
}

/// A tool's output as text: a text, or blocks of text, a line each. An image
/// is only named; what is neither is shown as JSON.
pub(super) fn output_text(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(block_text).collect::<Vec<_>>().join("\n"),
        Value::Object(_) => block_text(output).unwrap_or_else(|| output.to_string()),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => output.to_string(),
    }
}

fn block_text(block: &Value) -> Option<String> {
    match first_text(block, &["type"]) {
        Some("image" | "image_url") => Some("[image]".to_owned()),
        // The Agent Client Protocol wraps blocks once more.
        Some("content") => block_text(block.get("content")?),
        Some("diff") => first_text(block, &["path"]).map(str::to_owned),
        _ => match block {
            Value::String(text) => Some(text.clone()),
            _ => first_text(block, &["text", "content", "output"])
                .map(str::to_owned)
                .or_else(|| first_text(block.get("resource")?, &["text"]).map(str::to_owned)),
        },
    }
}

/// A tool's name without case and underscores: agents spell the same tool differently.
fn plain_name(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}
