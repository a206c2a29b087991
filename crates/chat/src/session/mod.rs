//! One turn of an agent, from its first word to `done`.
//!
//! The conversation's task polls the agent directly and handles what comes:
//! 1. Text goes through the segmenter, which finds plans and questions, and
//!    through the stream sanitizer; then it is shown ([`crate::event_log`]).
//! 2. A finished block becomes a message, committed together with what the
//!    model needs to remember of it.
//! 3. A checkpoint is committed before the agent is polled again.
//! 4. The end is one write: what is left, an error if there was one, and `done`.
//!
//! Reading pauses while text is too far ahead of storage.

mod blocks;
mod ending;

use std::sync::Arc;

use futures_util::StreamExt;
use parlor_agents::{AgentEvent, AgentSession, HistoryMessage, TurnEnd, TurnStart, Usage};
use parlor_storage::StorageError;
use serde_json::Value;
use tokio::sync::watch;

use crate::flusher::Flusher;
use crate::project::Project;
use crate::session_registry::Stop;
use crate::writer::{Step, Writer};
use blocks::Blocks;

/// A turn that runs.
pub(crate) struct Session {
    writer: Writer,
    project: Arc<Project>,
    blocks: Blocks,
    /// A message that is finished, and is committed with what comes after it.
    finished: Step,
    usage: Usage,
    stopped: Option<Stop>,
}

impl Session {
    pub(crate) fn new(writer: Writer, project: Arc<Project>, flusher: Flusher) -> Self {
        let blocks = Blocks::new(flusher);
        Self {
            writer,
            project,
            blocks,
            finished: Step::default(),
            usage: Usage::default(),
            stopped: None,
        }
    }

    /// Runs the turn to its end.
    pub(crate) async fn run(
        mut self,
        mut agent: Box<dyn AgentSession>,
        start: TurnStart,
        mut stop: watch::Receiver<Option<Stop>>,
    ) -> Result<(), StorageError> {
        agent.begin(start);
        loop {
            let event = tokio::select! {
                biased;
                Ok(()) = stop.changed(), if self.stopped.is_none() => {
                    self.stopped = *stop.borrow();
                    agent.stop();
                    continue;
                }
                event = agent.next() => event,
            };
            // A stream that ends by itself has broken its promise; say so.
            let end = match event {
                Some(AgentEvent::Ended(end)) => end,
                Some(event) => {
                    self.handle(event).await?;
                    continue;
                }
                None => TurnEnd::Stopped,
            };
            return self.end(end).await;
        }
    }

    async fn handle(&mut self, event: AgentEvent) -> Result<(), StorageError> {
        match event {
            AgentEvent::Text(text) => self.text(&text).await,
            AgentEvent::Thinking(text) => self.thinking(&text).await,
            AgentEvent::BlockEnd => self.end_block().await,
            // It is written with what comes next, which is nearly always the
            // end: then the end can still mark what it cut short.
            AgentEvent::AssistantMessage(message) => {
                self.end_block().await?;
                self.finished.history.push(raw(&message));
                Ok(())
            }
            AgentEvent::Usage(usage) => {
                self.usage += usage;
                Ok(())
            }
            AgentEvent::Checkpoint(checkpoint) => {
                self.finished.checkpoint = Some(checkpoint.0);
                self.commit_finished().await
            }
            AgentEvent::Retrying { after, attempt, error } => {
                tracing::info!(?after, attempt, %error, "the model is asked again");
                Ok(())
            }
            // `run` takes the end.
            AgentEvent::Ended(_) => Ok(()),
        }
    }

    /// Writes what is finished, if anything is.
    async fn commit_finished(&mut self) -> Result<(), StorageError> {
        let step = std::mem::take(&mut self.finished);
        if step.events.is_empty() && step.history.is_empty() && step.checkpoint.is_none() {
            return Ok(());
        }
        self.writer.commit(step).await
    }
}

/// What the model needs of a message, as it is stored.
pub(crate) fn raw(message: &HistoryMessage) -> Value {
    serde_json::to_value(message).unwrap_or(Value::Null)
}
