//! The state of one process, and how it gets ready for a prompt. Without IO: recordings are
//! replayed through it ([`super::dialect`]).
//!
//! 1. `initialize`: what the agent can do.
//! 2. A new session, or the one that is continued: resumed, or loaded, of which the replay is
//!    ignored. One that is gone is replaced by a new one, which is told what was said.
//! 3. The mode, and the model if one is configured ([`super::modes`]).
//! 4. The prompt; or, if the process was started for an answer, that answer.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use parlor_agent::{AgentError, TurnOutcome};
use parlor_protocol::Mode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::calls::Calls;
use super::modes::{Change, Options, Wanted, is_plan};
use super::outgoing::Told;
use super::permission::{OpenQuestion, Repeat};
use super::question::Question;
use super::text::Text;
use super::tools::ToolLists;
use super::usage::Spending;
use super::{failure, json_rpc};
use crate::dialect::{DeferredCall, Output};
use crate::fields::{said, text};

/// The version of the protocol.
const VERSION: u64 = 1;

/// The settings that a process was started with.
#[derive(Debug, Clone)]
pub struct DialogSettings {
    /// The process: ids that it makes are unique by it.
    pub process: Uuid,
    /// Its working directory.
    pub working_dir: String,
    /// What is set in each session.
    pub wanted: Wanted,
    /// What goes with a new, loaded or resumed session, beside the protocol.
    pub session_meta: Map<String, Value>,
    /// The instructions of the project, for the first prompt of a session.
    pub instructions: Option<String>,
    /// How it logs in, if it wants that.
    pub auth_method: Option<String>,
    /// Whether text without a message id that begins like a warning is not the model's.
    pub warns_in_text: bool,
    /// The session that it continues.
    pub cli_session: Option<String>,
    /// The configured lists of its tools.
    pub tools: Arc<ToolLists>,
    /// Whether its questions are to outlive it, if it can resume its session.
    pub durable: bool,
    /// The question that it was started to answer.
    pub deferred: Option<DeferredCall>,
    /// The mode of the conversation.
    pub mode: Mode,
}

/// The state of one process.
#[derive(Debug)]
pub struct Dialog {
    pub(super) settings: DialogSettings,
    pub(super) stage: Stage,
    sent: HashMap<u64, Sent>,
    next_request: u64,
    pub(super) can_resume: bool,
    can_load: bool,
    /// Whether a session takes instructions; else they go with its first prompt.
    takes_instructions: bool,
    has_logged_in: bool,
    pub(super) session: Option<String>,
    /// Whether the session knows nothing of the conversation yet.
    is_new: bool,
    pub(super) options: Options,
    pub(super) mode: Mode,
    /// What is told once the agent is ready.
    pub(super) pending: Option<Told>,
    /// Whether a prompt runs.
    pub(super) prompting: bool,
    pub(super) interrupted: bool,
    pub(super) text: Text,
    pub(super) calls: Calls,
    pub(super) spending: Spending,
    pub(super) open: Option<OpenQuestion>,
    /// Requests that came while a question was open.
    pub(super) waiting: VecDeque<Value>,
    /// The ids that were asked about in this turn.
    pub(super) asked: HashSet<String>,
    /// The call that the agent was told to make.
    pub(super) repeat: Option<Repeat>,
    /// The form that a person has answered already, and the answer.
    pub(super) answered_form: Option<(Question, Value)>,
    /// What is told when the prompt is over.
    pub(super) follow_ups: VecDeque<String>,
    pub(super) followed_up: usize,
    /// What the agent is told of a refusal, if it has not said anything about it.
    pub(super) refusal: Option<String>,
    /// The entries of the plan that was shown.
    pub(super) plan: Vec<String>,
    pub(super) plans: usize,
    /// Whether the question that the process was started for was asked.
    pub(super) reached_deferred: bool,
}

/// How far the process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing was sent, or it failed.
    New,
    /// It says what it can do.
    Initializing,
    /// It opens its session.
    Opening,
    /// It changes an option.
    Configuring,
    /// It can be prompted.
    Ready,
}

/// What a request was for.
#[derive(Debug)]
enum Sent {
    Initialize,
    LogIn,
    NewSession,
    OldSession,
    Configure(Change),
    Prompt,
}

impl Dialog {
    /// A process that was just started.
    pub fn new(settings: DialogSettings) -> Self {
        Self {
            mode: settings.mode,
            settings,
            stage: Stage::New,
            sent: HashMap::new(),
            next_request: 0,
            can_resume: false,
            can_load: false,
            takes_instructions: false,
            has_logged_in: false,
            session: None,
            is_new: false,
            options: Options::default(),
            pending: None,
            prompting: false,
            interrupted: false,
            text: Text::default(),
            calls: Calls::default(),
            spending: Spending::default(),
            open: None,
            waiting: VecDeque::new(),
            asked: HashSet::new(),
            repeat: None,
            answered_form: None,
            follow_ups: VecDeque::new(),
            followed_up: 0,
            refusal: None,
            plan: Vec::new(),
            plans: 0,
            reached_deferred: false,
        }
    }

    fn send(&mut self, method: &str, params: Value, what: Sent) -> Value {
        let id = self.next_request;
        self.next_request += 1;
        self.sent.insert(id, what);
        json_rpc::request(id, method, params)
    }

    /// The first request.
    pub(super) fn initialize(&mut self) -> Value {
        self.stage = Stage::Initializing;
        let capabilities = json!({
            // It works with its own files and its own terminals, where it is contained.
            "fs": {"readTextFile": false, "writeTextFile": false},
            "terminal": false,
            "elicitation": {"form": {}},
        });
        let info =
            json!({"name": "parlor", "title": "Parlor", "version": env!("CARGO_PKG_VERSION")});
        let params = json!({"protocolVersion": VERSION, "clientCapabilities": capabilities,
            "clientInfo": info});
        self.send("initialize", params, Sent::Initialize)
    }

    /// Takes the next step towards the prompt, if one is due.
    pub(super) fn advance(&mut self, out: &mut Vec<Output>) {
        match self.stage {
            Stage::New if self.pending.is_some() => out.push(Output::Send(self.initialize())),
            Stage::New | Stage::Initializing | Stage::Opening | Stage::Configuring => {}
            Stage::Ready => match self.options.next_change(&self.settings.wanted, self.mode) {
                Ok(Some(change)) => self.configure(change, out),
                Ok(None) => self.prompt(out),
                Err(why) => self.fail(AgentError::NotStarted(why), out),
            },
        }
    }

    /// Takes the answer to a request.
    pub(super) fn response(
        &mut self,
        id: u64,
        result: Result<&Value, &Value>,
        out: &mut Vec<Output>,
    ) {
        let Some(sent) = self.sent.remove(&id) else { return };
        match (sent, result) {
            (Sent::Initialize, Ok(response)) => self.initialized(response, out),
            (Sent::LogIn, Ok(_)) => self.open_session(out),
            (Sent::NewSession, Ok(response)) => self.opened(response, true, out),
            (Sent::OldSession, Ok(response)) => self.opened(response, false, out),
            (Sent::Configure(change), Ok(response)) => self.configured(&change, response, out),
            (Sent::Prompt, result) => self.prompt_ended(result, out),
            (Sent::NewSession | Sent::OldSession, Err(error))
                if failure::wants_login(error) && self.may_log_in() =>
            {
                self.log_in(out);
            }
            (Sent::OldSession, Err(error)) => self.session_is_gone(error, out),
            (Sent::Initialize, Err(error)) => self.fail_to("initialize", error, out),
            (Sent::LogIn, Err(error)) => self.fail_to("authenticate", error, out),
            (Sent::NewSession, Err(error)) => self.fail_to("session/new", error, out),
            (Sent::Configure(change), Err(error)) => self.fail_to(change.method, error, out),
        }
    }

    fn initialized(&mut self, response: &Value, out: &mut Vec<Output>) {
        let version = response.get("protocolVersion").and_then(Value::as_u64);
        if version.is_some_and(|version| version != VERSION) {
            let why = "it does not speak version 1 of the Agent Client Protocol".to_owned();
            return self.fail(AgentError::NotStarted(why), out);
        }
        let capabilities = &response["agentCapabilities"];
        self.can_load = capabilities["loadSession"] == true;
        let of_session = &capabilities["sessionCapabilities"];
        self.can_resume = of_session["resume"].is_object();
        self.takes_instructions = of_session["systemPrompt"].is_object();
        self.open_session(out);
    }

    fn open_session(&mut self, out: &mut Vec<Output>) {
        self.stage = Stage::Opening;
        let mut params = json!({"cwd": self.settings.working_dir, "mcpServers": []});
        if !self.settings.session_meta.is_empty() {
            params["_meta"] = Value::Object(self.settings.session_meta.clone());
        }
        if let (true, Some(words)) = (self.takes_instructions, &self.settings.instructions) {
            let content = [json!({"type": "text", "text": words})];
            params["systemPrompt"] = json!({"mode": "append", "content": content});
        }
        let known = self.session.clone().or_else(|| self.settings.cli_session.clone());
        let (method, sent) = match known {
            Some(id) if self.can_resume || self.can_load => {
                params["sessionId"] = Value::String(id);
                let method = if self.can_resume { "session/resume" } else { "session/load" };
                (method, Sent::OldSession)
            }
            _ if self.settings.deferred.is_some() => {
                return out.push(Output::NoSuchCliSession);
            }
            _ => ("session/new", Sent::NewSession),
        };
        let line = self.send(method, params, sent);
        out.push(Output::Send(line));
    }

    /// The agent does not know its session any more.
    fn session_is_gone(&mut self, error: &Value, out: &mut Vec<Output>) {
        tracing::warn!(why = failure::words(error), "the session of the agent is gone");
        if self.settings.deferred.is_some() {
            self.stage = Stage::New;
            return out.push(Output::NoSuchCliSession);
        }
        self.session = None;
        self.settings.cli_session = None;
        self.open_session(out);
    }

    fn may_log_in(&self) -> bool {
        self.settings.auth_method.is_some() && !self.has_logged_in
    }

    fn log_in(&mut self, out: &mut Vec<Output>) {
        self.has_logged_in = true;
        let params = json!({"methodId": self.settings.auth_method});
        let line = self.send("authenticate", params, Sent::LogIn);
        out.push(Output::Send(line));
    }

    fn opened(&mut self, response: &Value, is_new: bool, out: &mut Vec<Output>) {
        self.options = Options::of_session(response);
        self.is_new = is_new;
        if let Some(id) = said(response, "sessionId")
            && self.settings.cli_session.as_deref() != Some(id)
        {
            self.session = Some(id.to_owned());
            out.push(Output::CliSession(id.to_owned()));
        }
        // The answer to a resumed session need not repeat its id.
        self.session = self.session.take().or_else(|| self.settings.cli_session.clone());
        if self.session.is_none() {
            let why = "it opened a session without an id".to_owned();
            return self.fail(AgentError::NotStarted(why), out);
        }
        self.settings.cli_session.clone_from(&self.session);
        self.stage = Stage::Ready;
        self.advance(out);
    }

    fn configure(&mut self, change: Change, out: &mut Vec<Output>) {
        self.stage = Stage::Configuring;
        let mut params = change.params.clone();
        params["sessionId"] = json!(self.session);
        let line = self.send(change.method, params, Sent::Configure(change));
        out.push(Output::Send(line));
    }

    fn configured(&mut self, change: &Change, response: &Value, out: &mut Vec<Output>) {
        self.options.made(change);
        self.options.set_config(&response["configOptions"]);
        self.stage = Stage::Ready;
        self.advance(out);
    }

    /// The agent changed its mode by itself: it may only do so to plan.
    pub(super) fn mode_changed(&mut self, mode: &str, out: &mut Vec<Output>) {
        self.options.set_mode(mode);
        if is_plan(mode) || self.stage != Stage::Ready {
            return;
        }
        if let Ok(Some(change)) = self.options.next_change(&self.settings.wanted, self.mode) {
            tracing::info!(mode, "the agent changed its mode; it is changed back");
            self.configure(change, out);
        }
    }

    /// Sends what is pending; or asks what the process was started to answer.
    fn prompt(&mut self, out: &mut Vec<Output>) {
        if let (Some(deferred), false) = (&self.settings.deferred, self.reached_deferred) {
            let deferred = deferred.clone();
            return self.reach_deferred(&deferred, out);
        }
        let Some(told) = self.pending.take_if(|_| !self.prompting) else { return };
        let is_new = std::mem::take(&mut self.is_new);
        let instructions = self.settings.instructions.as_deref();
        let instructions = instructions.filter(|_| !self.takes_instructions);
        let content = told.content(is_new, instructions);
        self.prompting = true;
        let params = json!({"sessionId": self.session, "prompt": content});
        let line = self.send("session/prompt", params, Sent::Prompt);
        out.push(Output::Send(line));
    }

    fn reach_deferred(&mut self, deferred: &DeferredCall, out: &mut Vec<Output>) {
        self.reached_deferred = true;
        let Some(question) = Question::read(deferred) else {
            let why = "its question is not known".to_owned();
            return self.fail(AgentError::Lost(why), out);
        };
        let event = question.event(&deferred.call, &self.settings.tools);
        self.open = Some(OpenQuestion::without_process(&deferred.call, question));
        out.push(Output::Event(event));
    }

    /// Something before the prompt failed: the next turn tries again.
    fn fail_to(&mut self, what: &str, error: &Value, out: &mut Vec<Output>) {
        self.fail(failure::of_start(what, error), out);
    }

    pub(super) fn fail(&mut self, error: AgentError, out: &mut Vec<Output>) {
        if self.stage != Stage::Ready {
            self.stage = Stage::New;
        }
        self.clear();
        out.push(Output::Over(TurnOutcome::Failed(error)));
    }

    /// Called when the turn is over.
    pub(super) fn clear(&mut self) {
        self.pending = None;
        self.prompting = false;
        self.interrupted = false;
        self.settings.deferred = None;
        self.open = None;
        self.waiting.clear();
        self.asked.clear();
        self.calls.clear();
        self.repeat = None;
        self.answered_form = None;
        self.follow_ups.clear();
        self.followed_up = 0;
        self.refusal = None;
        self.plan.clear();
        self.text = Text::default();
    }

    /// Tells the agent which session it is about to cancel.
    pub(super) fn cancel(&self) -> Value {
        json_rpc::notification("session/cancel", json!({"sessionId": self.session}))
    }

    /// Whether an update is of this session, and not of the replay of one that is loaded.
    pub(super) fn is_current(&self, params: &Value) -> bool {
        let is_ours = self.session.as_deref() == Some(text(params, "sessionId"));
        is_ours && self.stage != Stage::Opening
    }

    /// An id for people that no other process of the turn has used: an agent may count its calls
    /// from one in each process.
    pub(super) fn shown_id(&mut self, id: &str) -> String {
        let mut shown = match self.settings.deferred {
            None => id.to_owned(),
            Some(_) => format!("{id}~{}", self.settings.process.simple()),
        };
        while !self.asked.insert(shown.clone()) {
            shown.push('+');
        }
        shown
    }
}
