//! What the configuration says about its tools, and which calls a person may be asked about.

use std::time::Duration;

use parlor_agent::ProposedCall;
use parlor_agent::tools::{Claims, Tool, ToolAction, ToolRule, ToolSpec};
use parlor_protocol::Preview;
use serde_json::{Map, Value, json};

use super::asks;
use super::fields::text;
use super::permission_mode::PermissionMode;

/// Where its tools come from, as people see it: not its name.
const SERVER: &str = "agent";
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
