//! Handles the requests of the program: permission for its calls, hooks and forms.

use parlor_agent::tools::ToolOutcome;
use parlor_agent::{AgentEvent, AskedBy, PromptRequest, ProposedCall};
use serde_json::Value;

use super::calls::State;
use super::deferral::{HOOK, Sinks};
use super::dialog::Dialog;
use super::permission_mode::PermissionMode;
use super::questions::{self, Question};
use super::{edited, labels, outgoing, policy, preview};
use crate::dialect::Output;
use crate::fields::{object, said, text};

const NO_TOOL: &str = "The request names no tool, so it was refused.";
const PLAN_MODE: &str = "This conversation is in plan mode: nothing may be changed yet. Present \
                         your plan instead.";
const NO_PLAN: &str = "There is no plan to show. Write it down first, then present it again.";
const LEFT_OVER: &str = "The turn in which this was asked has ended, so it is not made now. It is \
                         not known whether it took effect before: look before you try again.";

impl Dialog {
    pub(super) fn control_request(&mut self, line: &Value, out: &mut Vec<Output>) {
        let (request_id, request) = (text(line, "request_id"), &line["request"]);
        if self.questions.knows(request_id) {
            return;
        }
        match text(request, "subtype") {
            "can_use_tool" => self.permission(request_id, request, out),
            "hook_callback" if text(request, "callback_id") == HOOK => {
                self.hook(request_id, &request["input"], out);
            }
            "hook_callback" if text(request, "callback_id") == edited::HOOK => {
                let input = &request["input"];
                let (event, call) = (text(input, "hook_event_name"), text(input, "tool_use_id"));
                out.push(Output::Send(self.edited.hook(request_id, event, call)));
            }
            "elicitation" => match questions::form(request) {
                Some((server, draft)) => {
                    self.questions.add(request_id, request_id, Question::Form);
                    let (id, from) = (request_id.to_owned(), AskedBy::Server(server));
                    let ask = PromptRequest { id, from, draft, ends_with_agent: false };
                    out.push(Output::Event(AgentEvent::Asks(Box::new(ask))));
                }
                None => out.push(Output::Send(outgoing::cannot_answer(request_id))),
            },
            _ => out.push(Output::Send(outgoing::cannot_answer(request_id))),
        }
    }

    pub(super) fn permission(&mut self, request_id: &str, request: &Value, out: &mut Vec<Output>) {
        self.flow.take_unreported(out);
        let (name, input) = (text(request, "tool_name"), questions::input(request));
        if name.is_empty() {
            // Without a tool there is nothing to decide.
            return out.push(Output::Send(outgoing::deny(request_id, NO_TOOL)));
        }
        let id = said(request, "tool_use_id").unwrap_or(request_id);
        if self.is_left_over(id) {
            self.deferral.leave(request_id);
            return out.push(Output::Send(outgoing::deny_and_stop(request_id, LEFT_OVER)));
        }
        // The call with this id already runs, so this is a different one.
        let id = if self.calls.state(id) == Some(State::Running) { request_id } else { id };
        self.calls.said(id, name, input.clone());
        let question = match self.calls.get(id) {
            Some((_, said)) => questions::question(name, &input, said),
            None => None,
        };
        if let Some((asked, draft)) = question {
            self.calls.set(id, State::Settled);
            self.questions.add(id, request_id, asked);
            out.extend(self.deferral.asked(id, request).map(Output::Durable));
            let (id, from) = (id.to_owned(), AskedBy::Agent);
            let ask = PromptRequest { id, from, draft, ends_with_agent: false };
            return out.push(Output::Event(AgentEvent::Asks(Box::new(ask))));
        }
        let plans = self.mode == PermissionMode::Plan.as_str();
        if questions::is_plan(name) || (plans && !policy::only_reads(name)) {
            let why = if questions::is_plan(name) { NO_PLAN } else { PLAN_MODE };
            self.calls.set(id, State::Settled);
            out.push(Output::Event(AgentEvent::CallEnded {
                call: id.to_owned(),
                tool: name.to_owned(),
                outcome: ToolOutcome::NotRun(why.to_owned()),
                read: true,
            }));
            return out.push(Output::Send(outgoing::deny(request_id, why)));
        }
        self.calls.set(id, State::Asked);
        self.questions.add(id, request_id, Question::Call { input: input.clone() });
        out.extend(self.deferral.asked(id, request).map(Output::Durable));
        let preview = preview::of_input(name, &input);
        let description = said(request, "description").map(str::to_owned);
        let call = ProposedCall { description, preview, ..self.call(id, name, input) };
        out.push(Output::Event(AgentEvent::Proposes(Box::new(call))));
    }

    /// Whether the call is left over from an earlier turn: it comes before this process has begun a
    /// turn.
    fn is_left_over(&self, call: &str) -> bool {
        !self.has_begun && self.settings.cli_session.is_some() && self.calls.get(call).is_none()
    }

    /// Whether a call that the hook is asked about is a sink. The file of a plan is none: only the
    /// person reads it.
    fn is_sink(&self, asked: &Value) -> bool {
        let (tool, input) = (text(asked, "tool_name"), object(asked, "tool_input"));
        let plans = text(asked, "permission_mode") == PermissionMode::Plan.as_str();
        let writes_plan = || labels::writes_plan(tool, &input, text(asked, "transcript_path"));
        self.flow.of_call(tool, &input).sink.is && !(plans && writes_plan())
    }

    /// Answers the hook before a call.
    fn hook(&mut self, request_id: &str, asked: &Value, out: &mut Vec<Output>) {
        let call = text(asked, "tool_use_id");
        let sinks = Sinks { is_sink: self.is_sink(asked), are_asked: self.flow.asks_about_sinks() };
        if self.deferral.is_resumed(call) {
            return out.push(Output::Send(self.deferral.again(request_id, sinks)));
        }
        if self.is_left_over(call) {
            return out.push(Output::Send(self.deferral.leave(request_id)));
        }
        if self.interrupted {
            // Nobody answers any more.
            let decision = (sinks.is_sink && sinks.are_asked).then_some("deny");
            return out.push(Output::Send(outgoing::hook(request_id, decision)));
        }
        let answer = self.deferral.hook(request_id, asked, &self.settings.tools, sinks);
        out.extend(answer.map(Output::Send));
    }
}
