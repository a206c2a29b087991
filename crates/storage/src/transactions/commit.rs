//! Commits a step of a running turn, all or nothing, under the turn's epoch.

use parlor_database::{Batch, Query, query};
use parlor_guard::Clean;
use parlor_guard::sanitizer::Sanitizer;
use parlor_protocol::message::Message;
use parlor_protocol::{ConversationId, EventBody, MessageId, PromptType, Timestamp, TurnId};
use serde_json::Value;

use crate::columns::{to_column, to_json};
use crate::error::StorageError;
use crate::store::Store;
use crate::tables::events::{self, Logged};
use crate::tables::history::{self, HistoryPart};
use crate::tables::images::{self, StoredFile};
use crate::tables::messages;
use crate::tables::prompts::{self, PromptWrite};
use crate::tables::push_messages;
use crate::tables::search_entries;
use crate::tables::text_blocks::{self, TextBlock};
use crate::tables::tool_runs::{self, RunWrite};
use crate::tables::turn_figures::{self, TurnFigures};
use crate::tables::turns::{TurnOutcome, TurnStatus};
use crate::tables::usage::{self, UsageWrite};

/// One atomic write of a running turn: a step, and where it goes.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The conversation.
    pub conversation: ConversationId,
    /// The epoch under which the turn writes.
    pub epoch: u64,
    /// The turn.
    pub turn: TurnId,
    /// The number of the first event.
    pub first_seq: u64,
    /// What is written.
    pub step: Step,
    /// The message that streams next, if text does.
    pub block_message: MessageId,
    /// When.
    pub now: Timestamp,
}

/// What a turn writes at once.
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// Events for the log.
    pub events: Vec<NewEvent>,
    /// The text block whose text is in one of these events now.
    pub closes_block: Option<TextBlock>,
    /// Additions to the raw history.
    pub history: Vec<Value>,
    /// Pictures that these events name.
    pub images: Vec<StoredFile>,
    /// Parts of the raw history that are replaced.
    pub amends: Vec<HistoryPart>,
    /// Where the agent can resume after a crash.
    pub checkpoint: Option<Value>,
    /// Changes of tool runs.
    pub runs: Vec<RunWrite>,
    /// Changes of prompts.
    pub prompts: Vec<PromptWrite>,
    /// What was used since the last step.
    pub usage: Option<UsageWrite>,
    /// Set if the turn ends with this step.
    pub end: Option<TurnOutcome>,
    /// What was measured of the turn, if it ends with this step.
    pub figures: Option<TurnFigures>,
}

/// An event that is written.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// The event.
    pub body: Clean<EventBody>,
    /// The message, if it is one: it is stored as a message too.
    pub message: Option<Clean<Message>>,
}

impl Step {
    /// Adds a message: an event and a row of its own.
    pub fn message(&mut self, message: Clean<Message>) {
        self.events.push(NewEvent { body: message.to_event(), message: Some(message) });
    }

    /// Adds an event.
    pub fn event(&mut self, sanitizer: &Sanitizer, body: EventBody) {
        self.events.push(NewEvent { body: Clean::new(sanitizer, body), message: None });
    }

    /// Whether there is nothing to write. The end of a turn always comes with its `done`.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.closes_block.is_none()
            && self.history.is_empty()
            && self.images.is_empty()
            && self.amends.is_empty()
            && self.checkpoint.is_none()
            && self.runs.is_empty()
            && self.prompts.is_empty()
            && self.usage.is_none()
    }
}

impl Store {
    /// Writes a step of a turn, all or nothing, and returns the events that may be
    /// shown now. A write with an old epoch is `TakenOver`.
    pub async fn commit(&self, commit: &Commit) -> Result<Vec<Logged>, StorageError> {
        let (batch, logged) = batch(commit)?;
        match self.run(batch).await {
            Err(error) if self.is_written(&error, || written_by(commit)).await? => Ok(logged),
            written => written.map(|()| logged),
        }
    }

    /// The same after an attempt whose end is unknown: writes only what is not written.
    pub async fn commit_again(&self, commit: &Commit) -> Result<Vec<Logged>, StorageError> {
        match written_by(commit).fetch_optional(self.reader()).await? {
            Some(_) => Ok(batch(commit)?.1),
            None => self.commit(commit).await,
        }
    }
}

/// The statements of a step, and the events that they write.
fn batch(commit: &Commit) -> Result<(Batch, Vec<Logged>), StorageError> {
    let Commit { conversation, turn, first_seq, step, now, .. } = commit;
    let (conversation, turn, now) = (*conversation, *turn, *now);
    let mut batch = Batch::claiming();
    claim_numbers(&mut batch, commit);
    for (seq, event) in (*first_seq..).zip(&step.events) {
        if let Some(message) = &event.message {
            messages::put(&mut batch, seq, message)?;
            search_entries::put(&mut batch, message);
        }
    }
    let bodies = step.events.iter().map(|event| &event.body);
    let logged = events::insert(&mut batch, conversation, turn, *first_seq, bodies, now)?;
    if let Some(block) = &step.closes_block {
        text_blocks::close(&mut batch, conversation, turn, block, now);
    }
    history::append(&mut batch, conversation, turn, &step.history)?;
    for image in &step.images {
        images::insert(&mut batch, conversation, image, now);
    }
    for part in &step.amends {
        history::amend(&mut batch, conversation, part)?;
    }
    for run in &step.runs {
        tool_runs::apply(&mut batch, conversation, turn, run, now)?;
    }
    for prompt in &step.prompts {
        prompts::apply(&mut batch, turn, prompt, now)?;
        tell_of_prompt(&mut batch, conversation, prompt, now);
    }
    update_turn(&mut batch, commit)?;
    if step.end.is_some_and(|end| matches!(end.status, TurnStatus::Complete | TurnStatus::Error)) {
        push_messages::turn_ended(&mut batch, turn, now);
    }
    // Last: other turns wait for these rows, and write them in the same order.
    if let (Some(outcome), Some(figures)) = (&step.end, &step.figures) {
        turn_figures::add(&mut batch, turn, outcome, figures, now);
    }
    if let Some(usage) = &step.usage {
        usage::add(&mut batch, usage);
    }
    Ok((batch, logged))
}

/// Browsers that are closed are told of a prompt in the same write: it is not lost, and it is told once.
/// What a program answers is no person's concern.
fn tell_of_prompt(
    batch: &mut Batch,
    conversation: ConversationId,
    write: &PromptWrite,
    now: Timestamp,
) {
    let PromptWrite::Open(new) = write else { return };
    let prompt = new.public.get();
    if prompt.prompt_type != PromptType::ClientCall {
        push_messages::prompt_opened(batch, conversation, prompt.id, now);
    }
}

/// Finds the row as this write leaves it: no other write has the same next message.
fn written_by(commit: &Commit) -> Query {
    query("SELECT 1 FROM turns WHERE id = $1 AND block_message = $2")
        .bind(commit.turn.to_string())
        .bind(commit.block_message.to_string())
}

/// Claims the numbers of the events and, unless the turn ends, one for the text that
/// streams next.
fn claim_numbers(batch: &mut Batch, commit: &Commit) {
    let streams_on = u64::from(commit.step.end.is_none());
    let next = commit.first_seq + commit.step.events.len() as u64 + streams_on;
    batch
        .add(
            "UPDATE conversations SET next_seq = $3, updated_at = $4,
             next_position = next_position + $5 WHERE id = $1 AND epoch = $2",
        )
        .bind(commit.conversation.to_string())
        .bind(to_column(commit.epoch))
        .bind(to_column(next))
        .bind(commit.now.0)
        .bind(to_column(commit.step.history.len() as u64));
}

fn update_turn(batch: &mut Batch, commit: &Commit) -> Result<(), StorageError> {
    let block_seq = to_column(commit.first_seq + commit.step.events.len() as u64);
    match commit.step.end {
        Some(outcome) => batch
            .add(
                "UPDATE turns SET block_seq = $2, block_message = $3, checkpoint = NULL,
                 status = $4, tokens_used = $5, cost_micros = $6, ended_at = $7
                 WHERE id = $1 AND status = 'running'",
            )
            .bind(commit.turn.to_string())
            .bind(block_seq)
            .bind(commit.block_message.to_string())
            .bind(outcome.status.as_str())
            .bind(outcome.tokens_used.map(to_column))
            .bind(outcome.cost_micros.map(to_column))
            .bind(commit.now.0),
        None => batch
            .add(
                "UPDATE turns SET block_seq = $2, block_message = $3,
                 checkpoint = COALESCE($4, checkpoint) WHERE id = $1",
            )
            .bind(commit.turn.to_string())
            .bind(block_seq)
            .bind(commit.block_message.to_string())
            .bind(commit.step.checkpoint.as_ref().map(to_json).transpose()?),
    };
    Ok(())
}
