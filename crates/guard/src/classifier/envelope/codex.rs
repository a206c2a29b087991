//! Codex: the lines of `codex exec --json`, and the notifications and requests
//! of its app server. Both have the same items, spelled differently.

use serde_json::{Map, Value};

use super::tool::{is_failure, output_text};
use super::{Said, ToolOutput, ToolUse, blocks, error_words, first_of, first_text, text_of};

/// The parts of an approval that a person decides on.
const DECIDED_ON: [&str; 7] =
    ["command", "cwd", "reason", "changes", "fileChanges", "grantRoot", "permissions"];

/// Reads a line of `codex exec`; nothing if it is of another stream.
pub(super) fn read(value: &Value) -> Option<Said<'_>> {
    let said = match text_of(value, "type")? {
        "item.started" | "item.updated" => item(value.get("item")?, false),
        "item.completed" => item(value.get("item")?, true),
        "turn.failed" => failure(value),
        "thread.started" | "turn.started" | "turn.completed" => Said::nothing(),
        _ => return None,
    };
    Some(said)
}

/// Reads a notification or a request of the app server.
pub(super) fn notification<'v>(method: &str, params: &'v Value) -> Said<'v> {
    let delta = || text_of(params, "delta").unwrap_or_default();
    match method {
        "item/started" => item(&params["item"], false),
        "item/completed" => item(&params["item"], true),
        "item/agentMessage/delta" => Said::fragment(delta()),
        "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => {
            Said::thought_fragment(delta())
        }
        "item/tool/requestUserInput" => Said { objects: vec![params], ..Said::nothing() },
        "turn/completed" => turn(&params["turn"]),
        "turn/plan/updated" => tasks(&params["plan"]),
        "warning" => warning(params),
        "error" if params["willRetry"].as_bool() == Some(true) => warning(params),
        "error" => failure(params),
        "execCommandApproval" => approval("command_execution", params),
        "applyPatchApproval" => approval("file_change", params),
        _ => match method.strip_suffix("/requestApproval") {
            Some(item) => approval(&snake_case(item.trim_start_matches("item/")), params),
            None => Said::nothing(),
        },
    }
}

fn approval<'v>(name: &str, params: &'v Value) -> Said<'v> {
    let input: Map<String, Value> = DECIDED_ON
        .iter()
        .filter_map(|field| Some(((*field).to_owned(), first_of(params, &[*field])?.clone())))
        .collect();
    Said::uses(ToolUse {
        name: name.to_owned(),
        input: input.into(),
        description: first_text(params, &["reason", "command"]).map(str::to_owned),
        asks_permission: true,
        answers: Vec::new(),
    })
}

fn turn(turn: &Value) -> Said<'_> {
    if text_of(turn, "status") == Some("failed") { failure(turn) } else { Said::nothing() }
}

fn failure(value: &Value) -> Said<'_> {
    Said::failed(error_words(value.get("error").unwrap_or(value)).unwrap_or_default())
}

fn warning(value: &Value) -> Said<'_> {
    let words = error_words(value.get("error").unwrap_or(value)).unwrap_or_default();
    Said { warning: true, ..Said::words(words) }
}

/// Reads an item. Text counts when it is complete.
fn item(item: &Value, completed: bool) -> Said<'_> {
    let kind = snake_case(text_of(item, "type").unwrap_or_default());
    match kind.as_str() {
        "command_execution" | "file_change" | "mcp_tool_call" | "web_search" => {
            tool(&kind, item, completed)
        }
        "todo_list" => tasks(&item["items"]),
        _ if !completed => Said::nothing(),
        "agent_message" => Said {
            objects: vec![item],
            ..text_of(item, "text").map(Said::words).unwrap_or_default()
        },
        "reasoning" => {
            blocks::thoughts(item).map(|words| Said::thoughts(&words)).unwrap_or_default()
        }
        "plan" => text_of(item, "text").map(Said::plans).unwrap_or_default(),
        // Codex reports a fault as an item when it goes on in spite of it.
        "error" => warning(item),
        _ => Said::nothing(),
    }
}

fn tool<'v>(kind: &str, item: &'v Value, completed: bool) -> Said<'v> {
    let name = match (text_of(item, "server"), text_of(item, "tool")) {
        (Some(server), Some(tool)) => format!("{server}.{tool}"),
        _ => kind.to_owned(),
    };
    if !completed {
        return Said::uses(ToolUse {
            name,
            input: item.get("arguments").cloned().unwrap_or(Value::Null),
            description: first_text(item, &["command", "query"]).map(str::to_owned),
            asks_permission: false,
            answers: Vec::new(),
        });
    }
    Said::gives(output(name, item))
}

fn output(name: String, item: &Value) -> ToolOutput {
    let output = first_of(item, &["aggregated_output", "aggregatedOutput", "result", "changes"]);
    let output = output.cloned().unwrap_or(Value::Null);
    let text = match &output {
        Value::Array(changes) => changes.iter().filter_map(change).collect::<Vec<_>>().join("\n"),
        Value::Object(result) => result.get("content").map(output_text).unwrap_or_default(),
        other => output_text(other),
    };
    let error = item.get("error").and_then(error_words);
    let exit = first_of(item, &["exit_code", "exitCode"]).and_then(Value::as_i64);
    ToolOutput {
        name,
        is_error: error.is_some()
            || text_of(item, "status").is_some_and(is_failure)
            || exit.is_some_and(|code| code != 0),
        text: error.map_or(text, str::to_owned),
        output,
    }
}

/// One changed file: what was done with it, and which it is.
fn change(change: &Value) -> Option<String> {
    let kind = text_of(change, "kind").or_else(|| text_of(&change["kind"], "type"));
    Some(format!("{} {}", kind.unwrap_or("update"), text_of(change, "path")?))
}

/// The agent's own list of what to do: words, not a plan that waits for a decision.
fn tasks(items: &Value) -> Said<'_> {
    let lines: Vec<String> = items.as_array().into_iter().flatten().filter_map(task).collect();
    if lines.is_empty() { Said::nothing() } else { Said::words(&lines.join("\n")) }
}

fn task(item: &Value) -> Option<String> {
    let words = first_text(item, &["text", "step"])?;
    let done = item["completed"].as_bool() == Some(true) || item["status"] == "completed";
    Some(format!("- [{}] {words}", if done { 'x' } else { ' ' }))
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
