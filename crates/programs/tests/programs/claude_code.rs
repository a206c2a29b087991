//! C-5, B-1: every recording of the real program, replayed through the pure dialect.
//!
//! The recordings are described in `crates/guard/tests/fixtures/agents/README.md`. The answers of
//! the recorded host are given to the dialect as a person's replies; the lines that the dialect
//! would send are in the snapshot, after `>`. Read a new snapshot line by line before you commit
//! it: is this what happened, said once, in Parlor's words?

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parlor_agent::{AgentEvent, Answer, HistoryMessage, Reply, TurnContext, TurnFlow};
use parlor_programs::claude_code::{Dialog, DialogSettings, PermissionMode, ToolPolicy};
use parlor_programs::{Dialect, Output};
use parlor_protocol::{Content, Mode};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::transcript::line;

/// Longer lines are cut.
const SHOWN_AT_MOST: usize = 400;

#[test]
fn every_recording_becomes_what_happened() {
    for version in ["claude-code", "claude-code-2.1.197"] {
        for recording in recordings(version) {
            let stem = recording.file_stem().unwrap().to_string_lossy().into_owned();
            insta::with_settings!({
                snapshot_path => "snapshots/claude_code",
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                let name = format!("{version}__{stem}");
                insta::assert_snapshot!(name, Replay::of(&recording).shown.join("\n"));
            });
        }
    }
}

fn recordings(version: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guard/tests/fixtures/agents");
    let files = fs::read_dir(folder.join(version)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    assert!(!files.is_empty(), "{version} has recordings");
    files
}

/// A recording that is being replayed.
struct Replay {
    dialog: Dialog,
    mode: Mode,
    history: Vec<HistoryMessage>,
    /// The open requests by id: the call, the tool, the input.
    asked: HashMap<String, (String, String, Value)>,
    shown: Vec<String>,
    /// The text that is being streamed.
    text: String,
}

impl Replay {
    fn of(recording: &Path) -> Self {
        let text = fs::read_to_string(recording).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut replay = Self::started(&lines.next().unwrap()["msg"]);
        for line in lines {
            match line["from"].as_str() {
                Some("host") => replay.host(&line["msg"]),
                _ => replay.agent(&line["msg"]),
            }
        }
        replay.say_text();
        replay
    }

    fn started(meta: &Value) -> Self {
        let argument = |flag: &str| {
            let arguments = meta["argv"].as_array().unwrap();
            let at = arguments.iter().position(|argument| argument == flag)?;
            arguments[at + 1].as_str().map(str::to_owned)
        };
        let plans = argument("--permission-mode").as_deref() == Some("plan");
        let started_in = if plans { PermissionMode::Plan } else { PermissionMode::Default };
        let mut dialog = Dialog::new(DialogSettings {
            act: PermissionMode::Default,
            started_in,
            cli_session: argument("--resume"),
            tools: Arc::new(ToolPolicy::default()),
            working_dir: "/workspace/demo".to_owned(),
            working_dir_content: Content::Own,
            durable: false,
            flow: TurnFlow::default(),
            deferred: None,
        });
        dialog.opening();
        Self {
            dialog,
            mode: if plans { Mode::Plan } else { Mode::Act },
            history: Vec::new(),
            asked: HashMap::new(),
            shown: Vec::new(),
            text: String::new(),
        }
    }

    fn agent(&mut self, line: &Value) {
        let request = &line["request"];
        if request["subtype"] == "can_use_tool" {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let asked = (text(&request["tool_use_id"]), text(&request["tool_name"]));
            let asked = (asked.0, asked.1, request["input"].clone());
            self.asked.insert(text(&line["request_id"]), asked);
        } else if request["subtype"] == "elicitation" {
            let id = line["request_id"].as_str().unwrap().to_owned();
            self.asked.insert(id.clone(), (id, "elicitation".into(), Value::Null));
        }
        let mut out = Vec::new();
        self.dialog.read(line, &mut out);
        self.show(out);
    }

    fn host(&mut self, line: &Value) {
        match (line["type"].as_str(), line["request"]["subtype"].as_str()) {
            (Some("user"), _) => {
                let said = line["message"]["content"].as_str().unwrap();
                self.push(format!("person: {said}"));
                self.history.push(HistoryMessage::user(said));
                let context = TurnContext {
                    history: self.history.clone(),
                    mode: self.mode,
                    ..TurnContext::default()
                };
                let mut out = Vec::new();
                self.dialog.begin(&context, Uuid::nil(), &mut out);
                for output in out {
                    if let Output::Send(line) = output
                        && line["type"] == "control_request"
                    {
                        self.push(format!("> {}", line["request"]));
                    }
                }
            }
            (Some("control_request"), Some("interrupt")) => {
                self.push("person stops".to_owned());
                self.dialog.interrupt(&mut Vec::new());
            }
            (Some("control_response"), _) => self.answered(line),
            _ => {}
        }
    }

    /// The person answers as the recorded host did, and the dialect sends the same line.
    fn answered(&mut self, line: &Value) {
        let response = &line["response"];
        let id = response["request_id"].as_str().unwrap();
        let Some((call, tool, input)) = self.asked.remove(id) else { return };
        let given = &response["response"];
        let reply = reply(&tool, &input, given);
        let mut out = Vec::new();
        self.dialog.answer(&call, reply, &mut out);
        let Some(Output::Send(ours)) = out.first() else { panic!("{line} is answered") };
        let ours_given = &ours["response"]["response"];
        assert_eq!(ours["response"]["request_id"], id);
        if given["behavior"] == "allow" {
            assert_eq!(ours_given["updatedInput"].to_string(), given["updatedInput"].to_string());
        }
        self.push(format!("> {ours_given}"));
    }

    fn show(&mut self, out: Vec<Output>) {
        for output in out {
            match output {
                Output::Event(AgentEvent::Text(piece)) => self.text.push_str(&piece),
                Output::Event(event) => {
                    self.say_text();
                    let preview = match &event {
                        AgentEvent::Proposes(call) => call.preview.clone(),
                        _ => None,
                    };
                    self.push(line(&event));
                    if let Some(preview) = preview {
                        self.push(format!("  preview {}", json!(preview)));
                    }
                }
                Output::Send(line) => self.push(format!("> {}", line["response"])),
                Output::CliSession(_) => self.push("session".to_owned()),
                other => self.push(format!("{other:?}")),
            }
        }
    }

    fn say_text(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text);
            self.shown.push(format!("text {text:?}"));
        }
    }

    fn push(&mut self, line: String) {
        self.say_text();
        let shown: String = line.chars().take(SHOWN_AT_MOST).collect();
        let rest = if shown.len() < line.len() { "…" } else { "" };
        self.shown.push(format!("{shown}{rest}"));
    }
}

/// The person's reply that corresponds to the host's answer.
fn reply(tool: &str, input: &Value, given: &Value) -> Reply {
    let allowed = given["behavior"] == "allow";
    match tool {
        "elicitation" => Reply::Answer(match given["action"].as_str() {
            Some("accept") => Answer::Given(given["content"].clone()),
            _ => Answer::Refused(None),
        }),
        "AskUserQuestion" if allowed => {
            let answers = &given["updatedInput"]["answers"];
            let questions = input["questions"].as_array().unwrap().iter().enumerate();
            let answer = |(at, question): (usize, &Value)| {
                let text = question["question"].as_str().unwrap();
                (format!("q{}", at + 1), answers[text].clone())
            };
            Reply::Answer(Answer::Given(Value::Object(questions.map(answer).collect())))
        }
        "ExitPlanMode" if allowed => Reply::Answer(Answer::Given(json!("execute"))),
        _ if allowed => {
            let arguments: Map<String, Value> = given["updatedInput"].as_object().unwrap().clone();
            Reply::Run { arguments, run: Uuid::nil() }
        }
        "AskUserQuestion" | "ExitPlanMode" => {
            Reply::Answer(Answer::Refused(given["message"].as_str().map(str::to_owned)))
        }
        _ => Reply::not_run(given["message"].as_str().unwrap_or_default()),
    }
}
