//! Dispatches the lines of an agent, and ends its prompts.

use parlor_agent::{AgentError, AgentEvent, Reply, ToolOutcome, TurnContext, TurnOutcome};
use serde_json::Value;
use uuid::Uuid;

use super::calls::State;
use super::dialog::Dialog;
use super::failure;
use super::json_rpc::{self, Message};
use super::outgoing::Told;
use super::question::Question;
use crate::dialect::{Dialect, Output};

/// How often an agent is told something more in one turn.
const MOST_FOLLOW_UPS: usize = 8;

impl Dialect for Dialog {
    fn opening(&mut self) -> Vec<Value> {
        vec![self.initialize()]
    }

    fn begin(&mut self, context: &TurnContext, _id: Uuid, out: &mut Vec<Output>) {
        self.mode = context.mode;
        self.pending = Told::message(context);
        self.advance(out);
    }

    fn read(&mut self, line: &Value, out: &mut Vec<Output>) {
        match json_rpc::message(line) {
            Message::Response { id, result } => self.response(id, result, out),
            Message::Notification { method: "session/update", params } => {
                if self.is_current(params) {
                    self.update(params, out);
                }
            }
            Message::Request { .. } => self.request(line, out),
            Message::Notification { .. } | Message::Other => {}
        }
    }

    fn answer(&mut self, id: &str, reply: Reply, out: &mut Vec<Output>) {
        self.reply(id, reply, out);
    }

    fn person_asked(&mut self, _id: &str) {}

    fn ask_again(&mut self, out: &mut Vec<Output>) {
        let Some(deferred) = self.settings.deferred.clone() else { return };
        if let Some(question) = Question::read(&deferred) {
            let event = self.event(&question, &deferred.call);
            out.push(Output::Durable(deferred));
            out.push(Output::Event(event));
        }
    }

    fn reached_deferred_call(&self) -> bool {
        self.reached_deferred || self.settings.deferred.is_none()
    }

    fn interrupt(&mut self, out: &mut Vec<Output>) {
        self.interrupted = true;
        self.cancel_questions(out);
        if self.prompting {
            return out.push(Output::Send(self.cancel()));
        }
        self.text.finish(out);
        self.clear();
        out.push(Output::Over(TurnOutcome::Stopped));
    }

    fn holds_back(&self) -> bool {
        !self.calls.in_state(State::Held).is_empty()
    }

    fn release(&mut self, out: &mut Vec<Output>) {
        self.release_held(None, out);
    }

    fn give_up(&mut self, out: &mut Vec<Output>) {
        self.text.finish(out);
        self.clear();
    }

    /// It begins no turns: what it asks without a prompt is refused.
    fn begins_turn(&self, _line: &Value) -> bool {
        false
    }

    fn is_busy(&self) -> bool {
        self.prompting
            || self.pending.is_some()
            || self.settings.deferred.is_some()
            || self.calls.are_open()
            || self.waits_for_person()
    }

    fn works_in_background(&self) -> bool {
        false
    }

    fn waits_for_person(&self) -> bool {
        self.open.is_some()
    }
}

impl Dialog {
    /// The prompt is over: the agent is told what is still to be said, or the turn ends.
    pub(super) fn prompt_ended(&mut self, result: Result<&Value, &Value>, out: &mut Vec<Output>) {
        self.prompting = false;
        let error = result.err().map(failure::of_prompt);
        if error.is_some() {
            self.text.drop_held();
        }
        self.end_calls(out);
        let end = match (error, result) {
            (Some(error), _) if !self.interrupted => TurnOutcome::Failed(error),
            (None, Ok(response)) => failure::end(response, self.interrupted),
            _ => TurnOutcome::Stopped,
        };
        if end == TurnOutcome::Failed(AgentError::Declined) {
            self.text.withhold(out);
        }
        self.text.finish(out);
        if let Ok(response) = result {
            out.extend(self.spending.of_prompt(response).map(Output::Event));
        }
        if let Some(words) = self.refusal.take()
            && !self.text.has_said()
        {
            self.follow_ups.push_back(words);
        }
        let is_complete = matches!(end, TurnOutcome::Complete { .. });
        if is_complete && self.follow_up(out) {
            return;
        }
        self.give_up_repeat(out);
        self.clear();
        out.push(Output::Over(end));
    }

    fn follow_up(&mut self, out: &mut Vec<Output>) -> bool {
        if self.followed_up >= MOST_FOLLOW_UPS {
            return false;
        }
        let Some(words) = self.follow_ups.pop_front() else { return false };
        self.followed_up += 1;
        self.pending = Some(Told::words(&words));
        self.advance(out);
        true
    }

    /// Ends the calls that the agent left open.
    fn end_calls(&mut self, out: &mut Vec<Output>) {
        self.release_held(None, out);
        for id in self.calls.in_state(State::Asked) {
            self.withdraw(&id, out);
        }
        if let Some(open) = self.open.take() {
            out.push(Output::Event(AgentEvent::Withdrawn(open.id)));
        }
        for id in self.calls.in_state(State::Running) {
            let call = self.calls.get(&id);
            call.state = State::Settled;
            let (call, tool) = (call.id.clone(), call.tool());
            let why = "the agent did not say how it ended".to_owned();
            let outcome = ToolOutcome::Unknown(why);
            out.push(Output::Event(AgentEvent::CallEnded { call, tool, outcome, read: true }));
        }
    }
}
