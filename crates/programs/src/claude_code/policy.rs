//! The configured policy for its tools, and which calls a person may be asked about.

use parlor_agent::ProposedCall;
use parlor_agent::flow::ToolFlow;
use parlor_agent::tools::ToolAction;
use serde_json::{Map, Value};

use super::permission_mode::PermissionMode;
use super::questions;
use crate::fields::text;
use crate::program_call::program_call;

/// Tools that change nothing: in plan mode, a person may be asked about them.
const READERS: &[&str] = &[
    "Agent", "Glob", "Grep", "LS", "NotebookRead", "Read", "Skill", "Task", "ToolSearch",
    "WebFetch", "WebSearch",
];

/// Tools that it never asks about, or whose calls cannot be continued by another process.
const NEVER_ASKED: &[&str] = &[
    "Agent", "BashOutput", "EnterPlanMode", "Glob", "Grep", "KillShell", "LS", "NotebookRead",
    "Read", "Skill", "Task", "TaskOutput", "TaskStop", "TodoWrite", "ToolSearch",
];
/// Tools that change files: allowed in the mode `AcceptEdits`.
pub(super) const EDITORS: &[&str] = &["Edit", "MultiEdit", "NotebookEdit", "Write"];
pub(super) const COMMAND: &str = "Bash";
/// Commands that it runs without asking, by their first word.
const LOOKS: &[&str] =
    &["cat", "cd", "date", "echo", "grep", "head", "ls", "pwd", "rg", "tail", "wc", "which"];
/// Characters with which a command is more than one simple command.
const MORE: &[char] = &[';', '&', '|', '<', '>', '$', '`', '(', ')', '\n', '\\'];

/// The configured policy for its tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    allowed: Vec<String>,
    denied: Vec<String>,
}

impl ToolPolicy {
    /// From the names of tools that run without approval, and of tools that it does not have.
    pub fn new(allowed: &[String], denied: &[String]) -> Self {
        Self { allowed: allowed.to_vec(), denied: denied.to_vec() }
    }

    /// Rules about arguments in the program's own syntax: `Bash(git status:*)`. Only the program
    /// can apply them. Plain names are decided here, so that their calls are in the ledger.
    pub(super) fn its_own_rules(&self) -> Vec<&str> {
        self.allowed.iter().filter(|tool| tool.contains('(')).map(String::as_str).collect()
    }

    /// Whether the configuration allows a call without approval, as far as it can be determined.
    pub(super) fn runs_without_approval(&self, tool: &str, input: &Value) -> bool {
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

    /// What the configuration says about a tool.
    fn action(&self, name: &str) -> Option<ToolAction> {
        let listed = |tools: &[String]| tools.iter().any(|tool| tool == name);
        if listed(&self.denied) {
            return Some(ToolAction::Deny);
        }
        listed(&self.allowed).then_some(ToolAction::Allow)
    }

    /// A call, in the form of the approval policy.
    pub(super) fn call(
        &self,
        id: &str,
        name: &str,
        input: Map<String, Value>,
        flow: ToolFlow,
    ) -> ProposedCall {
        program_call(id, name, input, self.action(name), flow)
    }
}

/// The command, if it is one that only looks.
pub(super) fn look(input: &Map<String, Value>) -> Option<&str> {
    let command = input.get("command")?.as_str()?.trim();
    let first = command.split_whitespace().next()?;
    (LOOKS.contains(&first) && !command.contains(MORE)).then_some(command)
}

/// Whether a call can be continued by another process.
pub(super) fn can_be_continued(tool: &str) -> bool {
    !tool.is_empty() && !NEVER_ASKED.contains(&tool)
}

/// Whether calls of a tool may be asked about in plan mode, where nothing may change (T-3).
pub(super) fn only_reads(name: &str) -> bool {
    READERS.contains(&name)
}

/// Whether a person may be asked about a call in this permission mode. A false positive costs a new
/// process, a false negative a question that does not outlive the process.
pub(super) fn may_be_asked(tool: &str, input: &Value, mode: &str) -> bool {
    let looks = || input.as_object().and_then(look).is_some();
    match tool {
        // Questions are asked in every mode.
        _ if questions::is_question(tool) => true,
        _ if tool == COMMAND && looks() => false,
        _ if mode == PermissionMode::Plan.as_str() => only_reads(tool),
        _ if mode == PermissionMode::AcceptEdits.as_str() => !EDITORS.contains(&tool),
        _ => mode == PermissionMode::Default.as_str(),
    }
}
