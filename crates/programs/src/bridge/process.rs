//! The process of a conversation, from one turn to the next: the child with its dialect, its
//! slot, and what outlives it.

use std::sync::Arc;

use parlor_agent::TurnContext;
use parlor_protocol::ConversationId;
use serde_json::Value;

use super::child::Child;
use super::project::Project;
use super::slots::{Slot, SlotRequest};
use crate::dialect::{Continuation, DeferredCall, Dialect};

/// The process of a conversation, if one runs.
pub(super) struct ConversationProcess {
    pub(super) project: Arc<Project>,
    pub(super) conversation: ConversationId,
    pub(super) live: Option<Live>,
    /// The right to run one.
    pub(super) slot: Option<Slot>,
    /// The CLI session that the next process continues.
    pub(super) cli_session: Option<String>,
    /// The line with which the program began a turn by itself, until a turn takes it.
    pub(super) held_line: Option<HeldLine>,
}

/// A process that runs, and the state of its dialect.
pub(super) struct Live {
    pub(super) child: Child,
    pub(super) dialect: Box<dyn Dialect>,
}

/// A line that waits for a turn.
pub(super) struct HeldLine {
    pub(super) line: Value,
    pub(super) length: usize,
    /// The turn is wanted as long as this exists.
    pub(super) _wanted: Arc<()>,
}

impl ConversationProcess {
    pub(super) fn new(project: Arc<Project>, conversation: ConversationId) -> Self {
        Self { project, conversation, live: None, slot: None, cli_session: None, held_line: None }
    }

    /// Takes a slot, if there is none yet; the request for one, if none is free.
    pub(super) fn take_slot(&mut self) -> Option<SlotRequest> {
        if self.slot.is_some() {
            return None;
        }
        let mut request = self.project.slots.request();
        self.slot = request.at_once();
        if self.slot.is_some() {
            return None;
        }
        tracing::info!(conversation = %self.conversation, "turn queued: too many programs run");
        Some(request)
    }

    /// Starts a process that continues the CLI session, where there is one.
    pub(super) fn start(
        &mut self,
        context: &TurnContext,
        deferred: Option<&DeferredCall>,
    ) -> Result<(), String> {
        let program = &self.project.program;
        let (spec, mut dialect) = program.start(context, self.continuation(deferred));
        let longest = program.limits().line_bytes;
        let child = Child::start(&self.project.supervisor, &spec, longest, program.kind())?;
        tracing::info!(conversation = %self.conversation, kind = program.kind(),
            resumes = self.cli_session.is_some(), "program started");
        dialect.opening().iter().for_each(|line| child.send(line));
        self.live = Some(Live { child, dialect });
        Ok(())
    }

    /// A dialect without a process, to repeat the question about a deferred call.
    pub(super) fn dialect(&self, context: &TurnContext, call: &DeferredCall) -> Box<dyn Dialect> {
        self.project.program.start(context, self.continuation(Some(call))).1
    }

    fn continuation<'c>(&'c self, deferred: Option<&'c DeferredCall>) -> Continuation<'c> {
        Continuation { cli_session: self.cli_session.as_deref(), deferred }
    }

    /// Ends the process, if one runs, and frees its slot for another conversation.
    pub(super) async fn end(&mut self) {
        self.end_keeping_slot().await;
        self.slot = None;
    }

    /// Ends the process, if one runs; another one of this conversation follows.
    pub(super) async fn end_keeping_slot(&mut self) {
        if self.held_line.take().is_some() {
            tracing::warn!(conversation = %self.conversation,
                "program ended before its agent-initiated turn");
        }
        if let Some(live) = self.live.take() {
            live.child.end().await;
        }
    }

    /// Kills the process before it can do anything, and frees its slot: however long a
    /// person takes to answer, other conversations can have a process.
    pub(super) async fn suspend(&mut self) {
        if let Some(live) = self.live.take() {
            tracing::debug!(conversation = %self.conversation, "turn suspended without a process");
            live.child.kill().await;
        }
        self.slot = None;
    }
}
