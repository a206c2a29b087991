//! Writes the steps of one turn, in order, and shows them once they are stored.

use std::sync::Arc;
use std::time::Duration;

use parlor_protocol::{ConversationId, MessageId, TurnId};
use parlor_storage::{BlockKind, Commit, Step, StorageError, Store, TextBlock};
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

impl Writer {
    /// Takes the next number for text that is about to stream.
    pub(crate) fn open_block(&mut self, kind: BlockKind) {
        let block = TextBlock { seq: self.next_seq, message: self.block_message, kind, parts: 0 };
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
            step,
            block_message: next_message,
            now: now(),
        };
        let mut pause = Duration::from_millis(100);
        let logged = loop {
            match self.store.commit(&commit).await {
                Ok(logged) => break logged,
                Err(error) if error.is_transient() => {
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
