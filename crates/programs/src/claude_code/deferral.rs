//! Questions that outlive the process (P-9): which calls are deferred, and until when.
//!
//! Before each call the program asks a `PreToolUse` hook of Parlor. A call that the hook defers
//! ends the process's part of the turn, and stays in the CLI session: the next process asks about
//! it again under the same id, however often it is killed, until an answer was carried out.
//!
//! 1. A call is deferred if a person may be asked about it, if it is the only call of its message
//!    (of several, only the last one would survive), and if nothing else would be lost with the
//!    process: background work, another working directory, a person's message in the program's
//!    queue. The hook is asked before the message is complete, so it has to wait for the end of the
//!    message.
//! 2. The hook leaves the decision about that call to the rules of the next process: it makes the
//!    call, or asks. Once it has asked, every further process may only ask: it must not make a call
//!    by itself that a person was asked about.
//! 3. A call that an earlier turn left behind, because that turn ended first, is refused before
//!    anything else happens in the next turn.
//!
//! A call that is not deferred is asked about in the normal way, and is lost with its process.
//!
//! Once words of others were told, and the project asks, the hook leaves no sink to the program's
//! own rules (F-2): such a call is deferred if it can be, and the next process has to ask about it;
//! otherwise the program has to ask at once.

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::calls::Calls;
use super::outgoing;
use super::permission_mode::PermissionMode;
use super::policy::{ToolPolicy, can_be_continued, may_be_asked};
use super::questions;
use crate::dialect::DeferredCall;
use crate::fields::{object, said, text};

/// The hook's id in the protocol of the program.
pub(super) const HOOK: &str = "parlor";
/// How long the hook may wait for the end of a message, in seconds. After that the program would
/// continue as if there were no hook, which must not happen: a day is longer than any turn.
const LONGEST_WAIT: u64 = 86_400;

/// The first version with which calls are deferred: 2.1.197 cannot be told to wait for the hook,
/// and lost its CLI session when it was killed right after it had deferred a call.
const CAN_DEFER: &[u32] = &[2, 1, 325];

/// Whether this version can defer calls.
pub fn can_defer(version: &str) -> bool {
    let parts: Vec<u32> = version.split('.').filter_map(|part| part.parse().ok()).collect();
    parts.as_slice() >= CAN_DEFER
}

/// What one process knows about deferred calls.
#[derive(Debug, Default)]
pub(super) struct Deferral {
    /// Its working directory; `None` if its questions need not outlive it.
    durable_in: Option<String>,
    /// The deferred call that the process was started for.
    resumed: Option<Deferred>,
    /// Whether the hook was asked about that call.
    hook_was_asked: bool,
    /// The calls of the agent's last message, without those of subagents.
    calls: Vec<String>,
    /// Whether more of that message may come.
    is_open: bool,
    /// The hook request that waits for the end of that message.
    held: Option<Held>,
    /// The hook request that was answered with `defer`.
    deferred: Option<Held>,
    /// Whether background work runs, which would end with the process.
    in_background: bool,
    /// Whether the person's message is in the program's queue, behind a turn that it began by
    /// itself. After a deferred call it would take the message, unseen, and forget the call.
    message_queued: bool,
    /// Whether its version can defer calls.
    can_defer: bool,
    /// Whether the process handles a call that an earlier turn left behind.
    left_over: bool,
    /// The calls that a person was asked about.
    waited: HashSet<String>,
    /// Tools that probably run without approval: deferring their calls would only cost a new
    /// process.
    approval_free: BTreeSet<String>,
}

/// A hook request about a call.
#[derive(Debug)]
struct Held {
    request: String,
    call: String,
    mode: String,
    tool: String,
    input: Map<String, Value>,
    is_sink: bool,
}

/// A deferred call, as it is stored for the next process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Deferred {
    #[serde(skip)]
    pub(super) call: String,
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    /// The permission mode of the process, by its name on the command line.
    mode: String,
    /// What the CLI session had cost.
    pub(super) cost_micros: u64,
    // Checkpoints are stored: the key does not change.
    #[serde(rename = "unasked")]
    approval_free: BTreeSet<String>,
    /// Whether words of others were told before it.
    pub(super) is_tainted: bool,
    /// The permission request about the call, once there was one.
    pub(super) request: Option<Value>,
}

/// What the dialog knows about a call that the hook is asked about, or about the moment at which
/// the hook is answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sinks {
    /// Whether the call is a sink.
    pub(super) is_sink: bool,
    /// Whether a person has to be asked about every sink.
    pub(super) are_asked: bool,
}

impl Sinks {
    fn must_ask(self) -> bool {
        self.is_sink && self.are_asked
    }
}

impl Deferred {
    pub(super) fn read(paused: &DeferredCall) -> Self {
        let read: Self = serde_json::from_value(paused.state.clone()).unwrap_or_default();
        Self { call: paused.call.clone(), ..read }
    }

    /// The permission mode in which the call was deferred, if it is a known one.
    pub(super) fn mode(&self) -> Option<PermissionMode> {
        PermissionMode::from_name(&self.mode)
    }

    fn paused(&self) -> DeferredCall {
        let state = serde_json::to_value(self).unwrap_or_default();
        DeferredCall { call: self.call.clone(), state }
    }
}

impl Deferral {
    pub(super) fn new(durable_in: Option<String>, resumed: Option<Deferred>) -> Self {
        let approval_free =
            resumed.as_ref().map(|call| call.approval_free.clone()).unwrap_or_default();
        let can_defer = resumed.is_some();
        Self { durable_in, resumed, approval_free, can_defer, ..Self::default() }
    }

    /// Adds the hook to those of a new process. A process that is `needed` for more than durable
    /// questions has it in any case.
    pub(super) fn register(&self, is_needed: bool, hooks: &mut Map<String, Value>) {
        if is_needed || self.durable_in.is_some() {
            let hook = json!({"matcher": null, "hookCallbackIds": [HOOK], "timeout": LONGEST_WAIT});
            hooks.insert("PreToolUse".to_owned(), json!([hook]));
        }
    }

    /// The deferred call that the process was started for.
    pub(super) fn resumed(&self) -> Option<&Deferred> {
        self.resumed.as_ref()
    }

    /// Whether the hook was asked about that call.
    pub(super) fn reached_resumed_call(&self) -> bool {
        self.hook_was_asked || self.resumed.is_none()
    }

    pub(super) fn is_resumed(&self, call: &str) -> bool {
        self.resumed.as_ref().is_some_and(|resumed| resumed.call == call)
    }

    /// The program asks about the call that it was started for: from now on every process may only
    /// ask.
    pub(super) fn asked(&mut self, call: &str, request: &Value) -> Option<DeferredCall> {
        let resumed = self.resumed.as_mut().filter(|resumed| resumed.call == call)?;
        resumed.request = Some(request.clone());
        // The input may be long: it is not stored twice.
        if questions::input(request) == resumed.input {
            resumed.input.clear();
        }
        Some(resumed.paused())
    }

    /// Answers the hook about the call that the process was started for.
    pub(super) fn again(&mut self, request: &str, sinks: Sinks) -> Value {
        self.hook_was_asked = true;
        let was_asked = self.resumed.as_ref().is_some_and(|call| call.request.is_some());
        outgoing::hook(request, (was_asked || sinks.must_ask()).then_some("ask"))
    }

    /// Answers the hook about a call that an earlier turn left behind.
    pub(super) fn leave(&mut self, request: &str) -> Value {
        self.left_over = true;
        outgoing::hook(request, Some("ask"))
    }

    /// Whether the turn that ended was about a call that was left behind; resets it.
    pub(super) fn left_over_ends(&mut self) -> bool {
        std::mem::take(&mut self.left_over)
    }

    /// Answers the hook about a call of the current turn; `None` if the answer comes later.
    pub(super) fn hook(
        &mut self,
        id: &str,
        asked: &Value,
        tools: &ToolPolicy,
        sinks: Sinks,
    ) -> Option<Value> {
        let is_deferred =
            self.can_outlive(asked) && (sinks.must_ask() || self.is_worth_deferring(asked, tools));
        if !is_deferred {
            return Some(not_deferred(id, sinks.must_ask()));
        }
        let field = |name: &str| text(asked, name).to_owned();
        self.held = Some(Held {
            request: id.to_owned(),
            call: field("tool_use_id"),
            mode: field("permission_mode"),
            tool: field("tool_name"),
            input: object(asked, "tool_input"),
            is_sink: sinks.is_sink,
        });
        self.settle(sinks.are_asked)
    }

    /// Follows the agent's message as it streams; may answer the hook. `sinks_ask`: a person has to
    /// be asked about every sink.
    pub(super) fn piece(&mut self, event: &Value, sinks_ask: bool) -> Option<Value> {
        match text(event, "type") {
            "message_start" => {
                self.is_open = true;
                self.calls.clear();
                let held = self.held.take()?;
                return Some(not_deferred(&held.request, held.is_sink && sinks_ask));
            }
            "content_block_start" if text(&event["content_block"], "type") == "tool_use" => {
                self.calls.push(text(&event["content_block"], "id").to_owned());
            }
            "message_stop" => self.is_open = false,
            _ => return None,
        }
        self.settle(sinks_ask)
    }

    /// The program cancelled the hook request.
    pub(super) fn cancelled(&mut self, request: &str) {
        self.held.take_if(|held| held.request == request);
    }

    /// Background work began or ended.
    pub(super) fn background(&mut self, runs: bool) {
        self.in_background = runs;
    }

    /// Whether background work runs, which would end with the process.
    pub(super) fn works_in_background(&self) -> bool {
        self.in_background
    }

    /// A turn begins; `queued`: the person's message comes after it.
    pub(super) fn message_queued(&mut self, queued: bool) {
        self.message_queued = queued;
    }

    /// Records the version of the program.
    pub(super) fn is_of(&mut self, version: &str) {
        self.can_defer = can_defer(version);
    }

    /// A person is asked about a call of this tool.
    pub(super) fn waits(&mut self, call: &str, tool: &str) {
        self.waited.insert(call.to_owned());
        self.approval_free.remove(tool);
    }

    /// A call of this tool runs.
    pub(super) fn runs(&mut self, call: &str, tool: &str) {
        if !self.waited.contains(call) {
            self.approval_free.insert(tool.to_owned());
        }
    }

    /// The deferred call, once the process has stopped before it, with the arguments that the model
    /// gave it. The hook does not get all of them: a plan that the model presents without a file is
    /// missing there.
    pub(super) fn take_deferred(
        &mut self,
        cost_micros: u64,
        is_tainted: bool,
        calls: &Calls,
    ) -> Option<DeferredCall> {
        let Held { call, mode, tool, input, .. } = self.deferred.take()?;
        let input = calls.get(&call).map_or(input, |(_, said)| said.clone());
        let approval_free = self.approval_free.clone();
        let request = None;
        let deferred =
            Deferred { call, tool, input, mode, cost_micros, approval_free, is_tainted, request };
        Some(deferred.paused())
    }

    /// Called when the turn is over.
    pub(super) fn clear(&mut self) {
        let Self { durable_in, approval_free, in_background, can_defer, .. } = std::mem::take(self);
        *self = Self { durable_in, approval_free, in_background, can_defer, ..Self::default() };
    }

    /// Whether a question about the call can outlive the process, with nothing else lost.
    fn can_outlive(&self, asked: &Value) -> bool {
        self.durable_in.as_deref() == said(asked, "cwd")
            && self.durable_in.is_some()
            && said(asked, "agent_id").is_none()
            && self.can_defer
            && !self.in_background
            && !self.message_queued
            && self.calls.iter().any(|call| call == text(asked, "tool_use_id"))
            && can_be_continued(text(asked, "tool_name"))
    }

    /// Whether the program may ask about the call by its own rules.
    fn is_worth_deferring(&self, asked: &Value, tools: &ToolPolicy) -> bool {
        let (tool, mode) = (text(asked, "tool_name"), text(asked, "permission_mode"));
        !self.approval_free.contains(tool)
            && may_be_asked(tool, &asked["tool_input"], mode)
            && !tools.runs_without_approval(tool, &asked["tool_input"])
    }

    /// Answers the hook, once it is known whether its call is the only one of the message.
    fn settle(&mut self, sinks_ask: bool) -> Option<Value> {
        if self.is_open && self.calls.len() < 2 {
            return None;
        }
        let held = self.held.take()?;
        if self.calls != [held.call.as_str()] {
            return Some(not_deferred(&held.request, held.is_sink && sinks_ask));
        }
        let line = outgoing::hook(&held.request, Some("defer"));
        self.deferred = Some(held);
        Some(line)
    }
}

/// The answer about a call that is not deferred: the program has to ask, or its own rules decide.
fn not_deferred(request: &str, must_ask: bool) -> Value {
    outgoing::hook(request, must_ask.then_some("ask"))
}
