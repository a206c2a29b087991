//! The updates of a session: text, thoughts, tool calls, plans, usage.

use agent_client_protocol_schema::v1::{Plan, PlanEntryStatus, ToolCall, ToolCallUpdate};
use parlor_agent::{AgentEvent, ContentBlock, ToolOutcome};
use parlor_protocol::Content;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use super::calls::State;
use super::dialog::Dialog;
use crate::cli_session::checkpoint;
use crate::dialect::Output;
use crate::fields::{said, text};
use crate::program_call::program_call;
use crate::program_flow::{labelled, reads};

/// The tool that stands for the progress of a plan.
const PLAN_TOOL: &str = "plan";
/// How a piece of text begins that is a warning of the program itself.
const WARNING: &str = "Warning: ";
/// How a piece of text begins that says the new mode of the agent.
const MODE: &str = "[MODE_UPDATE] ";

impl Dialog {
    /// Reads an update.
    pub(super) fn update(&mut self, params: &Value, out: &mut Vec<Output>) {
        let update = &params["update"];
        match text(update, "sessionUpdate") {
            // Nearly every line is one of these: they are read without more ado.
            "agent_message_chunk" => self.chunk(update, false, out),
            "agent_thought_chunk" => self.chunk(update, true, out),
            "tool_call" => {
                if let Ok(call) = ToolCall::deserialize(update) {
                    let id = call.tool_call_id.to_string();
                    self.release_held(Some(&id), out);
                    self.calls.announce(call, update);
                    self.call_changed(&id, out);
                }
            }
            "tool_call_update" => {
                if let Ok(change) = ToolCallUpdate::deserialize(update) {
                    let id = change.tool_call_id.to_string();
                    self.release_held(None, out);
                    self.calls.update(change, update);
                    self.call_changed(&id, out);
                }
            }
            "plan" => {
                if let Ok(plan) = Plan::deserialize(update) {
                    self.plan(&plan, out);
                }
            }
            "current_mode_update" => self.mode_changed(text(update, "currentModeId"), out),
            "config_option_update" => self.options.set_config(&update["configOptions"]),
            "usage_update" => self.spending.cost(&update["cost"]),
            _ => {}
        }
    }

    fn chunk(&mut self, update: &Value, thinking: bool, out: &mut Vec<Output>) {
        self.spending.answer(&update["_meta"]);
        let (message, piece) = (said(update, "messageId"), text(&update["content"], "text"));
        // After the prompt there is no turn that it could belong to.
        if piece.is_empty() || !self.prompting {
            return;
        }
        if let (None, Some(mode)) = (message, piece.strip_prefix(MODE)) {
            return self.mode_changed(mode.trim(), out);
        }
        if self.settings.warns_in_text && message.is_none() && piece.starts_with(WARNING) {
            return tracing::warn!(piece, "the agent warns");
        }
        self.release_held(None, out);
        self.text.piece(thinking, message, piece, out);
    }

    /// Shows the calls that are in progress and were not asked about, except this one.
    pub(super) fn release_held(&mut self, except: Option<&str>, out: &mut Vec<Output>) {
        for id in self.calls.in_state(State::Held) {
            if Some(id.as_str()) != except {
                self.start_call(&id, out);
            }
        }
    }

    fn call_changed(&mut self, id: &str, out: &mut Vec<Output>) {
        if !self.prompting {
            return;
        }
        let call = self.calls.get(id);
        match call.state {
            State::Settled => {}
            _ if call.is_over() => self.end_call(id, out),
            State::Announced => {
                if call.is_in_progress() {
                    call.state = State::Held;
                }
                self.text.end_block(out);
            }
            State::Held | State::Asked | State::Running => {}
        }
    }

    /// The agent makes a call by its own rules.
    fn start_call(&mut self, id: &str, out: &mut Vec<Output>) {
        self.text.end_block(out);
        let shown = self.shown_id(id);
        let call = self.calls.get(id);
        call.show(shown, State::Running);
        let (tool, input) = (call.tool(), call.shown_input());
        let action = self.settings.tools.action(&tool);
        let title = call.title().map(str::to_owned);
        let flow = call.flow(&self.settings.working_dir, self.settings.working_dir_content);
        let mut made = program_call(&call.id, &tool, input, action, flow);
        made.description = title;
        out.push(Output::Event(AgentEvent::Calls(Box::new(made))));
    }

    fn end_call(&mut self, id: &str, out: &mut Vec<Output>) {
        match self.calls.get(id).state {
            // It ended before the person answered.
            State::Asked => return self.withdraw(id, out),
            State::Announced | State::Held => self.start_call(id, out),
            State::Running | State::Settled => {}
        }
        let interrupted = self.interrupted;
        let call = self.calls.get(id);
        call.state = State::Settled;
        let outcome = match call.outcome() {
            ToolOutcome::Answered { is_error: true, .. } if interrupted => {
                ToolOutcome::Unknown("it was stopped while it ran".to_owned())
            }
            // What the agent says of the call at the end.
            outcome => {
                let flow = call.flow(&self.settings.working_dir, self.settings.working_dir_content);
                labelled(outcome, flow.content.is)
            }
        };
        let (shown, tool) = (call.id.clone(), call.tool());
        let (made, result) = (call.use_block(), call.result_block());
        self.text.add(made);
        self.flush_message(out);
        out.push(Output::Event(AgentEvent::CallEnded { call: shown, tool, outcome, read: true }));
        out.push(Output::Event(AgentEvent::ToolMessage(results(result))));
    }

    /// Adds the message to the history.
    pub(super) fn flush_message(&mut self, out: &mut Vec<Output>) {
        if self.text.finish(out) {
            let checkpoint = checkpoint(self.session.as_deref(), None);
            out.push(Output::Event(AgentEvent::Checkpoint(checkpoint)));
        }
    }

    /// A plan is shown when its entries are new. Later only its progress is, like that of a
    /// tool.
    fn plan(&mut self, plan: &Plan, out: &mut Vec<Output>) {
        if !self.prompting || plan.entries.is_empty() {
            return;
        }
        let entries: Vec<String> = plan.entries.iter().map(|entry| entry.content.clone()).collect();
        let list = checklist(plan);
        self.text.end_block(out);
        if entries != self.plan {
            self.plan = entries;
            self.text.piece(false, None, &list, out);
            return self.text.end_block(out);
        }
        self.plans += 1;
        let id = self.shown_id(&format!("plan-{}-{}", self.settings.process.simple(), self.plans));
        let mut input = Map::new();
        input.insert("entries".to_owned(), json!(self.plan.len()));
        let call = program_call(&id, PLAN_TOOL, input, None, reads(Content::Own));
        out.push(Output::Event(AgentEvent::Calls(Box::new(call))));
        let content = vec![ContentBlock::text(list)];
        let outcome = ToolOutcome::answered(content, false);
        let (call, tool) = (id, PLAN_TOOL.to_owned());
        out.push(Output::Event(AgentEvent::CallEnded { call, tool, outcome, read: true }));
    }
}

fn results(result: ContentBlock) -> parlor_agent::HistoryMessage {
    parlor_agent::HistoryMessage { role: parlor_protocol::Role::Tool, blocks: vec![result] }
}

fn checklist(plan: &Plan) -> String {
    let entry = |entry: &agent_client_protocol_schema::v1::PlanEntry| {
        let mark = match entry.status {
            PlanEntryStatus::Completed => "x",
            _ => " ",
        };
        let now = match entry.status {
            PlanEntryStatus::InProgress => " …",
            _ => "",
        };
        format!("- [{mark}] {}{now}\n", entry.content.trim())
    };
    plan.entries.iter().map(entry).collect()
}
