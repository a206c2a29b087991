//! What its model was told by others, as long as a process lives (F-2).
//!
//! Its own rules decide about calls that nobody hears of. So this is known here too: from the
//! moment at which words of others are told, the hook before each call makes a sink ask
//! ([`super::deferral`]), and the approval policy decides about it as about any other call. It only
//! grows; a process that goes on with the same CLI session begins with what was known.
//!
//! What a helper reads is its parent's. Calls of helpers are not shown; those that bring words of
//! others are, in a project that asks, so that the conversation has them. A helper may read between
//! turns: the next turn begins with that.

use std::collections::HashMap;

use parlor_agent::TurnFlow;
use parlor_agent::flow::ToolFlow;
use parlor_protocol::Content;
use serde_json::{Map, Value};

use super::labels;
use crate::dialect::Output;

/// The most calls of helpers that are known, and the most outputs that wait for the next turn.
/// Nothing is known of further calls, so their results are words of others.
const MOST_CALLS: usize = 1_024;
const MOST_UNREPORTED: usize = 64;

/// What one process knows about the words of others.
#[derive(Debug)]
pub(super) struct Flow {
    turn: TurnFlow,
    working_dir: String,
    /// Whose words are in the files of the working directory.
    files: Content,
    /// Whether a helper has read words of others.
    helper_read: bool,
    /// The calls of helpers without a result, by id. They outlive the turn.
    helper_calls: HashMap<String, (String, Map<String, Value>)>,
    /// What helpers have read between turns.
    unreported: Vec<Output>,
}

impl Flow {
    pub(super) fn new(turn: TurnFlow, working_dir: String, files: Content) -> Self {
        let (helper_calls, unreported) = (HashMap::new(), Vec::new());
        Self { turn, working_dir, files, helper_read: false, helper_calls, unreported }
    }

    /// A turn begins.
    pub(super) fn begin(&mut self, turn: TurnFlow) {
        self.turn.asks = turn.asks;
        self.turn.is_tainted |= turn.is_tainted;
    }

    /// Whether words of others were told.
    pub(super) fn is_tainted(&self) -> bool {
        self.turn.is_tainted
    }

    /// Whether the project asks about sinks.
    pub(super) fn asks(&self) -> bool {
        self.turn.asks
    }

    /// Whether a person has to be asked about every sink from now on.
    pub(super) fn asks_about_sinks(&self) -> bool {
        self.turn.asks && self.turn.is_tainted
    }

    /// The labels of a call.
    pub(super) fn of_call(&self, tool: &str, input: &Map<String, Value>) -> ToolFlow {
        labels::of_call(tool, input, &self.working_dir, self.files)
    }

    /// Whose words a result holds.
    pub(super) fn content(&self, tool: &str, input: &Map<String, Value>) -> Content {
        match self.helper_read && labels::starts_helper(tool) {
            true => Content::Others,
            false => self.of_call(tool, input).content.is,
        }
    }

    /// A result is told to the model, or to a helper.
    pub(super) fn told(&mut self, content: Content, to_helper: bool) {
        if content == Content::Others {
            self.turn.is_tainted = true;
            self.helper_read |= to_helper;
        }
    }

    /// A helper wants to make a call.
    pub(super) fn helper_calls(&mut self, id: &str, tool: &str, input: Map<String, Value>) {
        if self.helper_calls.len() < MOST_CALLS {
            self.helper_calls.insert(id.to_owned(), (tool.to_owned(), input));
        }
    }

    /// The call of a helper that has ended, if it is known.
    pub(super) fn take_helper_call(&mut self, id: &str) -> Option<(String, Map<String, Value>)> {
        self.helper_calls.remove(id)
    }

    /// Keeps what a helper has read for the next turn. The first reads are enough.
    pub(super) fn keep(&mut self, outputs: Vec<Output>) {
        if self.unreported.len() < MOST_UNREPORTED {
            self.unreported.extend(outputs);
        }
    }

    /// What helpers have read since the last turn.
    pub(super) fn take_unreported(&mut self, out: &mut Vec<Output>) {
        out.append(&mut self.unreported);
    }
}
