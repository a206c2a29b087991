//! Writes one turn: collects what belongs into the next write, commits it, then publishes it
//! to the live log.

use std::sync::Arc;
use std::time::Duration;

use parlor_agent::HistoryMessage;
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{
    CallId, ConversationId, EventBody, MessageId, MessageType, Role, Timestamp, ToolProgress,
    ToolStatus, TurnId,
};
use parlor_storage::{
    BlockKind, Commit, Path, RunStatus, RunWrite, Served, Step, StorageError, Store, TextBlock,
    Told, ToolRun, TurnOutcome,
};
use serde_json::Value;
use uuid::Uuid;

use crate::clock::now;
use crate::log::EventLog;
use crate::metrics::ProjectMetrics;
use crate::project::Project;

/// The longest backoff between two attempts to commit.
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// Writes the log, the history and the ledger of one turn.
#[derive(Debug)]
pub(super) struct TurnWriter {
    pub(super) store: Store,
    pub(super) log: Arc<EventLog>,
    /// Cleans what is shown: the project's own rules, and the CLI sessions of this turn.
    pub(super) sanitizer: Sanitizer,
    /// What its project counts.
    pub(super) metrics: Arc<ProjectMetrics>,
    /// The next write. It gets its numbers and its time when it is committed.
    pub(super) pending: Commit,
    /// The turns that it goes on from, and this one.
    pub(super) path: Path,
    next_seq: u64,
    /// The message of the next text block.
    block_message: MessageId,
    /// The call that is being made.
    running: Option<ToolRun>,
}

/// A write of a turn that changes nothing yet.
pub(crate) fn empty_write(conversation: ConversationId, turn: TurnId, epoch: u64) -> Commit {
    Commit {
        conversation,
        epoch,
        turn,
        first_seq: 0,
        step: Step::default(),
        block_message: MessageId::new(Uuid::now_v7()),
        now: Timestamp::default(),
    }
}

/// A message of the raw history as it is stored.
pub(crate) fn history_json(message: &HistoryMessage) -> Value {
    serde_json::to_value(message).unwrap_or(Value::Null)
}

/// What becomes of a run whose turn ends first: one that was started may have taken effect.
pub(crate) fn abandoned(run: &ToolRun) -> RunStatus {
    match run.status {
        RunStatus::Started => RunStatus::OutcomeUnknown,
        _ => RunStatus::Cancelled,
    }
}

impl TurnWriter {
    /// Writes from `next_seq` on. `pending` names the turn.
    pub(super) fn new(
        store: Store,
        log: Arc<EventLog>,
        project: &Project,
        pending: Commit,
        path: Path,
        next_seq: u64,
        block_message: MessageId,
    ) -> Self {
        let (sanitizer, metrics) = (project.sanitizer.clone(), Arc::clone(&project.metrics));
        let running = None;
        Self { store, log, sanitizer, metrics, pending, path, next_seq, block_message, running }
    }

    /// The conversation.
    pub(super) fn conversation(&self) -> ConversationId {
        self.pending.conversation
    }

    /// The turn.
    pub(super) fn turn(&self) -> TurnId {
        self.pending.turn
    }

    /// Adds an event to the next write.
    pub(super) fn add_event(&mut self, body: EventBody) {
        self.pending.step.event(&self.sanitizer, body);
    }

    /// Adds a message to the next write: an event and a row.
    pub(super) fn add_message(&mut self, message: Message) {
        self.pending.step.message(Clean::new(&self.sanitizer, message));
    }

    /// Adds a message to the raw history, without the secrets that the configuration names:
    /// an agent that prints its own key does not read it again.
    pub(super) fn add_history(&mut self, message: &HistoryMessage) {
        let history = self.sanitizer.json_without_secrets(history_json(message));
        self.pending.step.history.push(history);
    }

    /// Adds the next status of a run to the next write, with the result that the model reads.
    pub(super) fn move_run(
        &mut self,
        run: &ToolRun,
        to: RunStatus,
        result: Option<Value>,
        told: Option<Told>,
    ) {
        self.pending.step.runs.push(RunWrite::Move { id: run.id, to, result, told });
    }

    /// Adds the status of a call, as people see it, to the next write.
    pub(super) fn show_status(&mut self, run: &ToolRun, status: ToolStatus) {
        self.metrics.tool_status(run, status);
        self.running = (status == ToolStatus::Running).then(|| run.clone());
        let (tool, call_id) = (run.tool.clone(), CallId::new(run.id));
        let input = self.running.as_ref().and_then(|run| serde_json::from_str(&run.arguments).ok());
        self.add_event(EventBody::ToolUse { tool, call_id, status, input, progress: None });
    }

    /// Publishes the progress of the call that is being made. It is not stored: the next
    /// report replaces it, and so does the end of the call.
    pub(super) fn publish_progress(&self, call_id: &str, progress: ToolProgress) {
        let Some(run) = self.running.as_ref().filter(|run| run.call_id == call_id) else { return };
        let event = EventBody::ToolUse {
            tool: run.tool.clone(),
            call_id: CallId::new(run.id),
            status: ToolStatus::Running,
            input: None,
            progress: Some(progress),
        };
        self.log.publish_live(Served::live(Clean::new(&self.sanitizer, event)));
    }

    /// Adds the end of a run that the end of its turn, or of its prompt, overtook.
    pub(super) fn abandon(&mut self, run: &ToolRun) {
        let to = abandoned(run);
        let status = match to {
            RunStatus::OutcomeUnknown => ToolStatus::Error,
            _ => ToolStatus::Denied,
        };
        self.move_run(run, to, None, None);
        self.show_status(run, status);
    }

    /// A message of the agent, without text yet.
    pub(super) fn new_message(&self, id: MessageId, message_type: MessageType) -> Message {
        Message {
            id,
            conversation_id: self.conversation(),
            turn_id: self.turn(),
            role: Role::Assistant,
            message_type,
            content: String::new(),
            data: None,
            options: None,
            questions: None,
            metadata: Metadata::new(),
            created_at: now(),
        }
    }

    /// Changes the metadata of the last event of the next write, if it is a message.
    pub(super) fn mark_last_message(&mut self, mark: impl FnOnce(&mut Metadata)) {
        let Some(last) = self.pending.step.events.last_mut() else { return };
        let Some(message) = last.message.take() else { return };
        let mut message: Message = message.into_inner();
        mark(&mut message.metadata);
        let message = Clean::new(&self.sanitizer, message);
        last.body = message.to_event();
        last.message = Some(message);
    }

    /// The turn and the epoch under which it writes: text of another one is not its own.
    pub(super) fn identity(&self) -> (TurnId, u64) {
        (self.turn(), self.pending.epoch)
    }

    /// Opens a text block under the next number.
    pub(super) fn open_block(&mut self, kind: BlockKind) {
        let block = TextBlock { seq: self.next_seq, message: self.block_message, kind, parts: 0 };
        self.next_seq += 1;
        self.log.open_block(self.turn(), self.pending.epoch, block);
    }

    /// Commits the next write, unless it is empty, and publishes its events.
    pub(super) async fn commit(&mut self) -> Result<(), StorageError> {
        if self.pending.step.is_empty() { Ok(()) } else { self.write().await }
    }

    /// Commits the last write of the turn.
    pub(super) async fn end(&mut self, end: TurnOutcome) -> Result<(), StorageError> {
        self.pending.step.end = Some(end);
        self.write().await
    }

    /// Retries while the database is locked, full or read-only: nothing is lost, and
    /// nothing more is read from the agent meanwhile.
    async fn write(&mut self) -> Result<(), StorageError> {
        let next = empty_write(self.conversation(), self.turn(), self.pending.epoch);
        let mut write = std::mem::replace(&mut self.pending, next);
        write.first_seq = self.next_seq;
        write.now = now();
        let mut backoff = Duration::from_millis(100);
        let mut is_unknown = false;
        let logged = loop {
            let committed = match is_unknown {
                true => self.store.commit_again(&write).await,
                false => self.store.commit(&write).await,
            };
            match committed {
                Ok(logged) => break logged,
                Err(error) if error.is_transient() || error.is_unknown() => {
                    tracing::warn!(%error, "failed to commit; trying again");
                    is_unknown |= error.is_unknown();
                    tokio::time::sleep(backoff).await;
                    backoff = (backoff * 2).min(MAX_BACKOFF);
                }
                Err(error) => return Err(error),
            }
        };
        self.metrics.written(&write.step);
        self.next_seq += write.step.events.len() as u64;
        self.block_message = write.block_message;
        self.log.publish(logged);
        Ok(())
    }
}
