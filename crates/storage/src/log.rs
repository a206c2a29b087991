//! The numbered log of a conversation: writing to it, and reading from any place.

use parlor_guard::Clean;
use parlor_protocol::message::Message;
use parlor_protocol::{ConversationId, EventBody, EventId, MessageId, Timestamp, TurnId};
use parlor_sqlite::Batch;
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use crate::deltas::{self, Block};
use crate::error::StorageError;
use crate::prompts::PromptWrite;
use crate::rows::{counter, json, parsed, to_column, to_json};
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

/// What stands at one number of the log.
#[derive(Debug, Clone, PartialEq)]
pub enum LogEntry {
    /// An event.
    Event(Logged),
    /// A place in which text streamed.
    Block {
        /// Its number.
        seq: u64,
        /// The message that the text is part of.
        message: MessageId,
        /// Whether it is reasoning.
        thinking: bool,
        /// What is stored of it.
        text: Served<String>,
    },
}

impl LogEntry {
    /// Its number.
    pub fn seq(&self) -> u64 {
        match self {
            Self::Event(logged) => logged.id.seq,
            Self::Block { seq, .. } => *seq,
        }
    }
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

    /// What stands in the log after a place, at most `limit` numbers of it. A
    /// place inside a block gives that block again, for the rest of its text.
    pub async fn log_after(
        &self,
        conversation: ConversationId,
        after: EventId,
        limit: u32,
    ) -> Result<Vec<LogEntry>, StorageError> {
        let mut moment = self.reader().begin().await?;
        let rows = sqlx::query(
            "SELECT e.seq AS event_seq, e.kind, e.body, e.message_id AS block_message, m.*
             FROM events e
             LEFT JOIN messages m ON e.kind IN ('message', 'block') AND m.id = e.message_id
             WHERE e.conversation_id = $1 AND (e.seq > $2 OR (e.seq = $2 AND e.kind = 'block' AND $3))
             ORDER BY e.seq LIMIT $4",
        )
        .bind(conversation.to_string())
        .bind(to_column(after.seq))
        .bind(after.offset.is_some())
        .bind(i64::from(limit))
        .fetch_all(&mut *moment)
        .await?;
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            entries.push(entry(&mut moment, conversation, row).await?);
        }
        Ok(entries)
    }
}

impl Store {
    /// The message that streamed at a number of the log of which nothing was
    /// stored before the server went down.
    pub async fn lost_block(
        &self,
        conversation: ConversationId,
        seq: u64,
    ) -> Result<Option<MessageId>, StorageError> {
        let row = sqlx::query(
            "SELECT block_message FROM turns WHERE conversation_id = $1 AND block_seq = $2
             AND NOT EXISTS (SELECT 1 FROM events e WHERE e.conversation_id = $1 AND e.seq = $2)",
        )
        .bind(conversation.to_string())
        .bind(to_column(seq))
        .fetch_optional(self.reader())
        .await?;
        row.map(|row| parsed(&row, "block_message")).transpose()
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

async fn entry(
    moment: &mut SqliteConnection,
    conversation: ConversationId,
    row: &SqliteRow,
) -> Result<LogEntry, StorageError> {
    let seq = counter(row, "event_seq")?;
    let event =
        |body| Ok(LogEntry::Event(Logged { id: EventId::durable(seq), body: Served::new(body) }));
    match row.try_get::<&str, _>("kind")? {
        "message" => event(EventBody::Message(Box::new(messages::message(row)?))),
        "block" => {
            let message: MessageId = parsed(row, "block_message")?;
            // Once the message is there, its words are the block's.
            let text = match row.try_get::<Option<String>, _>("content")? {
                Some(content) => content,
                None => deltas::clean_text(moment, conversation, seq).await?,
            };
            Ok(LogEntry::Block {
                seq,
                message,
                thinking: row.try_get::<&str, _>("body")? == "thinking",
                text: Served::new(text),
            })
        }
        _ => event(json(row, "body")?),
    }
}
