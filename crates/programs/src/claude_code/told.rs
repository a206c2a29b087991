//! Results that are told to its model or to a helper (F-1): whose words they hold, and what is shown
//! of those that a helper read.

use parlor_agent::AgentEvent;
use parlor_protocol::Content;
use serde_json::{Map, Value};

use super::calls::{self, State};
use super::dialog::Dialog;
use crate::dialect::Output;
use crate::program_flow::labelled;

/// What a call of a helper of which nothing is known is shown as.
const UNKNOWN_TOOL: &str = "Agent";

/// A result that was told to the model or to a helper.
#[derive(Debug)]
pub(super) struct Told {
    /// Whose words it holds.
    pub(super) content: Content,
    /// The call of the helper that made it.
    helper_call: Option<(String, Map<String, Value>)>,
}

impl Dialog {
    /// A result is told, to the model or to a helper.
    pub(super) fn told(&mut self, id: &str, own: bool) -> Told {
        let helper_call = self.flow.take_helper_call(id);
        let by_helper = helper_call.as_ref().map(|(tool, input)| (tool.as_str(), input));
        let content = match self.calls.get(id).or(by_helper) {
            // Refused, or a question: the words are ours, or the person's.
            Some(_) if self.calls.state(id) == Some(State::Settled) => Content::Own,
            Some((tool, input)) => self.flow.content(tool, input),
            None => Content::Others,
        };
        self.flow.told(content, !own);
        Told { content, helper_call }
    }

    /// A call of a helper has ended that is not shown. If the project asks, words of others are
    /// shown: in the turn, or in the next one.
    pub(super) fn helper_read(
        &mut self,
        id: &str,
        line: &Value,
        result: &Value,
        told: Told,
        out: &mut Vec<Output>,
    ) {
        if told.content == Content::Own || !self.flow.asks() {
            return;
        }
        let call = told.helper_call.unwrap_or_else(|| (UNKNOWN_TOOL.to_owned(), Map::new()));
        let (tool, input) = call;
        let outcome = labelled(calls::outcome(line, result, self.interrupted), told.content);
        let call = self.call(id, &tool, input);
        self.calls.set(id, State::Settled);
        let ended = AgentEvent::CallEnded { call: id.to_owned(), tool, outcome, read: true };
        let shown = [AgentEvent::Calls(Box::new(call)), ended].map(Output::Event);
        match self.busy {
            true => out.extend(shown),
            false => self.flow.keep(shown.into()),
        }
    }
}
