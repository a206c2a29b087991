//! The requests of an agent: permission for its calls, and forms; and the answers to them.
//!
//! One question is open at a time; further requests wait for it. A call that was approved while
//! no process ran, or with other arguments, has to be made again: the agent is told, and its new
//! request is allowed once if tool and arguments are, byte for byte, those that were approved.
//! Otherwise the person is asked again.

use agent_client_protocol_schema::v1::{PermissionOptionKind, RequestPermissionRequest, ToolKind};
use parlor_agent::{AgentEvent, Answer, Reply, ToolOutcome};
use parlor_protocol::Mode;
use serde::Deserialize as _;
use serde_json::Value;

use super::calls::State;
use super::dialog::Dialog;
use super::json_rpc::{self, Message};
use super::open_question::{OpenQuestion, Repeat, Request};
use super::outgoing::{self, Told, executes};
use super::question::Question;
use super::tools::only_reads;
use crate::dialect::Output;
use crate::fields::{said, text};
use crate::refusal::why_not;

/// The most requests that wait for the open question.
const MOST_WAITING: usize = 64;

const NOT_ALLOWED_ONCE: &str = "The agent offers no way to allow this only once.";
const NOT_REPEATED: &str = "It was approved, but the agent did not make the call again.";
const CHANGED: &str = "It was approved, but the agent then asked for something else.";

impl Dialog {
    /// Takes a request for permission.
    pub(super) fn permission(&mut self, line: &Value, out: &mut Vec<Output>) {
        let Message::Request { id, params, .. } = json_rpc::message(line) else { return };
        let Ok(request) = RequestPermissionRequest::deserialize(params) else {
            return out.push(Output::Send(outgoing::cancelled(id)));
        };
        if self.refuses(&request.session_id.to_string()) {
            return out.push(Output::Send(outgoing::cancelled(id)));
        }
        if self.open.is_some() {
            return self.wait(line, outgoing::cancelled(id), out);
        }
        let call = request.tool_call.tool_call_id.to_string();
        self.release_held(Some(&call), out);
        self.text.end_block(out);
        let proven = request.tool_call.fields.raw_input.as_ref().is_some_and(|raw| !raw.is_null());
        self.calls.update(request.tool_call.clone(), &params["toolCall"]);
        self.end_unasked(&call, out);
        let question = self.question(&call, proven);
        if self.is_repeat(&question) {
            return self.allow_repeat(&call, id, &request, out);
        }
        let changes = !only_reads(self.calls.get(&call).kind());
        if self.mode == Mode::Plan && changes && matches!(question, Question::Call { .. }) {
            return self.refuse_in_plan_mode(&call, id, &request, out);
        }
        let request = Request::Permission(id.clone(), Box::new(request));
        self.ask(&call, question, request, out);
    }

    /// Takes a form.
    pub(super) fn form(&mut self, line: &Value, out: &mut Vec<Output>) {
        let Message::Request { id, params, .. } = json_rpc::message(line) else { return };
        let schema = params.get("requestedSchema").filter(|schema| schema.is_object());
        let (Some(schema), "form" | "") = (schema, text(params, "mode")) else {
            return out.push(Output::Send(json_rpc::not_served(id)));
        };
        if self.refuses(text(params, "sessionId")) {
            return out.push(Output::Send(outgoing::form(id, &Reply::Answer(Answer::Expired))));
        }
        let message = said(params, "message").unwrap_or("Please fill this in.").to_owned();
        let question = Question::Form { message, schema: schema.clone() };
        if let Some((known, answer)) = self.answered_form.take()
            && known == question
        {
            let reply = Reply::Answer(Answer::Given(answer));
            return out.push(Output::Send(outgoing::form(id, &reply)));
        }
        if self.open.is_some() {
            return self.wait(line, outgoing::form(id, &Reply::Answer(Answer::Expired)), out);
        }
        self.text.end_block(out);
        // Its call is the question, and is not shown beside it.
        let call = text(params, "toolCallId").to_owned();
        if !call.is_empty() {
            self.calls.get(&call).state = State::Settled;
        }
        self.ask(&call, question, Request::Form(id.clone()), out);
    }

    /// Takes the reply to the open question, if it has this id.
    pub(super) fn reply(&mut self, id: &str, reply: Reply, out: &mut Vec<Output>) {
        let Some(open) = self.open.take_if(|open| open.id == id) else { return };
        match &open.request {
            None => self.tell_reply(&open, reply, out),
            Some(Request::Form(request)) => {
                out.push(Output::Send(outgoing::form(request, &reply)));
            }
            Some(Request::Permission(request, options)) => match &open.question {
                Question::Plan { .. } => {
                    self.decide_plan(&open.question, request, options, &reply, out);
                }
                // Its options are no answers: it is told them after the prompt.
                Question::Questions { .. } => {
                    self.follow_ups.push_back(outgoing::answer(&open.question, &reply));
                    let no = PermissionOptionKind::RejectOnce;
                    out.push(Output::Send(outgoing::permission(request, options, no)));
                }
                _ => self.decide_call(&open, request, options, reply, out),
            },
        }
        if let Some(line) = self.waiting.pop_front() {
            self.request(&line, out);
        }
    }

    /// A request of the agent.
    pub(super) fn request(&mut self, line: &Value, out: &mut Vec<Output>) {
        match json_rpc::message(line) {
            Message::Request { method: "session/request_permission", .. } => {
                self.permission(line, out);
            }
            Message::Request { method: "elicitation/create", .. } => self.form(line, out),
            Message::Request { id, .. } => out.push(Output::Send(json_rpc::not_served(id))),
            _ => {}
        }
    }

    /// The question about a call is not asked any longer.
    pub(super) fn withdraw(&mut self, call: &str, out: &mut Vec<Output>) {
        self.calls.get(call).state = State::Settled;
        if let Some(open) = self.open.take_if(|open| open.call == call) {
            out.push(Output::Event(AgentEvent::Withdrawn(open.id)));
        }
    }

    /// Answers everything that is open: nobody will.
    pub(super) fn cancel_questions(&mut self, out: &mut Vec<Output>) {
        let expired = Reply::Answer(Answer::Expired);
        match self.open.take().and_then(|open| open.request) {
            Some(Request::Permission(id, _)) => out.push(Output::Send(outgoing::cancelled(&id))),
            Some(Request::Form(id)) => out.push(Output::Send(outgoing::form(&id, &expired))),
            None => {}
        }
        for line in std::mem::take(&mut self.waiting) {
            if let Message::Request { id, method, .. } = json_rpc::message(&line) {
                out.push(Output::Send(match method {
                    "session/request_permission" => outgoing::cancelled(id),
                    _ => outgoing::form(id, &expired),
                }));
            }
        }
    }

    /// The agent did not make the call that it was told to make.
    pub(super) fn give_up_repeat(&mut self, out: &mut Vec<Output>) {
        self.end_repeat(NOT_REPEATED, out);
    }

    /// A request that comes without a prompt, or after it was interrupted, has no one to ask.
    fn refuses(&self, session: &str) -> bool {
        !self.prompting || self.interrupted || self.session.as_deref() != Some(session)
    }

    fn wait(&mut self, line: &Value, refusal: Value, out: &mut Vec<Output>) {
        match self.waiting.len() < MOST_WAITING {
            true => self.waiting.push_back(line.clone()),
            false => out.push(Output::Send(refusal)),
        }
    }

    /// A call that was shown as one that runs by itself asks after all: it is another one for
    /// people.
    fn end_unasked(&mut self, call: &str, out: &mut Vec<Output>) {
        let known = self.calls.get(call);
        if known.state == State::Running {
            let (call, tool) = (known.id.clone(), known.tool());
            let outcome = ToolOutcome::NotRun("It needs approval first.".to_owned());
            out.push(Output::Event(AgentEvent::CallEnded { call, tool, outcome, read: true }));
        }
    }

    fn question(&mut self, call: &str, proven: bool) -> Question {
        let call = self.calls.get(call);
        if call.kind() == ToolKind::SwitchMode {
            let input = call.raw_input().unwrap_or_default();
            let plan = input.get("plan").and_then(Value::as_str).map(str::to_owned);
            let markdown = plan.unwrap_or_else(|| call.content_text());
            if !markdown.trim().is_empty() {
                return Question::Plan { markdown };
            }
        }
        if let Some(questions) = call.questions() {
            return Question::Questions { questions };
        }
        Question::Call {
            tool: call.tool(),
            input: call.shown_input(),
            proven,
            known: proven || call.has_changes(),
            title: call.title().map(str::to_owned),
            preview: call.preview(),
            kind: call.kind(),
            stays_inside: call.stays_inside(&self.settings.working_dir),
        }
    }

    fn ask(&mut self, call: &str, question: Question, request: Request, out: &mut Vec<Output>) {
        let unnamed = format!("form-{}", self.settings.process.simple());
        let id = self.shown_id(if call.is_empty() { &unnamed } else { call });
        if let Question::Call { .. } = question {
            self.calls.get(call).show(id.clone(), State::Asked);
        } else if !call.is_empty() {
            self.calls.get(call).state = State::Settled;
        }
        if self.outlives_process(call, &question) {
            out.push(Output::Resumable(question.stored(&id)));
        }
        out.push(Output::Event(self.event(&question, &id)));
        self.open =
            Some(OpenQuestion { id, call: call.to_owned(), question, request: Some(request) });
    }

    /// The event that asks a question, under this id.
    pub(super) fn event(&self, question: &Question, id: &str) -> AgentEvent {
        question.event(id, &self.settings.tools, self.settings.working_dir_content)
    }

    /// Whether another process can be told the answer, and nothing else is lost with this one.
    /// A call of which nothing but a description is known could not be recognised.
    fn outlives_process(&self, call: &str, question: &Question) -> bool {
        let known = !matches!(question, Question::Call { known: false, .. });
        let durable = self.settings.durable && self.can_resume;
        durable && known && !self.calls.others_run(call)
    }

    fn is_repeat(&self, question: &Question) -> bool {
        let repeat = self.repeat.as_ref();
        repeat.is_some_and(|repeat| question.repeats(&repeat.tool, &repeat.arguments))
    }

    fn allow_repeat(
        &mut self,
        call: &str,
        id: &Value,
        request: &RequestPermissionRequest,
        out: &mut Vec<Output>,
    ) {
        if !allows_once(request) {
            self.calls.get(call).state = State::Settled;
            self.end_repeat(NOT_ALLOWED_ONCE, out);
        } else if let Some(repeat) = self.repeat.take() {
            self.calls.get(call).show(repeat.call, State::Running);
        }
        let allowed = outgoing::permission(id, request, PermissionOptionKind::AllowOnce);
        out.push(Output::Send(allowed));
    }

    fn end_repeat(&mut self, why: &str, out: &mut Vec<Output>) {
        let Some(Repeat { call, tool, .. }) = self.repeat.take() else { return };
        let outcome = ToolOutcome::NotRun(why.to_owned());
        out.push(Output::Event(AgentEvent::CallEnded { call, tool, outcome, read: true }));
    }

    fn refuse_in_plan_mode(
        &mut self,
        call: &str,
        id: &Value,
        request: &RequestPermissionRequest,
        out: &mut Vec<Output>,
    ) {
        let shown = self.shown_id(call);
        let known = self.calls.get(call);
        known.state = State::Settled;
        let (call, tool) = (shown, known.tool());
        let outcome = ToolOutcome::NotRun(outgoing::PLAN_MODE.to_owned());
        out.push(Output::Event(AgentEvent::CallEnded { call, tool, outcome, read: true }));
        let refused = outgoing::permission(id, request, PermissionOptionKind::RejectOnce);
        out.push(Output::Send(refused));
        self.follow_ups.push_back(outgoing::PLAN_MODE.to_owned());
    }

    fn decide_call(
        &mut self,
        open: &OpenQuestion,
        request: &Value,
        options: &RequestPermissionRequest,
        reply: Reply,
        out: &mut Vec<Output>,
    ) {
        let OpenQuestion { id, call, question, .. } = open;
        let Question::Call { tool, input, .. } = question else { return };
        let refuse = outgoing::permission(request, options, PermissionOptionKind::RejectOnce);
        // Another call was approved than the one that it asks about now.
        self.end_repeat(CHANGED, out);
        let Reply::Run { arguments, .. } = reply else {
            self.calls.get(call).state = State::Settled;
            self.refused(outgoing::answer(question, &reply), &why_not(&reply));
            return out.push(Output::Send(refuse));
        };
        if arguments != *input {
            self.calls.get(call).state = State::Settled;
            self.follow_ups.push_back(outgoing::make_again(tool, &arguments, true));
            self.repeat = Some(Repeat { call: id.clone(), tool: tool.clone(), arguments });
            return out.push(Output::Send(refuse));
        }
        if !allows_once(options) {
            self.calls.get(call).state = State::Settled;
            let (call, tool) = (id.clone(), tool.clone());
            let outcome = ToolOutcome::NotRun(NOT_ALLOWED_ONCE.to_owned());
            out.push(Output::Event(AgentEvent::CallEnded { call, tool, outcome, read: true }));
            return out.push(Output::Send(refuse));
        }
        self.calls.get(call).state = State::Running;
        let allowed = outgoing::permission(request, options, PermissionOptionKind::AllowOnce);
        out.push(Output::Send(allowed));
    }

    /// The protocol has no place for a reason: it is told after the prompt. A refusal without
    /// one is told only to an agent that then says nothing.
    fn refused(&mut self, told: String, why: &str) {
        if outgoing::says_more(why) {
            self.follow_ups.push_back(told);
        } else {
            self.text.forget_said();
            self.refusal = Some(told);
        }
    }

    fn decide_plan(
        &mut self,
        question: &Question,
        request: &Value,
        options: &RequestPermissionRequest,
        reply: &Reply,
        out: &mut Vec<Output>,
    ) {
        let executed = matches!(reply, Reply::Answer(Answer::Given(value)) if executes(value));
        if executed {
            self.mode = Mode::Act;
        }
        let kind = match executed && allows_once(options) {
            true => PermissionOptionKind::AllowOnce,
            false => {
                self.follow_ups.push_back(outgoing::answer(question, reply));
                PermissionOptionKind::RejectOnce
            }
        };
        out.push(Output::Send(outgoing::permission(request, options, kind)));
    }

    /// The process that asked is gone: this one is told the answer.
    fn tell_reply(&mut self, open: &OpenQuestion, reply: Reply, out: &mut Vec<Output>) {
        let OpenQuestion { id, question, .. } = open;
        let words = match (question, reply) {
            (Question::Call { tool, input, .. }, Reply::Run { arguments, .. }) => {
                let words = outgoing::make_again(tool, &arguments, arguments != *input);
                self.repeat = Some(Repeat { call: id.clone(), tool: tool.clone(), arguments });
                words
            }
            (_, reply) => {
                if let Reply::Answer(Answer::Given(value)) = &reply {
                    if matches!(question, Question::Plan { .. }) && executes(value) {
                        self.mode = Mode::Act;
                    }
                    if matches!(question, Question::Form { .. }) {
                        self.answered_form = Some((question.clone(), value.clone()));
                    }
                }
                outgoing::answer(question, &reply)
            }
        };
        self.pending = Some(Told::words(&words));
        self.advance(out);
    }
}

fn allows_once(request: &RequestPermissionRequest) -> bool {
    request.options.iter().any(|option| option.kind == PermissionOptionKind::AllowOnce)
}
