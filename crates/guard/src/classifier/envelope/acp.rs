//! The Agent Client Protocol: what an agent reports while it works.

use parlor_protocol::{Plan, PlanStep, QuestionOption};
use serde_json::{Map, Value};

use super::tool::{is_failure, output_text};
use super::{Said, ToolOutput, ToolUse, first_of, first_text, text_of};

/// Reads a `session/update`.
pub(super) fn update(update: &Value) -> Said<'_> {
    let words = || text_of(&update["content"], "text").unwrap_or_default();
    match text_of(update, "sessionUpdate").unwrap_or_default() {
        "agent_message_chunk" => Said::fragment(words()),
        "agent_thought_chunk" => Said::thought_fragment(words()),
        "tool_call" | "tool_call_update" => tool_call(update),
        "plan" => Said { plan: plan(&update["entries"]), ..Said::nothing() },
        _ => Said::nothing(),
    }
}

/// Reads a `session/request_permission`. Its options are the answers to the
/// approval, not those of a question.
pub(super) fn permission(params: &Value) -> Said<'_> {
    let call = &params["toolCall"];
    let answers = params["options"].as_array().into_iter().flatten().filter_map(answer).collect();
    let tool = ToolUse { answers, ..tool(call).asking() };
    if tool.plan().is_none() && text_of(call, "kind") == Some("switch_mode") {
        let markdown = output_text(&call["content"]);
        if !markdown.trim().is_empty() {
            return Said { tools: vec![tool], ..Said::plans(&markdown) };
        }
    }
    Said::uses(tool)
}

fn answer(option: &Value) -> Option<QuestionOption> {
    let value = first_text(option, &["optionId", "name"])?;
    Some(QuestionOption {
        label: first_text(option, &["name"]).unwrap_or(value).to_owned(),
        value: value.to_owned(),
        description: None,
    })
}

/// A tool call, announced, running or done. Updates bring only what is new.
fn tool_call(update: &Value) -> Said<'_> {
    match text_of(update, "status").unwrap_or_default() {
        status if status == "completed" || is_failure(status) => Said::gives(output(update)),
        _ => {
            let tool = tool(update);
            if tool.is_announced_only() { Said::nothing() } else { Said::uses(tool) }
        }
    }
}

fn tool(call: &Value) -> ToolUse {
    ToolUse {
        name: name(call),
        input: first_of(call, &["rawInput"]).cloned().unwrap_or_else(|| outline(call)),
        description: first_text(call, &["title"]).map(str::to_owned),
        asks_permission: false,
        answers: Vec::new(),
    }
}

/// Without arguments, this is all that there is to decide on.
fn outline(call: &Value) -> Value {
    ["title", "locations", "content"]
        .into_iter()
        .filter_map(|field| Some((field.to_owned(), first_of(call, &[field])?.clone())))
        .filter(|(_, value)| value.as_array().is_none_or(|items| !items.is_empty()))
        .collect::<Map<_, _>>()
        .into()
}

fn output(update: &Value) -> ToolOutput {
    let output = first_of(update, &["rawOutput", "content"]).cloned().unwrap_or(Value::Null);
    ToolOutput {
        name: name(update),
        text: output_text(&output),
        output,
        is_error: text_of(update, "status").is_some_and(is_failure),
    }
}

/// The tool's name, or else what kind of tool it is.
fn name(call: &Value) -> String {
    first_text(call, &["name"])
        .or_else(|| first_text(&call["_meta"]["claudeCode"], &["toolName"]))
        .or_else(|| first_text(call, &["kind"]))
        .unwrap_or_default()
        .to_owned()
}

/// The entries of a plan are its steps; its goal is what comes first, as in a
/// plan of which only the markdown is known (T-2).
fn plan(entries: &Value) -> Option<Plan> {
    let actions: Vec<&str> = entries
        .as_array()?
        .iter()
        .filter_map(|entry| first_text(entry, &["content", "title"]))
        .collect();
    let numbered = || (1_u32..).zip(&actions);
    let lines: Vec<String> =
        numbered().map(|(number, action)| format!("{number}. {action}")).collect();
    Some(Plan {
        goal: (*actions.first()?).to_owned(),
        steps: numbered().map(|(number, action)| PlanStep::bare(number, action)).collect(),
        ..Plan::from_markdown(&lines.join("\n"))
    })
}
