//! Dispatches the lines of the program, by their type.

use parlor_agent::{Reply, TurnContext};
use parlor_protocol::Mode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::calls::State;
use super::dialog::{Dialog, is_own};
use super::permission_mode::PermissionMode;
use super::{edited, outgoing};
use crate::dialect::{Dialect, Output};
use crate::fields::text;

impl Dialect for Dialog {
    fn opening(&mut self) -> Vec<Value> {
        let mut hooks = Map::new();
        // An earlier turn may have left a call behind in the CLI session.
        let is_needed = self.cli_session.is_some() || self.flow.asks();
        self.deferral.register(is_needed, &mut hooks);
        edited::register(&mut hooks);
        vec![self.request(json!({"subtype": "initialize", "hooks": hooks}))]
    }

    fn begin(&mut self, context: &TurnContext, id: Uuid, out: &mut Vec<Output>) {
        self.flow.begin(context.flow);
        self.flow.take_unreported(out);
        let mode = match context.mode {
            Mode::Plan => PermissionMode::Plan,
            Mode::Act => self.settings.act,
        };
        if self.mode != mode.as_str() {
            self.mode = mode.as_str().to_owned();
            out.push(Output::Send(self.request(outgoing::set_mode(mode))));
        }
        let is_new = self.cli_session.is_none();
        out.extend(outgoing::user_message(context, is_new, id).map(Output::Send));
        self.message = Some(id);
        self.busy = true;
    }

    fn read(&mut self, line: &Value, out: &mut Vec<Output>) {
        match text(line, "type") {
            "system" => self.system(line, out),
            "stream_event" if is_own(line) => {
                self.busy = true;
                let sinks_ask = self.flow.asks_about_sinks();
                out.extend(self.deferral.piece(&line["event"], sinks_ask).map(Output::Send));
                self.flush_results(out);
                let abandoned = line.get("abandoned_blocks").is_some_and(|it| !it.is_null());
                self.streamed.piece(&line["event"], abandoned, out);
            }
            "assistant" => self.assistant(line, out),
            "user" => self.user(line, out),
            "tool_progress" => self.runs(text(line, "tool_use_id"), out),
            "result" => self.result(line, out),
            "control_request" => self.control_request(line, out),
            "control_cancel_request" => {
                self.deferral.cancelled(text(line, "request_id"));
                if let Some(id) = self.questions.id_of(text(line, "request_id")) {
                    self.withdraw(&id, out);
                }
            }
            _ => {}
        }
    }

    fn answer(&mut self, id: &str, reply: Reply, out: &mut Vec<Output>) {
        if let Some(mut answered) = self.questions.answer(id, reply) {
            if let Some((proposed, ran)) = answered.edited.take() {
                self.edited.add(id, &proposed, &ran);
                self.calls.edit(id, ran);
            }
            if let (true, Some((tool, _))) = (answered.runs, self.calls.get(id)) {
                self.deferral.runs(id, tool);
            }
            self.calls.set(id, if answered.runs { State::Running } else { State::Settled });
            out.push(Output::Send(answered.line));
        }
    }

    fn person_asked(&mut self, id: &str) {
        if let Some((tool, _)) = self.calls.get(id) {
            self.deferral.waits(id, tool);
        }
    }

    fn reached_deferred_call(&self) -> bool {
        self.deferral.reached_resumed_call()
    }

    fn ask_again(&mut self, out: &mut Vec<Output>) {
        if let Some(request) = self.deferral.resumed().and_then(|call| call.request.clone()) {
            self.permission("", &request, out);
        }
    }

    fn interrupt(&mut self, out: &mut Vec<Output>) {
        self.interrupted = true;
        out.push(Output::Send(self.request(json!({"subtype": "interrupt"}))));
    }

    fn give_up(&mut self, out: &mut Vec<Output>) {
        self.flush(out);
        self.clear();
    }

    fn begins_turn(&self, line: &Value) -> bool {
        match text(line, "type") {
            "system" => text(line, "subtype") == "init",
            "stream_event" | "assistant" => is_own(line),
            // A background subagent may ask a person; other requests do not begin a turn.
            "control_request" => {
                matches!(text(&line["request"], "subtype"), "can_use_tool" | "elicitation")
            }
            _ => false,
        }
    }

    fn is_busy(&self) -> bool {
        self.busy || self.calls.are_open() || self.waits_for_person()
    }

    fn works_in_background(&self) -> bool {
        self.deferral.works_in_background()
    }

    fn waits_for_person(&self) -> bool {
        !self.questions.is_empty()
    }
}
