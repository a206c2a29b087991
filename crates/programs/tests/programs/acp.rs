//! C-5, B-3: every recording of the real agents, replayed through the pure dialect.
//!
//! The recordings are described in `crates/guard/tests/fixtures/agents/README.md`. What the
//! recorded client did is done by a person here: prompts are messages, answers to permissions are
//! replies. The answers of the agent go to our requests of the same method. Lines that the dialect
//! would send are in the snapshot, after `>`. Read a new snapshot line by line before you commit
//! it: is this what happened, said once, in Parlor's words?

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parlor_agent::{AgentEvent, Answer, HistoryMessage, Reply, TurnContext};
use parlor_programs::acp::{Dialog, DialogSettings, ToolLists, Wanted};
use parlor_programs::{Dialect, Output};
use parlor_protocol::Mode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::transcript::line;

/// Longer lines are cut.
const SHOWN_AT_MOST: usize = 400;

#[test]
fn every_recording_becomes_what_happened() {
    for folder in ["acp", "acp-2026-11-16"] {
        for recording in recordings(folder) {
            let stem = recording.file_stem().unwrap().to_string_lossy().into_owned();
            insta::with_settings!({
                snapshot_path => "snapshots/acp",
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                let name = format!("{folder}__{stem}");
                insta::assert_snapshot!(name, Replay::of(&recording).shown.join("\n"));
            });
        }
    }
}

fn recordings(folder: &str) -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guard/tests/fixtures/agents");
    let files = fs::read_dir(all.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} has recordings");
    files
}

/// A recording that is being replayed.
struct Replay {
    dialog: Dialog,
    settings: DialogSettings,
    history: Vec<HistoryMessage>,
    /// Our requests without an answer, by method.
    ours: Vec<(String, u64)>,
    /// The methods of the recorded requests.
    theirs: HashMap<u64, String>,
    /// What a person was asked: by its id, with the input of a call.
    asked: Vec<(String, Option<Map<String, Value>>)>,
    shown: Vec<String>,
    /// The text that is being streamed.
    text: String,
}

impl Replay {
    fn of(recording: &Path) -> Self {
        let text = fs::read_to_string(recording).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut replay = Self::started(settings(&lines));
        for line in &lines {
            match line["from"].as_str() {
                Some("client") => replay.client(&line["msg"]),
                Some("agent") => replay.agent(&line["msg"]),
                _ => {}
            }
        }
        replay.say_text();
        replay
    }

    fn started(settings: DialogSettings) -> Self {
        Self {
            dialog: Dialog::new(settings.clone()),
            settings,
            history: Vec::new(),
            ours: Vec::new(),
            theirs: HashMap::new(),
            asked: Vec::new(),
            shown: Vec::new(),
            text: String::new(),
        }
    }

    /// The recorded client: another `initialize` is another process.
    fn client(&mut self, line: &Value) {
        let (method, params) = (line["method"].as_str(), &line["params"]);
        if let (Some(method), Some(id)) = (method, line["id"].as_u64()) {
            self.theirs.insert(id, method.to_owned());
        }
        match method {
            Some("initialize") => {
                if !self.shown.is_empty() {
                    self.push("process ends".to_owned());
                }
                self.ours.clear();
                self.asked.clear();
                self.dialog = Dialog::new(self.settings.clone());
                let opening = self.dialog.opening();
                self.show(opening.into_iter().map(Output::Send).collect());
            }
            Some("session/prompt") => {
                let said = params["prompt"][0]["text"].as_str().unwrap();
                self.push(format!("person: {said}"));
                self.history.push(HistoryMessage::user(said));
                let history = self.history.clone();
                let context = TurnContext { history, ..TurnContext::default() };
                self.dialogue(|dialog, out| dialog.begin(&context, Uuid::nil(), out));
            }
            Some("session/cancel") => {
                self.push("person stops".to_owned());
                self.dialogue(|dialog, out| dialog.interrupt(out));
            }
            Some(_) => {}
            None => self.answered(&line["result"]),
        }
    }

    /// The person answers as the recorded client did.
    fn answered(&mut self, result: &Value) {
        if self.asked.is_empty() {
            return;
        }
        let (id, input) = self.asked.remove(0);
        let option = result["outcome"]["optionId"].as_str().unwrap_or_default();
        let no = ["reject", "cancel", "no"].contains(&option) || option.is_empty();
        let reply = match (input, result["action"].as_str()) {
            (None, Some("accept")) => Reply::Answer(Answer::Given(result["content"].clone())),
            (None, _) => Reply::Answer(Answer::Refused(None)),
            (Some(_), _) if no => Reply::not_run("The person refused."),
            (Some(arguments), _) => Reply::Run { arguments, run: Uuid::nil() },
        };
        self.dialogue(|dialog, out| dialog.answer(&id, reply, out));
    }

    fn agent(&mut self, line: &Value) {
        let mut line = line.clone();
        if line.get("method").is_none() {
            let recorded = line["id"].as_u64().and_then(|id| self.theirs.get(&id));
            let Some(method) = recorded else { return };
            let Some(at) = self.ours.iter().position(|(ours, _)| ours == method) else { return };
            line["id"] = json!(self.ours.remove(at).1);
        }
        self.dialogue(|dialog, out| dialog.read(&line, out));
    }

    fn dialogue(&mut self, act: impl FnOnce(&mut Dialog, &mut Vec<Output>)) {
        let mut out = Vec::new();
        act(&mut self.dialog, &mut out);
        self.show(out);
    }

    fn show(&mut self, out: Vec<Output>) {
        for output in out {
            match output {
                Output::Event(AgentEvent::Text(piece)) => self.text.push_str(&piece),
                Output::Event(event) => self.show_event(event),
                Output::Send(line) => self.sent(&line),
                Output::CliSession(id) => {
                    self.settings.cli_session = Some(id);
                    self.push("session".to_owned());
                }
                other => self.push(format!("{other:?}")),
            }
        }
    }

    fn show_event(&mut self, event: AgentEvent) {
        self.say_text();
        let shown = line(&event);
        match event {
            AgentEvent::Proposes(call) => {
                self.push(format!("{shown} {:?}", call.caveats));
                if let Some(preview) = &call.preview {
                    self.push(format!("  preview {}", json!(preview)));
                }
                self.asked.push((call.id, Some(call.input)));
            }
            AgentEvent::Asks(ask) => {
                self.push(shown);
                self.asked.push((ask.id, None));
            }
            _ => self.push(shown),
        }
    }

    fn sent(&mut self, line: &Value) {
        if let (Some(method), Some(id)) = (line["method"].as_str(), line["id"].as_u64()) {
            self.ours.push((method.to_owned(), id));
        }
        let mut line = line.clone();
        let fields = line.as_object_mut().unwrap();
        fields.remove("jsonrpc");
        self.push(format!("> {line}"));
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

/// The settings that a recording was made with.
fn settings(lines: &[Value]) -> DialogSettings {
    let messages = || lines.iter().map(|line| &line["msg"]);
    let mut set = messages().filter(|message| message["method"] == "session/set_mode");
    let mode = set.next().and_then(|message| message["params"]["modeId"].as_str());
    DialogSettings {
        process: Uuid::nil(),
        working_dir: "/workspace/demo".to_owned(),
        working_dir_content: parlor_protocol::Content::Own,
        wanted: Wanted { act: mode.map(str::to_owned), ..Wanted::default() },
        session_meta: Map::new(),
        instructions: None,
        auth_method: None,
        warns_in_text: messages().any(|message| message["result"]["agentInfo"]["title"] == "Codex"),
        cli_session: None,
        tools: Arc::new(ToolLists::default()),
        durable: true,
        deferred: None,
        mode: Mode::Act,
    }
}
