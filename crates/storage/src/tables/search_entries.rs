//! The index of words: what of a conversation is found, and when it is written (U-8).
//!
//! A message enters the index in the write that stores it, a title in the write that gives it. What
//! was there before the index comes in afterwards, a page at a time ([`Store::index_more`]).

use parlor_database::{Batch, query};
use parlor_guard::Clean;
use parlor_protocol::message::Message;
use parlor_protocol::{ConversationId, MessageType, Role, Timestamp};

use crate::columns::parsed;
use crate::error::StorageError;
use crate::search_text::words::indexed;
use crate::store::Store;
use crate::tables::messages::role_from_name;

/// The latest time that an entry has: its number must fit.
const LATEST: i64 = (1 << 42) - 1;
/// How many rows of what was there before are looked at in one step.
const ROWS: i64 = 200;
/// No id is above it: they are hexadecimal.
const ABOVE_ALL_IDS: &str = "g";

/// Adds a message, or what it says now. One that nobody searches for stays out.
pub(crate) fn put(batch: &mut Batch, message: &Clean<Message>) {
    let message = message.get();
    if is_found(message.role, &message.message_type) {
        let (id, at) = (message.id.to_string(), message.created_at);
        insert(batch, id, message.conversation_id, at, &message.content);
    }
}

/// Adds the title of a conversation, or its new one.
pub(crate) fn put_title(batch: &mut Batch, id: ConversationId, title: &str) {
    batch
        .add(
            "INSERT INTO search_writes (id, conversation_id, at, words)
             SELECT c.id, c.id, CASE WHEN c.updated_at BETWEEN 0 AND $3 THEN c.updated_at ELSE 0 END,
             $2 FROM conversations c WHERE c.id = $1",
        )
        .bind(id.to_string())
        .bind(indexed(title))
        .bind(LATEST);
}

/// The one place that says which messages are found: what people and agents say. What tools did, what
/// failed and how an agent reasons is not.
pub(crate) fn is_found(role: Role, message_type: &MessageType) -> bool {
    let says_something = match message_type {
        MessageType::Text
        | MessageType::Question
        | MessageType::MultiQuestion
        | MessageType::Info
        | MessageType::Plan
        | MessageType::Unknown(_) => true,
        MessageType::ToolResult
        | MessageType::Error
        | MessageType::Thinking
        | MessageType::ToolCall => false,
    };
    match role {
        Role::User | Role::Assistant => says_something,
        Role::Tool => false,
    }
}

fn insert(batch: &mut Batch, id: String, of: ConversationId, at: Timestamp, text: &str) {
    batch
        .add("INSERT INTO search_writes (id, conversation_id, at, words) VALUES ($1, $2, $3, $4)")
        .bind(id)
        .bind(of.to_string())
        .bind(at.0.clamp(0, LATEST))
        .bind(indexed(text));
}

/// How far [`Store::index_more`] came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexStep {
    /// There may be older rows, below this id.
    Below(String),
    /// Everything that was there before is in the index.
    Done,
}

impl Store {
    /// Adds to the index what was there before it and is below an id, one step of it, the newest
    /// first; without an id, from the newest on.
    pub async fn index_more(&self, below: Option<&str>) -> Result<IndexStep, StorageError> {
        let missing = |table: &str| {
            format!(
                "NOT EXISTS (SELECT 1 FROM search_entries e WHERE e.id = {table}.id) AS missing"
            )
        };
        let (of_message, of_title) = (missing("m"), missing("c"));
        let rows = query(format!(
            "SELECT m.id AS id, m.conversation_id, m.role, m.message_type, m.content, m.created_at,
                 FALSE AS is_title, {of_message}
             FROM messages m WHERE m.id < $1 AND m.id >= $2
             UNION ALL
             SELECT c.id AS id, c.id, '', '', c.title, c.created_at, TRUE, {of_title}
             FROM conversations c WHERE c.id < $1 AND c.id >= $2 AND c.title <> ''
             ORDER BY id DESC LIMIT $3"
        ))
        .bind(below.unwrap_or(ABOVE_ALL_IDS))
        .bind(self.indexed_below().await?)
        .bind(ROWS)
        .fetch_all(self.reader())
        .await?;
        let mut batch = Batch::default();
        for row in &rows {
            let message_type = MessageType::from_name(row.try_get("message_type")?);
            let is_wanted = row.try_get("is_title")?
                || is_found(role_from_name(row.try_get("role")?), &message_type);
            if is_wanted && row.try_get("missing")? {
                let at = Timestamp(row.try_get("created_at")?);
                let of = parsed(row, "conversation_id")?;
                insert(&mut batch, row.try_get("id")?, of, at, row.try_get("content")?);
            }
        }
        if !batch.is_empty() {
            self.run(batch).await?;
        }
        match rows.last() {
            Some(last) => Ok(IndexStep::Below(last.try_get("id")?)),
            None => Ok(IndexStep::Done),
        }
    }

    /// From now on only what has come since then is looked at. Ids begin with their time.
    pub async fn set_indexed_before(&self, then: Timestamp) -> Result<(), StorageError> {
        let ms = u64::try_from(then.0).unwrap_or_default();
        let mut batch = Batch::default();
        batch
            .add(
                "INSERT INTO search_progress (one, indexed_below) VALUES (1, $1)
                 ON CONFLICT (one) DO UPDATE SET indexed_below = $1",
            )
            .bind(format!("{:08x}-{:04x}", ms >> 16, ms & 0xFFFF));
        self.run(batch).await
    }

    async fn indexed_below(&self) -> Result<String, StorageError> {
        let row = query("SELECT indexed_below FROM search_progress WHERE one = 1")
            .fetch_optional(self.reader())
            .await?;
        match row {
            Some(row) => Ok(row.try_get("indexed_below")?),
            None => Ok(String::new()),
        }
    }
}
