//! The numbered log of a conversation, read from any event id, a page at a time.
//!
//! A page is bounded in entries and in bytes, so the memory of a reader is bounded
//! however long the log is. An entry that is larger than a page comes without its
//! content, which is read alone ([`Store::log_entry`]).

use std::sync::LazyLock;

use parlor_database::{Connection, Row, query};
use parlor_protocol::{
    ConversationId, EventBody, EventId, MessageId, MessageType, Role, Visibility,
};

use crate::block_kind::BlockKind;
use crate::columns::{counter, json, parsed, to_column};
use crate::error::StorageError;
use crate::served::Served;
use crate::store::Store;
use crate::tables::events::Logged;
use crate::tables::{messages, text_blocks};

/// Whether a running turn streams its text under this number.
const IS_OPEN: &str = "(e.kind = 'block' AND m.id IS NULL AND EXISTS (SELECT 1 FROM turns t
     WHERE t.conversation_id = e.conversation_id AND t.status = 'running'
     AND t.block_seq = e.seq))";

/// How many logs one statement asks about.
const LOGS_AT_ONCE: usize = 100;

/// The last number of logs, and how many bytes of text that is not in a message yet.
static LOG_ENDS: LazyLock<String> = LazyLock::new(|| {
    let ids: Vec<String> = (1..=LOGS_AT_ONCE).map(|number| format!("${number}")).collect();
    format!(
        "SELECT c.id, c.visibility, CAST(COALESCE((SELECT MAX(e.seq) FROM events e
             WHERE e.conversation_id = c.id), 0) AS BIGINT) AS seq,
         CAST(COALESCE((SELECT SUM(octet_length(d.clean)) FROM deltas d
             WHERE d.conversation_id = c.id), 0) AS BIGINT) AS bytes
         FROM conversations c WHERE c.deleted_at IS NULL AND c.id IN ({})",
        ids.join(", ")
    )
});

/// The bounds of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSize {
    /// The most entries.
    pub entries: u32,
    /// The most bytes of all entries together. An entry that is larger alone is `Large`.
    pub bytes: u64,
}

/// What the log has under one number.
#[derive(Debug, Clone, PartialEq)]
pub enum LogEntry {
    /// An event.
    Event(Logged),
    /// A text block.
    TextBlock {
        /// Its number.
        seq: u64,
        /// The message that the text is part of.
        message: MessageId,
        /// Text or thinking.
        kind: BlockKind,
        /// Its text, as far as it is stored.
        text: Served<String>,
        /// Whether a turn still writes it: then readers may have seen more.
        is_open: bool,
    },
    /// An event that is larger than a page.
    LargeEvent {
        /// Its number.
        seq: u64,
        /// The message that it is, if it is one.
        message: Option<(MessageId, Role, MessageType)>,
    },
    /// A text block that is larger than a page.
    LargeTextBlock {
        /// Its number.
        seq: u64,
        /// The message that the text is part of.
        message: MessageId,
        /// Text or thinking.
        kind: BlockKind,
        /// The bytes of its text, as far as it is stored.
        length: u64,
        /// Whether a turn still writes it.
        is_open: bool,
    },
}

/// How far the log of a conversation is stored, and who sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogEnd {
    /// The conversation.
    pub conversation: ConversationId,
    /// The last event, or how much of the text that streams.
    pub end: EventId,
    /// Who sees it.
    pub visibility: Visibility,
}

impl LogEntry {
    /// Its number.
    pub fn seq(&self) -> u64 {
        match self {
            Self::Event(logged) => logged.id.seq,
            Self::TextBlock { seq, .. }
            | Self::LargeEvent { seq, .. }
            | Self::LargeTextBlock { seq, .. } => *seq,
        }
    }
}

impl Store {
    /// The entries after an event id, at most a page of them. An id inside a text block
    /// gives that block again, for the rest of its text.
    pub async fn log_after(
        &self,
        conversation: ConversationId,
        after: EventId,
        page: PageSize,
    ) -> Result<Vec<LogEntry>, StorageError> {
        let mut snapshot = self.snapshot().await?;
        let sizes = sizes(&mut snapshot, conversation, after, page.entries).await?;
        let Some(first) = sizes.first() else { return Ok(Vec::new()) };
        if first.try_get::<i64>("bytes")? > to_column(page.bytes) {
            return Ok(vec![large(first)?]);
        }
        let mut last = counter(first, "event_seq")?;
        let mut left = page.bytes;
        for row in &sizes {
            let Some(rest) = left.checked_sub(counter(row, "bytes")?) else { break };
            left = rest;
            last = counter(row, "event_seq")?;
        }
        between(&mut snapshot, conversation, counter(first, "event_seq")?, last).await
    }

    /// The entry under one number, complete, however large it is.
    pub async fn log_entry(
        &self,
        conversation: ConversationId,
        seq: u64,
    ) -> Result<Option<LogEntry>, StorageError> {
        let mut snapshot = self.snapshot().await?;
        Ok(between(&mut snapshot, conversation, seq, seq).await?.pop())
    }

    /// How far the logs of conversations are stored. One that does not exist, or was deleted,
    /// is left out.
    pub async fn log_ends(
        &self,
        conversations: &[ConversationId],
    ) -> Result<Vec<LogEnd>, StorageError> {
        let mut ends = Vec::with_capacity(conversations.len());
        for some in conversations.chunks(LOGS_AT_ONCE) {
            // Always the same number of values, so that the statement stays prepared.
            let values = some.iter().chain(std::iter::repeat(&some[0])).take(LOGS_AT_ONCE);
            let ids = values.fold(query(LOG_ENDS.as_str()), |query, id| query.bind(id.to_string()));
            for row in ids.fetch_all(self.reader()).await? {
                let (seq, bytes) = (counter(&row, "seq")?, counter(&row, "bytes")?);
                let end = match bytes {
                    0 => EventId::durable(seq),
                    bytes => EventId::delta(seq, bytes),
                };
                let visibility = Visibility::from_name(row.try_get("visibility")?);
                ends.push(LogEnd { conversation: parsed(&row, "id")?, end, visibility });
            }
        }
        Ok(ends)
    }
}

/// The sizes of the next entries, which the database knows without reading them.
async fn sizes(
    snapshot: &mut Connection,
    conversation: ConversationId,
    after: EventId,
    limit: u32,
) -> Result<Vec<Row>, StorageError> {
    let rows = query(format!(
        "SELECT e.seq AS event_seq, e.kind, e.message_id AS block_message, m.id, m.role,
             m.message_type, {IS_OPEN} AS is_open, CASE WHEN e.kind = 'block' THEN e.body END AS block_kind,
             CAST(CASE WHEN e.kind = 'block' THEN COALESCE(octet_length(m.content),
                 (SELECT SUM(octet_length(d.clean)) FROM deltas d
                  WHERE d.conversation_id = e.conversation_id AND d.block = e.seq), 0)
             ELSE octet_length(e.body) + COALESCE(octet_length(m.content), 0)
                 + COALESCE(octet_length(m.data), 0) + COALESCE(octet_length(m.options), 0)
                 + COALESCE(octet_length(m.questions), 0) + COALESCE(octet_length(m.metadata), 0)
             END AS BIGINT) AS bytes
         FROM events e
         LEFT JOIN messages m ON e.kind IN ('message', 'block') AND m.id = e.message_id
         WHERE e.conversation_id = $1 AND (e.seq > $2 OR (e.seq = $2 AND e.kind = 'block' AND $3))
         ORDER BY e.seq LIMIT $4"
    ))
    .bind(conversation.to_string())
    .bind(to_column(after.seq))
    .bind(after.offset.is_some())
    .bind(i64::from(limit))
    .fetch_all(snapshot)
    .await?;
    Ok(rows)
}

/// An entry that is larger than a page, without its content.
fn large(row: &Row) -> Result<LogEntry, StorageError> {
    let seq = counter(row, "event_seq")?;
    let kind: &str = row.try_get("kind")?;
    if kind == "block" {
        return Ok(LogEntry::LargeTextBlock {
            seq,
            message: parsed(row, "block_message")?,
            kind: BlockKind::from_column(row, "block_kind")?,
            length: counter(row, "bytes")?,
            is_open: row.try_get("is_open")?,
        });
    }
    let message = match kind {
        "message" => Some((
            parsed(row, "id")?,
            messages::role_from_name(row.try_get("role")?),
            MessageType::from_name(row.try_get("message_type")?),
        )),
        _ => None,
    };
    Ok(LogEntry::LargeEvent { seq, message })
}

/// The entries from one number to another, complete.
async fn between(
    snapshot: &mut Connection,
    conversation: ConversationId,
    first: u64,
    last: u64,
) -> Result<Vec<LogEntry>, StorageError> {
    let rows = query(format!(
        "SELECT e.seq AS event_seq, e.kind, e.body, e.message_id AS block_message,
             {IS_OPEN} AS is_open, m.*
         FROM events e
         LEFT JOIN messages m ON e.kind IN ('message', 'block') AND m.id = e.message_id
         WHERE e.conversation_id = $1 AND e.seq BETWEEN $2 AND $3
         ORDER BY e.seq"
    ))
    .bind(conversation.to_string())
    .bind(to_column(first))
    .bind(to_column(last))
    .fetch_all(&mut *snapshot)
    .await?;
    let mut entries = Vec::with_capacity(rows.len());
    for row in &rows {
        entries.push(entry(snapshot, conversation, row).await?);
    }
    Ok(entries)
}

async fn entry(
    snapshot: &mut Connection,
    conversation: ConversationId,
    row: &Row,
) -> Result<LogEntry, StorageError> {
    let seq = counter(row, "event_seq")?;
    let event =
        |body| Ok(LogEntry::Event(Logged { id: EventId::durable(seq), body: Served::new(body) }));
    match row.try_get::<&str>("kind")? {
        "message" => event(EventBody::Message(Box::new(messages::message(row)?))),
        "block" => {
            let message: MessageId = parsed(row, "block_message")?;
            // Once the message is stored, the block has its text.
            let text = match row.try_get::<Option<String>>("content")? {
                Some(content) => content,
                None => text_blocks::clean_text(snapshot, conversation, seq).await?,
            };
            let kind = BlockKind::from_column(row, "body")?;
            let is_open = row.try_get("is_open")?;
            Ok(LogEntry::TextBlock { seq, message, kind, text: Served::new(text), is_open })
        }
        _ => event(json(row, "body")?),
    }
}
