//! An agent of the Agent Client Protocol that is played by hand, where no recording has the case.

use std::sync::Arc;

use parlor_agent::{
    AgentEvent, HistoryMessage, ProposedCall, Reply, ToolOutcome, TurnContext, TurnOutcome,
};
use parlor_programs::acp::{Dialog, DialogSettings, ToolLists, Wanted};
use parlor_programs::{Dialect, Output};
use parlor_protocol::Mode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

pub(super) const COMPLETE: TurnOutcome = TurnOutcome::Complete { cut_off: false };

/// An agent that was prompted.
pub(super) struct Agent {
    pub(super) dialog: Dialog,
    pub(super) out: Vec<Output>,
}

pub(super) fn settings() -> DialogSettings {
    DialogSettings {
        process: Uuid::nil(),
        working_dir: "/work".to_owned(),
        working_dir_content: parlor_protocol::Content::Own,
        wanted: Wanted::default(),
        session_meta: Map::new(),
        instructions: Some("Be brief.".to_owned()),
        auth_method: None,
        warns_in_text: false,
        cli_session: None,
        tools: Arc::new(ToolLists::new(&["look".to_owned()], &[])),
        durable: true,
        deferred: None,
        mode: Mode::Act,
    }
}

pub(super) fn context(words: &str, mode: Mode) -> TurnContext {
    let history = vec![
        HistoryMessage::user("Hello"),
        HistoryMessage::assistant("Hi"),
        HistoryMessage::user(words),
    ];
    TurnContext { history, mode, ..TurnContext::default() }
}

impl Agent {
    /// Initialized, with a session; it can resume it.
    pub(super) fn opened(settings: DialogSettings) -> Self {
        let mut dialog = Dialog::new(settings);
        dialog.opening();
        let mut agent = Self { dialog, out: Vec::new() };
        agent.answers(
            "initialize",
            json!({"protocolVersion": 1, "agentCapabilities":
            {"loadSession": true, "sessionCapabilities": {"resume": {}}}}),
        );
        let opening = agent.sent().last().unwrap()["method"].as_str().unwrap().to_owned();
        let modes = json!({"currentModeId": "default", "availableModes":
            [{"id": "default", "name": "d"}, {"id": "plan", "name": "p"}, {"id": "yolo", "name": "y"}]});
        agent.answers(&opening, json!({"sessionId": "s", "modes": modes}));
        agent
    }

    pub(super) fn prompted() -> Self {
        let mut agent = Self::opened(settings());
        agent.dialog.begin(&context("Go", Mode::Act), Uuid::nil(), &mut agent.out);
        agent.out.clear();
        agent
    }

    pub(super) fn read(&mut self, line: Value) {
        self.dialog.read(&line, &mut self.out);
    }

    /// Answers the last request of this method. Requests are numbered from 0.
    pub(super) fn answers(&mut self, method: &str, result: Value) {
        let id = self.request_id(method);
        self.out.clear();
        self.read(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    pub(super) fn request_id(&self, method: &str) -> Value {
        let sent = self.sent();
        let last = sent.iter().rev().find(|line| line["method"] == method);
        last.map_or(json!(0), |line| line["id"].clone())
    }

    pub(super) fn update(&mut self, update: Value) {
        self.read(json!({"jsonrpc": "2.0", "method": "session/update",
            "params": {"sessionId": "s", "update": update}}));
    }

    pub(super) fn asks(&mut self, id: u64, call: &str, input: Value) {
        let mut tool = json!({"toolCallId": call, "name": "Bash", "kind": "execute",
            "title": "a command", "rawInput": input});
        if tool["rawInput"].is_null() {
            tool.as_object_mut().unwrap().remove("rawInput");
        }
        self.read(json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission",
            "params": {"sessionId": "s", "toolCall": tool, "options": [
                {"optionId": "always", "name": "Always", "kind": "allow_always"},
                {"optionId": "once", "name": "Yes", "kind": "allow_once"},
                {"optionId": "no", "name": "No", "kind": "reject_once"}]}}));
    }

    pub(super) fn replies(&mut self, id: &str, reply: Reply) {
        self.out.clear();
        self.dialog.answer(id, reply, &mut self.out);
    }

    /// Ends the prompt.
    pub(super) fn ends(&mut self, prompt: u64, reason: &str) {
        self.out.clear();
        self.read(json!({"jsonrpc": "2.0", "id": prompt, "result": {"stopReason": reason}}));
    }

    pub(super) fn sent(&self) -> Vec<Value> {
        let sent = |output: &Output| match output {
            Output::Send(line) => Some(line.clone()),
            _ => None,
        };
        self.out.iter().filter_map(sent).collect()
    }

    pub(super) fn proposed(&self) -> Vec<ProposedCall> {
        let proposed = |output: &Output| match output {
            Output::Event(AgentEvent::Proposes(call)) => Some((**call).clone()),
            _ => None,
        };
        self.out.iter().filter_map(proposed).collect()
    }

    pub(super) fn ended_calls(&self) -> Vec<(String, ToolOutcome)> {
        let ended = |output: &Output| match output {
            Output::Event(AgentEvent::CallEnded { call, outcome, .. }) => {
                Some((call.clone(), outcome.clone()))
            }
            _ => None,
        };
        self.out.iter().filter_map(ended).collect()
    }

    pub(super) fn over(&self) -> Option<TurnOutcome> {
        match self.out.last() {
            Some(Output::Over(outcome)) => Some(outcome.clone()),
            _ => None,
        }
    }
}

/// The texts of the last prompt.
pub(super) fn prompt_texts(agent: &Agent) -> Vec<String> {
    let sent = agent.sent();
    let prompt = sent.iter().rev().find(|line| line["method"] == "session/prompt").unwrap();
    let blocks = prompt["params"]["prompt"].as_array().unwrap();
    blocks.iter().map(|block| block["text"].as_str().unwrap_or_default().to_owned()).collect()
}

pub(super) fn run(arguments: Value) -> Reply {
    Reply::Run { arguments: arguments.as_object().cloned().unwrap(), run: Uuid::nil() }
}
