//! Its tool calls: which it has made, which it was asked about, and what the
//! configuration says about them.

use std::collections::HashMap;
use std::time::Duration;

use parlor_protocol::Preview;
use serde_json::{Map, Value, json};

use super::asks;
use super::fields::{blocks, flag, text};
use super::settings::PermissionMode;
use crate::ask::ProposedCall;
use crate::history::Block;
use crate::llm::ToolSpec;
use crate::tools::{Claims, Tool, ToolAction, ToolOutcome, ToolRule};

/// Where its tools come from, as people see it: not its name.
const SERVER: &str = "agent";
/// A helper that was started and not waited for.
const IN_BACKGROUND: &str = "async_launched";
/// The longest result that is shown, in bytes of text.
const LONGEST_RESULT: usize = 100 << 10;
/// Tools that change nothing: they may be asked about in plan mode.
const READERS: &[&str] = &[
    "Agent", "Glob", "Grep", "LS", "NotebookRead", "Read", "Skill", "Task", "ToolSearch",
    "WebFetch", "WebSearch",
];

/// Tools that it never asks about, or that are nothing without their process.
const NEVER_ASKED: &[&str] = &[
    "Agent", "BashOutput", "EnterPlanMode", "Glob", "Grep", "KillShell", "LS", "NotebookRead",
    "Read", "Skill", "Task", "TaskOutput", "TaskStop", "TodoWrite", "ToolSearch",
];
/// Tools that change files, which one of its modes allows.
const EDITORS: &[&str] = &["Edit", "MultiEdit", "NotebookEdit", "Write"];
const COMMAND: &str = "Bash";
/// Commands that it makes without a question, by their first word.
const LOOKS: &[&str] =
    &["cat", "cd", "date", "echo", "grep", "head", "ls", "pwd", "rg", "tail", "wc", "which"];
/// What makes more of a command than its first word tells.
const MORE: &[char] = &[';', '&', '|', '<', '>', '$', '`', '(', ')', '\n', '\\'];

/// What the configuration says about its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    allowed: Vec<String>,
    denied: Vec<String>,
}

impl ToolPolicy {
    /// Tools that run without a question, and tools that it does not have.
    pub fn new(allowed: &[String], denied: &[String]) -> Self {
        Self { allowed: allowed.to_vec(), denied: denied.to_vec() }
    }

    /// Rules in its own words, about arguments: `Bash(git status:*)`. It alone
    /// can read them; plain names are ours to answer, and so are in the ledger.
    pub(super) fn its_own_rules(&self) -> Vec<&str> {
        self.allowed.iter().filter(|tool| tool.contains('(')).map(String::as_str).collect()
    }

    /// Whether a call runs without a question by what is configured, as far as we
    /// can tell.
    pub(super) fn runs_unasked(&self, tool: &str, input: &Value) -> bool {
        let covers = |rule: &String| match rule.strip_suffix(')').and_then(|r| r.split_once('(')) {
            None => rule == tool,
            Some((name, what)) if name == COMMAND && tool == COMMAND => {
                let command = text(input, "command");
                match what.strip_suffix(":*").or_else(|| what.strip_suffix('*')) {
                    Some(begin) => command.starts_with(begin),
                    None => command == what,
                }
            }
            Some((name, _)) => name == tool,
        };
        self.allowed.iter().any(covers)
    }

    pub(super) fn denied(&self) -> Vec<&str> {
        self.denied.iter().map(String::as_str).collect()
    }

    /// A tool of its own, as oversight sees it.
    fn tool(&self, name: &str) -> Tool {
        let listed = |tools: &[String]| tools.iter().any(|tool| tool == name);
        let action = if listed(&self.denied) {
            Some(ToolAction::Deny)
        } else {
            listed(&self.allowed).then_some(ToolAction::Allow)
        };
        let rule = |action| ToolRule { arguments: Vec::new(), action };
        Tool {
            spec: ToolSpec {
                name: name.to_owned(),
                description: String::new(),
                input_schema: json!({"type": "object"}),
            },
            server: SERVER.to_owned(),
            name: name.to_owned(),
            title: None,
            claims: Claims::default(),
            rules: action.map(rule).into_iter().collect(),
            fingerprint: String::new(),
            timeout: Duration::MAX,
            prompt_timeout: None,
            preview: None,
            suspicion: None,
        }
    }

    /// A call, as oversight sees it.
    pub(super) fn call(
        &self,
        id: &str,
        name: &str,
        input: Map<String, Value>,
        description: Option<&str>,
        preview: Option<Preview>,
    ) -> ProposedCall {
        ProposedCall {
            id: id.to_owned(),
            name: name.to_owned(),
            input,
            tool: Some(self.tool(name)),
            description: description.map(str::to_owned),
            preview,
            ends_with_agent: false,
        }
    }
}

/// Whether a tool may be asked about where nothing is to be changed (T-3).
pub(super) fn only_reads(name: &str) -> bool {
    READERS.contains(&name)
}

/// Whether a person may be asked about a call in this mode of its own. To say yes
/// costs a new process, to say no costs an ask that does not outlive it.
pub(super) fn may_be_asked(tool: &str, input: &Value, mode: &str) -> bool {
    let looks = || {
        let command = text(input, "command").trim();
        let first = command.split_whitespace().next().unwrap_or_default();
        LOOKS.contains(&first) && !command.contains(MORE)
    };
    match tool {
        "" => false,
        // A question is asked in every mode.
        _ if asks::is_question(tool) => true,
        _ if NEVER_ASKED.contains(&tool) || (tool == COMMAND && looks()) => false,
        _ if mode == PermissionMode::Plan.as_str() => only_reads(tool),
        _ if mode == PermissionMode::AcceptEdits.as_str() => !EDITORS.contains(&tool),
        _ => mode == PermissionMode::Default.as_str(),
    }
}

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
