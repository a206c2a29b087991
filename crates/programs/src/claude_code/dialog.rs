//! What is known of one process, and what each kind of its lines means. No IO:
//! recordings are replayed through it ([`super::dialect`]).

use std::sync::Arc;

use parlor_agent::{AgentError, AgentEvent, Block, Checkpoint, HistoryMessage, TurnEnd};
use parlor_protocol::Role;
use serde_json::{Value, json};
use uuid::Uuid;

use super::asks::Asks;
use super::calls::{self, Calls, State};
use super::deferral::{Deferral, Deferred};
use super::fields::{blocks, flag, number, object, said, text};
use super::permission_mode::PermissionMode;
use super::policy::ToolPolicy;
use super::speech::Speech;
use super::spending::Spending;
use super::{failure, words};
use crate::dialect::{DeferredCall, Output};

/// What a process was started with.
#[derive(Debug, Clone)]
pub struct DialogSettings {
    /// Its mode where things may be changed.
    pub act: PermissionMode,
    /// Its mode at the start.
    pub started_in: PermissionMode,
    /// The session that it goes on with.
    pub session: Option<String>,
    /// What the configuration says about its tools.
    pub tools: Arc<ToolPolicy>,
    /// Where it works, if what it asks is to outlive it.
    pub durable_in: Option<String>,
    /// The call that it was left with, and goes on with.
    pub paused: Option<DeferredCall>,
}

/// What is known of one process.
#[derive(Debug)]
pub struct Dialog {
    pub(super) settings: DialogSettings,
    pub(super) session: Option<String>,
    /// Its mode, in its own words.
    pub(super) mode: String,
    /// Whether it has begun any turn: before that, it can only fail to start.
    pub(super) has_begun: bool,
    pub(super) busy: bool,
    pub(super) interrupted: bool,
    /// The person's message that it works on.
    pub(super) message: Option<Uuid>,
    requests: u64,
    spending: Spending,
    pub(super) speech: Speech,
    pub(super) calls: Calls,
    results: Vec<Block>,
    pub(super) asks: Asks,
    pub(super) deferral: Deferral,
}

impl Dialog {
    /// A process that was just started.
    pub fn new(settings: DialogSettings) -> Self {
        let paused = settings.paused.as_ref().map(Deferred::read);
        // The message that it goes on with was said to another process.
        let message = paused.as_ref().map(|_| Uuid::nil());
        let spending = Spending::so_far(paused.as_ref().map_or(0, |paused| paused.cost_micros));
        let mut calls = Calls::default();
        if let Some(Deferred { call, tool, input, .. }) = &paused {
            calls.said(call, tool, input.clone());
        }
        Self {
            session: settings.session.clone(),
            mode: settings.started_in.as_str().to_owned(),
            deferral: Deferral::new(settings.durable_in.clone(), paused),
            settings,
            has_begun: false,
            busy: message.is_some(),
            interrupted: false,
            message,
            requests: 0,
            spending,
            speech: Speech::default(),
            calls,
            results: Vec::new(),
            asks: Asks::default(),
        }
    }

    pub(super) fn request(&mut self, request: Value) -> Value {
        self.requests += 1;
        words::request(self.requests, request)
    }

    pub(super) fn system(&mut self, line: &Value, out: &mut Vec<Output>) {
        if let Some(mode) = said(line, "permissionMode") {
            self.mode = mode.to_owned();
        }
        match text(line, "subtype") {
            // It comes with every turn.
            "init" => {
                self.has_begun = true;
                self.busy = true;
                self.deferral.is_of(text(line, "claude_code_version"));
                if let Some(id) = said(line, "session_id")
                    && self.session.as_deref() != Some(id)
                {
                    self.session = Some(id.to_owned());
                    out.push(Output::CliSession(id.to_owned()));
                }
            }
            "api_retry" => out.push(Output::Event(failure::retrying(line))),
            "task_started" => {
                if flag(line, "is_backgrounded") {
                    self.deferral.background(true);
                }
                self.runs(text(line, "tool_use_id"), out);
            }
            "background_tasks_changed" => {
                let tasks = line.get("tasks").and_then(Value::as_array);
                self.deferral.background(tasks.is_some_and(|tasks| !tasks.is_empty()));
            }
            _ => {}
        }
    }

    /// A call that nobody was asked about is being made.
    pub(super) fn runs(&mut self, id: &str, out: &mut Vec<Output>) {
        if self.calls.state(id) != Some(State::Said) {
            return;
        }
        if let Some((name, input)) = self.calls.get(id) {
            let call = self.settings.tools.call(id, name, input.clone(), None, None);
            out.push(Output::Event(AgentEvent::Calls(Box::new(call))));
        }
        self.calls.set(id, State::Running);
    }

    pub(super) fn assistant(&mut self, line: &Value, out: &mut Vec<Output>) {
        // Its own words about a failure: the end of the turn tells it in ours.
        let message = &line["message"];
        let failed = flag(line, "is_api_error_message") || said(line, "error").is_some();
        if failed || text(message, "model") == "<synthetic>" {
            return;
        }
        let own = is_own(line);
        for block in blocks(message) {
            if text(&block, "type") == "tool_use" {
                let input = object(&block, "input");
                self.calls.said(text(&block, "id"), text(&block, "name"), input);
            }
            if own {
                self.flush_results(out);
                self.speech.whole(text(message, "id"), &block, out);
            }
        }
    }

    pub(super) fn user(&mut self, line: &Value, out: &mut Vec<Output>) {
        let own = is_own(line);
        let results = blocks(&line["message"]);
        for result in results.iter().filter(|block| text(block, "type") == "tool_result") {
            let id = text(result, "tool_use_id");
            // It ended without the answer that it asked for.
            if self.calls.state(id) == Some(State::Asked) {
                self.withdraw(id, out);
            }
            // What its own helpers do is theirs, unless a person was asked about it.
            if !own && self.calls.state(id) != Some(State::Running) {
                continue;
            }
            if own {
                self.flush_message(out);
                self.results.push(calls::remembered(id, result));
            }
            self.runs(id, out);
            if let (Some(State::Running), Some((name, _))) =
                (self.calls.state(id), self.calls.get(id))
            {
                out.push(Output::Event(AgentEvent::CallEnded {
                    call: id.to_owned(),
                    tool: name.to_owned(),
                    outcome: calls::outcome(line, result, self.interrupted),
                    read: true,
                }));
                self.calls.set(id, State::Settled);
            }
        }
    }

    pub(super) fn result(&mut self, line: &Value, out: &mut Vec<Output>) {
        // The end of what has ended already.
        if self.has_begun && !self.busy {
            return;
        }
        if self.deferral.left_over_ends() && !self.names_message(line) {
            return;
        }
        let never_began = !self.has_begun && number(line, "num_turns") == 0;
        if never_began && flag(line, "is_error") && self.settings.session.is_some() {
            return out.push(Output::NoSuchCliSession);
        }
        if let Some(paused) = self.stopped_before_call(line, out) {
            return out.push(Output::Deferred(paused));
        }
        let end = failure::end(line, self.interrupted);
        if end == TurnEnd::Failed(AgentError::Declined) {
            self.speech.withhold(out);
        }
        if let Some(words) = said(line, "result").filter(|_| !flag(line, "is_error")) {
            self.flush_results(out);
            self.speech.last_words(words, out);
        }
        self.flush(out);
        out.extend(self.spending.of_turn(line).map(Output::Event));
        if self.is_of_another_turn(line) {
            return;
        }
        self.clear();
        out.push(Output::Over(end));
    }

    /// The call that it was told to put off, once it has stopped before it. What was
    /// said and used so far is told.
    fn stopped_before_call(&mut self, line: &Value, out: &mut Vec<Output>) -> Option<DeferredCall> {
        if text(line, "terminal_reason") != failure::PUT_OFF || self.interrupted {
            return None;
        }
        let used = self.spending.of_turn(line);
        let paused = self.deferral.put_off(self.spending.micros(), &self.calls)?;
        self.flush(out);
        out.extend(used.map(Output::Event));
        Some(paused)
    }

    /// Background work that ends begins a turn that nobody asked for. If the
    /// person's message came in that moment, its own turn is still to come.
    fn is_of_another_turn(&self, line: &Value) -> bool {
        let kind = text(&line["origin"], "kind");
        let by_itself = !kind.is_empty() && kind != "human" && kind != "user";
        // A process that goes on with a call was given no message to name.
        let was_given = self.message.is_some_and(|id| !id.is_nil());
        was_given && by_itself && !self.names_message(line)
    }

    /// Whether the end of a turn names the person's message.
    fn names_message(&self, line: &Value) -> bool {
        let message = self.message.map(|id| id.to_string());
        let named = line.get("user_message_uuids").and_then(Value::as_array);
        named.is_some_and(|ids| ids.iter().any(|id| id.as_str() == message.as_deref()))
    }

    /// It no longer asks.
    pub(super) fn withdraw(&mut self, id: &str, out: &mut Vec<Output>) {
        self.asks.remove(id);
        self.calls.set(id, State::Settled);
        out.push(Output::Event(AgentEvent::Withdrawn(id.to_owned())));
    }

    /// What was said goes into the history before what came of it.
    fn flush_message(&mut self, out: &mut Vec<Output>) {
        if self.speech.finish(out) {
            let state = json!({ "session": self.session });
            out.push(Output::Event(AgentEvent::Checkpoint(Checkpoint(state))));
        }
    }

    /// The results of one message go into the history together.
    pub(super) fn flush_results(&mut self, out: &mut Vec<Output>) {
        let blocks = std::mem::take(&mut self.results);
        if !blocks.is_empty() {
            let message = HistoryMessage { role: Role::Tool, blocks };
            out.push(Output::Event(AgentEvent::ToolMessage(message)));
        }
    }

    pub(super) fn flush(&mut self, out: &mut Vec<Output>) {
        self.flush_results(out);
        self.speech.finish(out);
    }

    pub(super) fn clear(&mut self) {
        self.busy = false;
        self.interrupted = false;
        self.message = None;
        self.speech.clear();
        self.calls.clear();
        self.asks.clear();
        self.deferral.clear();
    }
}

/// Whether a line is of the agent itself and not of a helper that it started.
pub(super) fn is_own(line: &Value) -> bool {
    said(line, "parent_tool_use_id").is_none()
}
