//! The numbered log of a conversation: writing to it. Reading is in [`crate::log_pages`].

use parlor_guard::Clean;
use parlor_protocol::message::Message;
use parlor_protocol::{ConversationId, EventBody, EventId, MessageId, Timestamp, TurnId};
use parlor_sqlite::Batch;
use serde_json::Value;

use crate::deltas::{self, Block};
use crate::error::StorageError;
use crate::history::HistoryPart;
use crate::images::{self, NewImage};
use crate::prompts::PromptWrite;
use crate::rows::{to_column, to_json};
use crate::served::Served;
use crate::store::Store;
use crate::tool_runs::RunWrite;
use crate::turns::TurnStatus;
use crate::{history, messages, prompts, tool_runs};

/// An event with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// Its place.
    pub id: EventId,
    /// What happened.
    pub body: Served<EventBody>,
}

/// One atomic write of a running turn.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Where.
    pub conversation: ConversationId,
    /// Under which epoch.
    pub epoch: u64,
    /// The turn.
    pub turn: TurnId,
    /// The number of the first event.
    pub first_seq: u64,
    /// What happened, numbered from `first_seq`.
    pub events: Vec<NewEvent>,
    /// The block whose words are in one of these events now.
    pub closes_block: Option<Block>,
    /// What the model said, for the model.
    pub history: Vec<Value>,
    /// Pictures that these events name.
    pub images: Vec<NewImage>,
    /// Parts of the history that say something else now.
    pub amends: Vec<HistoryPart>,
    /// Where the agent can go on after a crash.
    pub checkpoint: Option<Value>,
    /// How far tool calls are.
    pub runs: Vec<RunWrite>,
    /// Prompts that open, or whose end is told.
    pub prompts: Vec<PromptWrite>,
    /// The message that streams next, if text does.
    pub block_message: MessageId,
    /// Set if the turn ends with this write.
    pub end: Option<TurnEnd>,
    /// When.
    pub now: Timestamp,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// What it is.
    pub body: Clean<EventBody>,
    /// The message, if it is one: it is stored as a message too.
    pub message: Option<Clean<Message>>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnEnd {
    /// How.
    pub status: TurnStatus,
    /// Tokens in and out, if they are known.
    pub tokens_used: Option<u64>,
    /// Millionths of a dollar, if the agent says what it cost.
    pub cost_micros: Option<u64>,
}

impl Store {
    /// Writes a step of a turn, all or nothing, and gives back what may be
    /// shown now. Whoever writes with an old epoch is `TakenOver`.
    pub async fn commit(&self, commit: &Commit) -> Result<Vec<Logged>, StorageError> {
        let mut batch = Batch::claiming();
        advance(&mut batch, commit);
        for (seq, event) in (commit.first_seq..).zip(&commit.events) {
            if let Some(message) = &event.message {
                messages::put(&mut batch, seq, message)?;
            }
        }
        let bodies = commit.events.iter().map(|event| &event.body);
        let logged = insert(
            &mut batch, commit.conversation, commit.turn, commit.first_seq, bodies, commit.now,
        )?;
        if let Some(block) = &commit.closes_block {
            deltas::close(&mut batch, commit, block);
        }
        history::append(&mut batch, commit.conversation, commit.turn, &commit.history)?;
        for image in &commit.images {
            images::put(&mut batch, commit.conversation, image, commit.now);
        }
        for part in &commit.amends {
            history::amend(&mut batch, commit.conversation, part)?;
        }
        for run in &commit.runs {
            tool_runs::apply(&mut batch, commit.conversation, commit.turn, run, commit.now)?;
        }
        for prompt in &commit.prompts {
            prompts::apply(&mut batch, commit.turn, prompt, commit.now)?;
        }
        update_turn(&mut batch, commit)?;
        self.run(batch).await?;
        Ok(logged)
    }
}

/// Claims the numbers of a commit, and, unless the turn ends with it, one more
/// for the text that streams next.
fn advance(batch: &mut Batch, commit: &Commit) {
    let streams_on = u64::from(commit.end.is_none());
    let next = commit.first_seq + commit.events.len() as u64 + streams_on;
    batch
        .add(
            "UPDATE conversations SET next_seq = $3, updated_at = $4,
             next_position = next_position + $5 WHERE id = $1 AND epoch = $2",
        )
        .bind(commit.conversation.to_string())
        .bind(to_column(commit.epoch))
        .bind(to_column(next))
        .bind(commit.now.0)
        .bind(to_column(commit.history.len() as u64));
}

/// Writes events, numbered from `first` on. A message's words are in its own row.
pub(crate) fn insert<'e>(
    batch: &mut Batch,
    conversation: ConversationId,
    turn: TurnId,
    first: u64,
    events: impl IntoIterator<Item = &'e Clean<EventBody>>,
    now: Timestamp,
) -> Result<Vec<Logged>, StorageError> {
    let mut logged = Vec::new();
    let mut rows = Vec::new();
    for (seq, event) in (first..).zip(events) {
        rows.push(match event.get() {
            EventBody::Message(message) => {
                (seq, "message", Some(message.id.to_string()), String::new())
            }
            other => (seq, "event", None, to_json(other)?),
        });
        let body = Served::new(event.get().clone());
        logged.push(Logged { id: EventId::durable(seq), body });
    }
    let columns = "events (conversation_id, seq, turn_id, kind, message_id, body, created_at)";
    batch.insert(columns, rows, |row, (seq, kind, message, body)| {
        row.bind(conversation.to_string())
            .bind(to_column(seq))
            .bind(turn.to_string())
            .bind(kind)
            .bind(message)
            .bind(body)
            .bind(now.0);
    });
    Ok(logged)
}

fn update_turn(batch: &mut Batch, commit: &Commit) -> Result<(), StorageError> {
    let block_seq = to_column(commit.first_seq + commit.events.len() as u64);
    match commit.end {
        Some(end) => batch
            .add(
                "UPDATE turns SET block_seq = $2, block_message = $3, checkpoint = NULL,
                 status = $4, tokens_used = $5, cost_micros = $6, ended_at = $7
                 WHERE id = $1 AND status = 'running'",
            )
            .bind(commit.turn.to_string())
            .bind(block_seq)
            .bind(commit.block_message.to_string())
            .bind(end.status.as_str())
            .bind(end.tokens_used.map(to_column))
            .bind(end.cost_micros.map(to_column))
            .bind(commit.now.0),
        None => batch
            .add(
                "UPDATE turns SET block_seq = $2, block_message = $3,
                 checkpoint = COALESCE($4, checkpoint) WHERE id = $1",
            )
            .bind(commit.turn.to_string())
            .bind(block_seq)
            .bind(commit.block_message.to_string())
            .bind(commit.checkpoint.as_ref().map(to_json).transpose()?),
    };
    Ok(())
}
