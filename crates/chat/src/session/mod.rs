//! One turn of an agent, from its first word to `done`.
//!
//! The conversation's task polls the agent directly and handles what comes:
//! 1. Text goes through the segmenter, which finds plans and questions, and
//!    through the stream sanitizer; then it is shown ([`crate::event_log`]).
//! 2. A finished block becomes a message, committed together with what the
//!    model needs to remember of it.
//! 3. A checkpoint is committed before the agent is polled again.
//! 4. What the agent must not do by itself is asked for ([`asking`]), and what
//!    came of its calls is looked at before its model reads it ([`calls`]). Of a call
//!    that a person changed, what ran is told ([`edited`]).
//! 5. The end is one write: what is left, an error if there was one, and `done`.
//!
//! Reading pauses while text is too far ahead of storage. An agent that says more
//! than it may is stopped, and what it said is marked ([`answer_room`]).

mod answer_room;
mod asking;
mod blocks;
mod calls;
mod changed_tool;
mod deadline;
mod edited;
mod ending;
mod settling;

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt;
use parlor_agents::{
    AgentEvent, AgentSession, Checkpoint, HistoryMessage, TurnEnd, TurnStart, Usage,
};
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::{EventBody, TenantId};
use parlor_storage::{Block, StorageError};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::flusher::Flusher;
use crate::images::PictureChecks;
use crate::power_cut;
use crate::project::Project;
use crate::session_registry::Stop;
use crate::writer::{Step, Writer};
use answer_room::AnswerRoom;
use asking::Look;
use blocks::Blocks;
use edited::Edits;

pub(crate) use asking::Asking;

/// A turn that runs.
pub(crate) struct Session {
    writer: Writer,
    tenant: TenantId,
    project: Arc<Project>,
    /// The project's own, and it knows the sessions of this conversation.
    sanitizer: Sanitizer,
    sessions: Vec<String>,
    blocks: Blocks,
    pictures: PictureChecks,
    asking: Asking,
    /// Calls that a person changed.
    edits: Edits,
    /// Whether anything may stand in the ledger.
    has_calls: bool,
    /// A message that is finished, and is committed with what comes after it.
    finished: Step,
    /// Where the agent could go on after a crash.
    checkpoint: Option<Checkpoint>,
    usage: Usage,
    /// How much the agent may still say.
    room: AnswerRoom,
    stopped: Option<Stop>,
}

impl Session {
    pub(crate) fn new(
        writer: Writer,
        tenant: TenantId,
        project: Arc<Project>,
        flusher: Flusher,
        pictures: PictureChecks,
        asking: Asking,
    ) -> Self {
        let sanitizer = project.sanitizer.clone();
        Self {
            writer,
            tenant,
            room: AnswerRoom::new(project.max_answer_bytes),
            blocks: Blocks::new(flusher, &sanitizer),
            project,
            sanitizer,
            sessions: Vec::new(),
            pictures,
            asking,
            edits: Edits::new(),
            has_calls: false,
            finished: Step::default(),
            checkpoint: None,
            usage: Usage::default(),
            stopped: None,
        }
    }

    /// The turn goes on after a crash. Text that was shown and not stored is
    /// gone: its place is kept, so that whoever saw it is told.
    pub(crate) fn resumed(mut self, lost: Block, from: Checkpoint) -> Self {
        self.checkpoint = Some(from);
        self.finished.closes_block = Some(lost);
        self.has_calls = true;
        self
    }

    /// Runs the turn to its end.
    pub(crate) async fn run(
        mut self,
        mut agent: Box<dyn AgentSession>,
        start: TurnStart,
        mut stop: oneshot::Receiver<Stop>,
    ) -> Result<(), StorageError> {
        let (TurnStart::Message(context)
        | TurnStart::Unasked(context)
        | TurnStart::Resume(context, _)) = &start;
        self.learn_sessions(&context.history);
        agent.begin(start);
        loop {
            if self.stopped.is_none()
                && let Ok(why) = stop.try_recv()
                && self.stops_for(why, &mut *agent)
            {
                return Ok(());
            }
            if self.room.ran_out() {
                agent.stop();
            }
            match self.next(&mut *agent, &mut stop).await {
                // Nearly every event is this one: it does without the rest.
                Next::Event(Some(AgentEvent::Text(text))) => self.text(&text).await?,
                Next::Event(Some(AgentEvent::Ended(end))) => return self.end(end).await,
                Next::Event(Some(event)) => self.handle(&mut *agent, event).await?,
                // A stream that ends by itself has broken its promise; say so.
                Next::Event(None) => return self.end(TurnEnd::Stopped).await,
                Next::Stop(why) => {
                    if self.stops_for(why, &mut *agent) {
                        return Ok(());
                    }
                }
                Next::Look(Look::Prompt) => self.look_at_prompt(&mut *agent).await?,
                Next::Look(Look::NobodyAnswers) => {
                    if self.stops_for(Stop::Shutdown, &mut *agent) {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Waits for the agent, for the signal to stop, and for an open prompt.
    async fn next(
        &mut self,
        agent: &mut dyn AgentSession,
        stop: &mut oneshot::Receiver<Stop>,
    ) -> Next {
        let mut next = poll_fn(|cx| match agent.poll_next_unpin(cx) {
            Poll::Ready(event) => Poll::Ready(Next::Event(event)),
            Poll::Pending if self.stopped.is_some() || stop.is_terminated() => Poll::Pending,
            Poll::Pending => match Pin::new(&mut *stop).poll(cx) {
                Poll::Ready(Ok(why)) => Poll::Ready(Next::Stop(why)),
                Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
            },
        });
        if !self.asking.is_open() {
            return next.await;
        }
        tokio::select! {
            biased;
            next = &mut next => next,
            look = self.asking.look(self.stopped.is_none()) => Next::Look(look),
        }
    }

    /// Stops the agent; true if the turn is over for this run of the server.
    fn stops_for(&mut self, why: Stop, agent: &mut dyn AgentSession) -> bool {
        self.stopped = Some(why);
        let parks = self.parks_for(why);
        if !parks {
            agent.stop();
        }
        parks
    }

    /// A server that goes down leaves a turn that waits for a person as it is:
    /// the rows are there, and the next run of the server takes it up (P-9).
    fn parks_for(&self, stop: Stop) -> bool {
        let agent = &self.project.agent;
        let can_resume = self.checkpoint.as_ref().is_some_and(|from| agent.can_resume(from));
        stop == Stop::Shutdown && self.asking.is_open() && can_resume
    }

    async fn handle(
        &mut self,
        agent: &mut dyn AgentSession,
        event: AgentEvent,
    ) -> Result<(), StorageError> {
        match event {
            AgentEvent::Queued => {
                let queued = EventBody::Queued { turn_id: self.writer.turn };
                self.finished.event(&self.sanitizer, queued);
                self.commit_finished().await
            }
            AgentEvent::Thinking(text) => self.thinking(&text).await,
            AgentEvent::BlockEnd => self.end_block().await,
            AgentEvent::BrokeOff => {
                self.end_block().await?;
                self.mark_last("incomplete");
                Ok(())
            }
            // It is written with what comes next, which is nearly always the
            // end: then the end can still mark what it cut short.
            AgentEvent::AssistantMessage(message) => {
                self.end_block().await?;
                self.blocks.is_remembered();
                let message = self.amended(message);
                self.remember(&message);
                Ok(())
            }
            AgentEvent::Withheld => self.withhold().await,
            AgentEvent::ToolMessage(message) => {
                self.remember(&message);
                Ok(())
            }
            AgentEvent::Proposes(_) | AgentEvent::Asks(_) | AgentEvent::Withdrawn(_) => {
                self.asked(agent, event).await
            }
            AgentEvent::Calls(call) => self.calls_by_itself(*call).await,
            AgentEvent::CallEnded { call, tool, outcome, read } => {
                self.call_ended(agent, call, tool, outcome, read).await
            }
            AgentEvent::Usage(usage) => {
                self.usage += usage;
                Ok(())
            }
            AgentEvent::Checkpoint(checkpoint) => {
                self.finished.checkpoint = Some(checkpoint.0.clone());
                self.checkpoint = Some(checkpoint);
                self.commit_finished().await?;
                power_cut::after(power_cut::Step::Said);
                // A question in the text ends the turn; its answer begins the next.
                if self.blocks.has_questions() {
                    agent.stop();
                }
                Ok(())
            }
            AgentEvent::Retrying { after, attempt, error } => {
                tracing::info!(?after, attempt, %error, "the model is asked again");
                Ok(())
            }
            // `run` takes these.
            AgentEvent::Text(_) | AgentEvent::Ended(_) => Ok(()),
        }
    }

    /// Keeps what the model needs to remember, without the secrets that the
    /// configuration names: who prints its own key does not read it again.
    fn remember(&mut self, message: &HistoryMessage) {
        self.learn_sessions(std::slice::from_ref(message));
        self.finished.history.push(self.sanitizer.json_without_secrets(raw(message)));
    }

    /// What an agent calls its sessions is not shown from here on (S-3).
    fn learn_sessions(&mut self, history: &[HistoryMessage]) {
        let known = self.sessions.len();
        for id in history.iter().flat_map(HistoryMessage::sessions) {
            if !self.sessions.iter().any(|known| known == id) {
                self.sessions.push(id.to_owned());
            }
        }
        if self.sessions.len() > known {
            self.sanitizer = self.project.sanitizer.with_sessions(&self.sessions);
        }
    }

    /// Writes what is finished, if anything is.
    async fn commit_finished(&mut self) -> Result<(), StorageError> {
        let step = std::mem::take(&mut self.finished);
        if step.is_empty() {
            return Ok(());
        }
        self.writer.commit(step).await
    }
}

/// What a turn waits for.
enum Next {
    /// The agent says something.
    Event(Option<AgentEvent>),
    /// Somebody says that it is to stop.
    Stop(Stop),
    /// It is time to look at the open prompt, or not to wait for it any longer.
    Look(Look),
}

/// What the model needs of a message, as it is stored.
pub(crate) fn raw(message: &HistoryMessage) -> Value {
    serde_json::to_value(message).unwrap_or(Value::Null)
}
