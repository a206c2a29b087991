//! Writes the steps of one turn, in order, and shows them once they are stored.

use std::sync::Arc;
use std::time::Duration;

use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::Message;
use parlor_protocol::{ConversationId, EventBody, MessageId, TurnId};
use parlor_storage::{
    Block, Commit, HistoryPart, NewEvent, NewImage, PromptWrite, RunWrite, StorageError, Store,
    TurnEnd,
};
use serde_json::Value;
use uuid::Uuid;

use crate::event_log::EventLog;
use crate::texts::now;

/// The longest wait between two tries.
const SLOWEST: Duration = Duration::from_secs(5);

/// The pen of a turn.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) store: Store,
    pub(crate) log: Arc<EventLog>,
    pub(crate) conversation: ConversationId,
    pub(crate) turn: TurnId,
    pub(crate) epoch: u64,
    pub(crate) next_seq: u64,
    /// The message that streams next, if text does.
    pub(crate) block_message: MessageId,
}

/// What is written in one step.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(crate) events: Vec<NewEvent>,
    pub(crate) closes_block: Option<Block>,
    pub(crate) history: Vec<Value>,
    pub(crate) images: Vec<NewImage>,
    pub(crate) amends: Vec<HistoryPart>,
    pub(crate) checkpoint: Option<Value>,
    pub(crate) runs: Vec<RunWrite>,
    pub(crate) prompts: Vec<PromptWrite>,
    pub(crate) end: Option<TurnEnd>,
}

impl Step {
    /// Adds a message: it is an event and a row.
    pub(crate) fn message(&mut self, message: Clean<Message>) {
        self.events.push(NewEvent { body: message.to_event(), message: Some(message) });
    }

    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.closes_block.is_none()
            && self.history.is_empty()
            && self.images.is_empty()
            && self.amends.is_empty()
            && self.checkpoint.is_none()
            && self.runs.is_empty()
            && self.prompts.is_empty()
    }

    /// Adds an event.
    pub(crate) fn event(&mut self, sanitizer: &Sanitizer, body: EventBody) {
        self.events.push(NewEvent { body: Clean::new(sanitizer, body), message: None });
    }
}

impl Writer {
    /// Takes the next number for text that is about to stream.
    pub(crate) fn open_block(&mut self, thinking: bool) {
        let block = Block { seq: self.next_seq, message: self.block_message, thinking, parts: 0 };
        self.next_seq += 1;
        self.log.open_block(self.turn, block);
    }

    /// Commits a step and shows it. A database that is locked, full or
    /// read-only is waited for: nothing that was said is lost, and nothing more
    /// is read from the agent meanwhile.
    pub(crate) async fn commit(&mut self, step: Step) -> Result<(), StorageError> {
        let next_message = MessageId::new(Uuid::now_v7());
        let count = step.events.len() as u64;
        let commit = Commit {
            conversation: self.conversation,
            epoch: self.epoch,
            turn: self.turn,
            first_seq: self.next_seq,
            events: step.events,
            closes_block: step.closes_block,
            history: step.history,
            images: step.images,
            amends: step.amends,
            checkpoint: step.checkpoint,
            runs: step.runs,
            prompts: step.prompts,
            block_message: next_message,
            end: step.end,
            now: now(),
        };
        let mut pause = Duration::from_millis(100);
        let logged = loop {
            match self.store.commit(&commit).await {
                Ok(logged) => break logged,
                Err(error) if error.is_passing() => {
                    tracing::warn!(%error, turn = %self.turn, "a step cannot be stored yet");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(SLOWEST);
                }
                Err(error) => return Err(error),
            }
        };
        self.next_seq += count;
        self.block_message = next_message;
        self.log.publish(logged);
        Ok(())
    }
}
