//! The labels of its tools (F-1): whose words a result holds, and whether a call is a sink. Pure;
//! by the name and the arguments of a call. In doubt the words are of others, and the call is a
//! sink.

use std::path::Path;

use parlor_agent::flow::ToolFlow;
use parlor_protocol::Content;
use serde_json::{Map, Value};

use super::policy::{COMMAND, EDITORS, look};
use super::questions;
use crate::program_flow::{changes, is_inside, reaches_out, reads};

/// Tools that read files.
const READERS: &[&str] = &["Glob", "Grep", "LS", "NotebookRead", "Read"];
/// The arguments of these tools that are paths.
const PATHS: &[&str] = &["file_path", "notebook_path", "path"];
/// Tools that show what a command or a helper in the background says.
const OUTPUTS: &[&str] = &["BashOutput", "TaskOutput"];
/// Tools that end work in the background.
const ENDERS: &[&str] = &["KillShell", "TaskStop"];
/// Tools that keep lists of its own.
const LISTS: &[&str] = &["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoWrite"];
/// Tools that read what an administrator has installed, and one that forbids itself changes.
const OWN: &[&str] = &["EnterPlanMode", "Skill", "ToolSearch"];
/// Tools that start helpers. The calls of a helper have labels of their own.
const HELPERS: &[&str] = &["Agent", "Task"];
const WEB: &[&str] = &["WebFetch", "WebSearch"];
const MCP: &str = "mcp__";
/// Options with which a look is more than that: they run a program, or set the clock.
const DOES_MORE: &[(&str, &str)] =
    &[("rg", "--pre"), ("rg", "--hostname-bin"), ("date", "-s"), ("date", "--s")];
const QUOTES: &[char] = &['"', '\''];

/// The labels of a call. `files`: whose words are in the files of the working directory.
pub(super) fn of_call(
    tool: &str,
    input: &Map<String, Value>,
    working_dir: &str,
    files: Content,
) -> ToolFlow {
    let of_files = |stays: bool| reads(if stays { files } else { Content::Others });
    match tool {
        _ if READERS.contains(&tool) => of_files(reads_inside(tool, input, working_dir)),
        COMMAND => match look(input).filter(|command| !does_more(command)) {
            Some(command) => of_files(looks_inside(command, working_dir)),
            None => reaches_out(),
        },
        _ if EDITORS.contains(&tool) || ENDERS.contains(&tool) => changes(),
        _ if OUTPUTS.contains(&tool) => reads(Content::Others),
        _ if LISTS.contains(&tool) || OWN.contains(&tool) || starts_helper(tool) => {
            reads(Content::Own)
        }
        _ if questions::is_question(tool) => reads(Content::Own),
        _ if WEB.contains(&tool) || tool.starts_with(MCP) => reaches_out(),
        _ => ToolFlow::default(),
    }
}

/// Whether a tool starts a helper: its result is what the helper made of what it has read.
pub(super) fn starts_helper(tool: &str) -> bool {
    HELPERS.contains(&tool)
}

/// Whether a call writes the file of a plan, which it keeps beside its transcripts.
pub(super) fn writes_plan(tool: &str, input: &Map<String, Value>, transcript: &str) -> bool {
    // …/projects/PROJECT/SESSION.jsonl
    let own_files = Path::new(transcript).ancestors().nth(3);
    let plans = own_files.filter(|dir| dir.is_absolute()).map(|dir| dir.join("plans"));
    let file = input.get("file_path").and_then(Value::as_str);
    match (plans.as_deref().and_then(Path::to_str), file) {
        (Some(plans), Some(file)) => {
            EDITORS.contains(&tool) && file.ends_with(".md") && is_inside(file, plans)
        }
        _ => false,
    }
}

fn reads_inside(tool: &str, input: &Map<String, Value>, working_dir: &str) -> bool {
    let mut paths = PATHS.iter().filter_map(|name| input.get(*name)).peekable();
    // Without a path, the tools that search do so in the working directory.
    let searches = matches!(tool, "Glob" | "Grep" | "LS");
    let knows_paths = searches || paths.peek().is_some();
    // A pattern for names of files can be a path too.
    let pattern = input.get("pattern").filter(|_| tool == "Glob");
    let inside = |path: &Value| path.as_str().is_some_and(|path| is_inside(path, working_dir));
    knows_paths && paths.chain(pattern).all(inside)
}

fn does_more(command: &str) -> bool {
    let plain = command.replace(QUOTES, "");
    DOES_MORE.iter().any(|(first, option)| plain.starts_with(first) && plain.contains(option))
}

/// Whether no word of a simple command can name a file elsewhere.
fn looks_inside(command: &str, working_dir: &str) -> bool {
    command.split_whitespace().all(|word| {
        // A quoted text may be several words.
        let word = word.trim_matches(QUOTES);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/*?".contains(c);
        let is_path = word.contains('/');
        let leads_out = word.contains("..") || word.contains('~') || word.contains(QUOTES);
        let is_odd = is_path && (word.starts_with('-') || !word.chars().all(is_plain));
        !leads_out && !is_odd && (!is_path || is_inside(word, working_dir))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DIR: &str = "/srv/desk";

    fn labels(tool: &str, input: Value) -> (Content, bool, bool) {
        let flow = of_call(tool, input.as_object().unwrap(), DIR, Content::Own);
        (flow.content.is, flow.sink.is, flow.reaches_out)
    }

    /// F-1: what brings words of others, what is a sink, and what carries something out.
    #[test]
    fn tools_have_labels() {
        use Content::{Others, Own};
        for (tools, expected) in [
            (
                &["Edit", "MultiEdit", "Write", "NotebookEdit", "KillShell", "TaskStop"][..],
                (Own, true, false),
            ),
            (&["WebFetch", "WebSearch", "mcp__mail__send", "Bash"], (Others, true, true)),
            (&["BashOutput", "TaskOutput", "Read", "NotebookRead"], (Others, false, false)),
            (&["TodoWrite", "ToolSearch", "Skill", "Task", "Agent", "Grep"], (Own, false, false)),
            (&["AskUserQuestion", "ExitPlanMode", "EnterPlanMode"], (Own, false, false)),
            (
                &["CronCreate", "Monitor", "SendMessage", "Workflow", "New", ""],
                (Others, true, false),
            ),
        ] {
            for tool in tools {
                assert_eq!(labels(tool, json!({})), expected, "{tool}");
            }
        }
    }

    /// F-1: what is read in the working directory is what the configuration says; elsewhere it is
    /// of others.
    #[test]
    fn reads_count_by_their_place() {
        let inside = [
            ("Read", json!({"file_path": "/srv/desk/a.txt"})),
            ("Grep", json!({"pattern": "/etc/passwd"})),
            ("Grep", json!({"pattern": "x", "path": "src"})),
            ("Glob", json!({"pattern": "**/*.rs"})),
            ("Bash", json!({"command": "ls -la"})),
            ("Bash", json!({"command": "cat notes/a.txt \"b/c.txt\""})),
            ("Bash", json!({"command": "grep -rn 'two words' src /srv/desk/docs"})),
            ("Bash", json!({"command": "date"})),
        ];
        for (tool, input) in inside {
            assert_eq!(labels(tool, input.clone()), (Content::Own, false, false), "{tool} {input}");
            let shared = of_call(tool, input.as_object().unwrap(), DIR, Content::Others);
            assert_eq!((shared.content.is, shared.sink.is), (Content::Others, false), "{input}");
        }
        for (tool, input) in [
            ("Read", json!({"file_path": "/srv/mail/a.txt"})),
            ("Read", json!({"file_path": "/srv/desk/../mail/a.txt"})),
            ("Read", json!({"file_path": 1})),
            ("Grep", json!({"pattern": "x", "path": "~/mail"})),
            ("Glob", json!({"pattern": "/srv/mail/*"})),
            ("Bash", json!({"command": "cat /srv/mail/a.txt"})),
            ("Bash", json!({"command": "cat ../mail/a.txt"})),
            ("Bash", json!({"command": "cat {/srv/mail/a.txt,b}"})),
            ("Bash", json!({"command": "cat \"/srv\"/mail"})),
            ("Bash", json!({"command": "cat ~/mail"})),
            ("Bash", json!({"command": "cd '.'\".\""})),
            ("Bash", json!({"command": "grep -f/srv/mail/a x"})),
            ("Bash", json!({"command": "wc --files0-from=/srv/mail/a"})),
        ] {
            assert_eq!(
                labels(tool, input.clone()),
                (Content::Others, false, false),
                "{tool} {input}"
            );
        }
    }

    /// F-1: a command is a look only if it is nothing else.
    #[test]
    fn other_commands_are_sinks() {
        for command in [
            "cat a > b", "ls; touch a", "curl x", "rg --pre ./x y", "rg '--pre=./x' y",
            "rg \"--p\"re=./x y", "date -s 12:00", "git log", "", "LS",
        ] {
            assert_eq!(
                labels("Bash", json!({"command": command})),
                (Content::Others, true, true),
                "{command}"
            );
        }
    }
}
