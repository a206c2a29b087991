//! Gets the agent ready for a prompt.
//!
//! 1. `initialize`: what the agent can do.
//! 2. A new session, or the one that is continued: resumed, or loaded, of which the replay is
//!    ignored. One that is gone is replaced by a new one, which is told what was said.
//! 3. The mode, and the model if one is configured ([`super::modes`]).
//! 4. The prompt; or, if the process was started for an answer, that answer.

use parlor_agent::AgentError;
use serde_json::{Value, json};

use super::dialog::{Dialog, Sent, Stage};
use super::modes::{Change, Options, is_plan};
use super::open_question::OpenQuestion;
use super::outgoing::PromptContent;
use super::question::Question;
use super::{failure, json_rpc};
use crate::dialect::{DeferredCall, Output};
use crate::fields::said;

/// The version of the protocol.
const VERSION: u64 = 1;

impl Dialog {
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
        self.prompt_content = PromptContent::of(capabilities);
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
        let content = told.content(is_new, instructions, self.prompt_content);
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
        let event = self.event(&question, &deferred.call);
        self.open = Some(OpenQuestion::without_process(&deferred.call, question));
        out.push(Output::Event(event));
    }

    /// Something before the prompt failed: the next turn tries again.
    fn fail_to(&mut self, what: &str, error: &Value, out: &mut Vec<Output>) {
        self.fail(failure::of_start(what, error), out);
    }
}
