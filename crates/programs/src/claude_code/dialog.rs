//! The state of one process, and what each kind of its lines means. Without IO: recordings
//! are replayed through it ([`super::dialect`]).

use std::sync::Arc;

use parlor_agent::{
    AgentError, AgentEvent, ContentBlock, HistoryMessage, ProposedCall, ToolOutcome, TurnFlow,
    TurnOutcome,
};
use parlor_protocol::{Content, Role};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::calls::{self, Calls, State};
use super::deferral::{Deferral, Deferred};
use super::edited::EditedCalls;
use super::flow::Flow;
use super::message::StreamedMessage;
use super::permission_mode::PermissionMode;
use super::policy::ToolPolicy;
use super::questions::OpenQuestions;
use super::spending::Spending;
use super::{failure, outgoing};
use crate::cli_session::checkpoint;
use crate::dialect::{DeferredCall, Output};
use crate::fields::{blocks, flag, number, object, said, text};
use crate::program_flow::labelled;

/// The settings that a process was started with.
#[derive(Debug, Clone)]
pub struct DialogSettings {
    /// Its permission mode in conversations that may change things.
    pub act: PermissionMode,
    /// Its permission mode at the start.
    pub started_in: PermissionMode,
    /// The CLI session that it continues.
    pub cli_session: Option<String>,
    /// The configured policy for its tools.
    pub tools: Arc<ToolPolicy>,
    /// Its working directory.
    pub working_dir: String,
    /// Whose words are in the files of its working directory.
    pub working_dir_content: Content,
    /// Whether its questions are to outlive it.
    pub durable: bool,
    /// What was told before.
    pub flow: TurnFlow,
    /// The deferred call that it continues with.
    pub deferred: Option<DeferredCall>,
}

/// The state of one process.
#[derive(Debug)]
pub struct Dialog {
    pub(super) settings: DialogSettings,
    pub(super) cli_session: Option<String>,
    /// Its current permission mode, by its name on the command line.
    pub(super) mode: String,
    /// Whether it has begun a turn: before that, an error means that it failed to start.
    pub(super) has_begun: bool,
    pub(super) busy: bool,
    pub(super) interrupted: bool,
    /// The id of the person's message that it works on.
    pub(super) message: Option<Uuid>,
    /// Whether its turns name the message that they are about.
    names_messages: bool,
    requests: u64,
    spending: Spending,
    pub(super) streamed: StreamedMessage,
    pub(super) calls: Calls,
    results: Vec<ContentBlock>,
    pub(super) questions: OpenQuestions,
    pub(super) deferral: Deferral,
    pub(super) edited: EditedCalls,
    pub(super) flow: Flow,
}

impl Dialog {
    /// A process that was just started.
    pub fn new(settings: DialogSettings) -> Self {
        let deferred = settings.deferred.as_ref().map(Deferred::read);
        // The message was sent to an earlier process.
        let message = deferred.as_ref().map(|_| Uuid::nil());
        let spending =
            Spending::so_far(deferred.as_ref().map_or(0, |deferred| deferred.cost_micros));
        let mut calls = Calls::default();
        if let Some(Deferred { call, tool, input, .. }) = &deferred {
            calls.said(call, tool, input.clone());
        }
        let mut flow = settings.flow;
        flow.is_tainted |= deferred.as_ref().is_some_and(|deferred| deferred.is_tainted);
        let working_dir = settings.working_dir.clone();
        let durable_in = settings.durable.then(|| working_dir.clone());
        Self {
            cli_session: settings.cli_session.clone(),
            mode: settings.started_in.as_str().to_owned(),
            deferral: Deferral::new(durable_in, deferred),
            flow: Flow::new(flow, working_dir, settings.working_dir_content),
            settings,
            has_begun: false,
            busy: message.is_some(),
            interrupted: false,
            message,
            names_messages: false,
            requests: 0,
            spending,
            streamed: StreamedMessage::default(),
            calls,
            results: Vec::new(),
            questions: OpenQuestions::default(),
            edited: EditedCalls::default(),
        }
    }

    pub(super) fn request(&mut self, request: Value) -> Value {
        self.requests += 1;
        outgoing::request(self.requests, request)
    }

    pub(super) fn system(&mut self, line: &Value, out: &mut Vec<Output>) {
        if let Some(mode) = said(line, "permissionMode") {
            self.mode = mode.to_owned();
        }
        match text(line, "subtype") {
            // Sent at the start of every turn.
            "init" => {
                self.has_begun = true;
                self.busy = true;
                self.flow.take_unreported(out);
                self.deferral.is_of(text(line, "claude_code_version"));
                self.names_messages |= named_messages(line).next().is_some();
                // It has begun a turn by itself, and the message comes after it.
                let is_queued = self.names_messages && !self.names_message(line);
                self.deferral.message_queued(self.was_told() && is_queued);
                if let Some(id) = said(line, "session_id")
                    && self.cli_session.as_deref() != Some(id)
                {
                    self.cli_session = Some(id.to_owned());
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

    /// The program makes a call without asking.
    pub(super) fn runs(&mut self, id: &str, out: &mut Vec<Output>) {
        if self.calls.state(id) != Some(State::Said) {
            return;
        }
        if let Some((name, input)) = self.calls.get(id) {
            let call = self.call(id, name, input.clone());
            out.push(Output::Event(AgentEvent::Calls(Box::new(call))));
        }
        self.calls.set(id, State::Running);
    }

    /// A call, in the form of the approval policy.
    pub(super) fn call(&self, id: &str, name: &str, input: Map<String, Value>) -> ProposedCall {
        let flow = self.flow.of_call(name, &input);
        self.settings.tools.call(id, name, input, flow)
    }

    pub(super) fn assistant(&mut self, line: &Value, out: &mut Vec<Output>) {
        // The program's own text about an error: the end of the turn has the error itself.
        let message = &line["message"];
        let failed = flag(line, "is_api_error_message") || said(line, "error").is_some();
        if failed || text(message, "model") == "<synthetic>" {
            return;
        }
        let own = is_own(line);
        for block in blocks(message) {
            if text(&block, "type") == "tool_use" {
                let (id, name) = (text(&block, "id"), text(&block, "name"));
                let input = object(&block, "input");
                if !own {
                    self.flow.helper_calls(id, name, input.clone());
                }
                self.calls.said(id, name, input);
            }
            if own {
                self.flush_results(out);
                self.streamed.whole(text(message, "id"), &block, out);
            }
        }
    }

    pub(super) fn user(&mut self, line: &Value, out: &mut Vec<Output>) {
        let own = is_own(line);
        let results = blocks(&line["message"]);
        for result in results.iter().filter(|block| text(block, "type") == "tool_result") {
            let id = text(result, "tool_use_id");
            let told = self.told(id, own);
            // The call ended before the person answered.
            if self.calls.state(id) == Some(State::Asked) {
                self.withdraw(id, out);
            }
            // Calls of subagents are not shown, unless a person was asked about them.
            if !own && self.calls.state(id) != Some(State::Running) {
                self.helper_read(id, line, result, told, out);
                continue;
            }
            if own {
                self.flush_message(out);
                self.results.push(calls::result_block(id, result));
            }
            self.runs(id, out);
            let outcome = labelled(calls::outcome(line, result, self.interrupted), told.content);
            self.ended(id, outcome, out);
        }
    }

    /// A call that runs has ended.
    fn ended(&mut self, id: &str, outcome: ToolOutcome, out: &mut Vec<Output>) {
        let (Some(State::Running), Some((name, _))) = (self.calls.state(id), self.calls.get(id))
        else {
            return;
        };
        let (call, tool) = (id.to_owned(), name.to_owned());
        out.push(Output::Event(AgentEvent::CallEnded { call, tool, outcome, read: true }));
        self.calls.set(id, State::Settled);
    }

    pub(super) fn result(&mut self, line: &Value, out: &mut Vec<Output>) {
        // The turn has ended already.
        if self.has_begun && !self.busy {
            return;
        }
        if self.deferral.left_over_ends() && !self.names_message(line) {
            return;
        }
        let never_began = !self.has_begun && number(line, "num_turns") == 0;
        if never_began && flag(line, "is_error") && self.settings.cli_session.is_some() {
            return out.push(Output::NoSuchCliSession);
        }
        if let Some(call) = self.stopped_before_call(line, out) {
            return out.push(Output::Deferred(call));
        }
        let end = failure::end(line, self.interrupted);
        if end == TurnOutcome::Failed(AgentError::Declined) {
            self.streamed.withhold(out);
        }
        if let Some(words) = said(line, "result").filter(|_| !flag(line, "is_error")) {
            self.flush_results(out);
            self.streamed.final_text(words, out);
        }
        self.flush(out);
        out.extend(self.spending.of_turn(line).map(Output::Event));
        if self.is_of_another_turn(line) {
            return;
        }
        self.clear();
        out.push(Output::Over(end));
    }

    /// The deferred call, once the process has stopped before it. The message and the usage
    /// so far are output.
    fn stopped_before_call(&mut self, line: &Value, out: &mut Vec<Output>) -> Option<DeferredCall> {
        if text(line, "terminal_reason") != failure::DEFERRED || self.interrupted {
            return None;
        }
        let used = self.spending.of_turn(line);
        let (cost, is_tainted) = (self.spending.micros(), self.flow.is_tainted());
        let call = self.deferral.take_deferred(cost, is_tainted, &self.calls)?;
        self.flush(out);
        out.extend(used.map(Output::Event));
        Some(call)
    }

    /// Background work that ends begins an agent-initiated turn. If the person's message arrived at
    /// the same time, the turn of that message is still to come.
    fn is_of_another_turn(&self, line: &Value) -> bool {
        let kind = text(&line["origin"], "kind");
        let by_itself = !kind.is_empty() && kind != "human" && kind != "user";
        self.was_told() && by_itself && !self.names_message(line)
    }

    /// Whether the process was told the person's message. One that continues with a deferred
    /// call was not: no turn of it names a message.
    fn was_told(&self) -> bool {
        self.message.is_some_and(|id| !id.is_nil())
    }

    /// Whether the beginning or the end of a turn names the person's message.
    fn names_message(&self, line: &Value) -> bool {
        let message = self.message.map(|id| id.to_string());
        message.is_some_and(|message| named_messages(line).any(|id| *id == *message))
    }

    /// Withdraws a question.
    pub(super) fn withdraw(&mut self, id: &str, out: &mut Vec<Output>) {
        self.questions.remove(id);
        self.calls.set(id, State::Settled);
        out.push(Output::Event(AgentEvent::Withdrawn(id.to_owned())));
    }

    /// Adds the message to the history, before the results of its calls.
    fn flush_message(&mut self, out: &mut Vec<Output>) {
        if self.streamed.finish(out) {
            let checkpoint = checkpoint(self.cli_session.as_deref(), None);
            out.push(Output::Event(AgentEvent::Checkpoint(checkpoint)));
        }
    }

    /// Adds the results of one message to the history, together.
    pub(super) fn flush_results(&mut self, out: &mut Vec<Output>) {
        let blocks = std::mem::take(&mut self.results);
        if !blocks.is_empty() {
            let message = HistoryMessage { role: Role::Tool, blocks };
            out.push(Output::Event(AgentEvent::ToolMessage(message)));
        }
    }

    pub(super) fn flush(&mut self, out: &mut Vec<Output>) {
        self.flush_results(out);
        self.streamed.finish(out);
    }

    pub(super) fn clear(&mut self) {
        self.busy = false;
        self.interrupted = false;
        self.message = None;
        self.streamed.clear();
        self.calls.clear();
        self.questions.clear();
        self.deferral.clear();
        self.edited.clear();
    }
}

/// The messages that the beginning or the end of a turn names.
fn named_messages(line: &Value) -> impl Iterator<Item = &Value> {
    line.get("user_message_uuids").and_then(Value::as_array).into_iter().flatten()
}

/// Whether a line comes from the agent itself and not from a subagent.
pub(super) fn is_own(line: &Value) -> bool {
    said(line, "parent_tool_use_id").is_none()
}
