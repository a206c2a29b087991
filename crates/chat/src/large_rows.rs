//! Entries of the log that are too large to be held for every reader.
//!
//! A reader has a place inside such an entry and asks for one piece after the
//! other; between two pieces it holds nothing. The bytes are here, once for all
//! readers, and bounded in total: what was not asked for longest is dropped, and
//! read from storage again if somebody comes back to it. So a fast reader finds
//! all pieces here, and a thousand slow ones cost a piece each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_protocol::{ConversationId, EventId, MessageId, MessageType, Role};
use parlor_storage::{LogEntry, Logged, Served, StorageError, Store};
use tokio::sync::Semaphore;

use crate::entries::PIECE;

/// The most that is held for all readers, in bytes, unless one entry is larger.
const MOST_HELD: usize = 32 << 20;
const RETRY: Duration = Duration::from_secs(1);

/// Writes a whole event in a dialect's words.
pub type WriteEvent = fn(ConversationId, &Logged) -> Vec<u8>;

/// A large event of a conversation. It holds no bytes of it.
#[derive(Debug, Clone)]
pub struct LargeEvent {
    pub(crate) source: Arc<Source>,
    pub(crate) seq: u64,
    pub(crate) message: Option<(MessageId, Role, MessageType)>,
}

/// A large event on its way to one reader, piece by piece.
#[derive(Debug)]
pub struct LargePieces {
    event: LargeEvent,
    dialect: &'static str,
    write: WriteEvent,
    sent: usize,
    /// What the event looked like when its first piece was sent.
    version: Option<u64>,
}

/// The next bytes of a large event.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    /// The bytes. In a text, they end where a character does.
    pub bytes: Vec<u8>,
    /// Whether they are the first.
    pub is_first: bool,
    /// Whether they are the last.
    pub is_last: bool,
}

impl LargeEvent {
    /// Its place in the log.
    pub fn id(&self) -> EventId {
        EventId::durable(self.seq)
    }

    /// The message that it is, if it is one.
    pub fn message(&self) -> Option<&(MessageId, Role, MessageType)> {
        self.message.as_ref()
    }

    /// Its pieces, as a dialect writes it. Readers of the same dialect share bytes.
    pub fn pieces(self, dialect: &'static str, write: WriteEvent) -> LargePieces {
        LargePieces { event: self, dialect, write, sent: 0, version: None }
    }
}

impl LargePieces {
    /// The next piece. `None` if the event is no longer what it was when the first
    /// piece was sent: the reader has to come back. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Piece> {
        let Self { event, dialect, write, sent, version } = self;
        let row = event.source.written(event.seq, dialect, *write).await?;
        if *version.get_or_insert(row.version) != row.version {
            return None;
        }
        let Content::Written(all) = &row.content else { return None };
        let rest = all.get(*sent..)?;
        let bytes = rest[..end_of_piece(rest)].to_vec();
        let is_first = *sent == 0;
        *sent += bytes.len();
        Some(Piece { bytes, is_first, is_last: *sent == all.len() })
    }
}

/// Where the large entries of a conversation come from.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) store: Store,
    pub(crate) rows: Arc<LargeRows>,
    pub(crate) conversation: ConversationId,
}

impl Source {
    /// The text of a large block; `None` if it is gone.
    pub(crate) async fn text(&self, seq: u64, length: u64) -> Option<Arc<Row>> {
        // Text that still streams gets longer: each length is an entry of its own.
        let key = Key { conversation: self.conversation, seq, form: Form::Text { length } };
        self.row(key, |entry| match entry {
            LogEntry::TextBlock { text, .. } => Some(Content::Text(text)),
            _ => None,
        })
        .await
    }

    async fn written(
        &self,
        seq: u64,
        dialect: &'static str,
        write: WriteEvent,
    ) -> Option<Arc<Row>> {
        let conversation = self.conversation;
        let key = Key { conversation, seq, form: Form::Written { dialect } };
        self.row(key, move |entry| match entry {
            LogEntry::Event(logged) => Some(Content::Written(write(conversation, &logged))),
            _ => None,
        })
        .await
    }

    async fn row(
        &self,
        key: Key,
        make: impl FnOnce(LogEntry) -> Option<Content> + Clone + Send + 'static,
    ) -> Option<Arc<Row>> {
        loop {
            match self.try_row(key, make.clone()).await {
                Ok(row) => return row,
                Err(error) => {
                    tracing::warn!(%error, "the log cannot be read yet; trying again");
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }

    async fn try_row(
        &self,
        key: Key,
        make: impl FnOnce(LogEntry) -> Option<Content> + Send + 'static,
    ) -> Result<Option<Arc<Row>>, StorageError> {
        if let Some(row) = self.rows.find(key) {
            return Ok(Some(row));
        }
        // One at a time: of many who want the same, one reads it, and what is being
        // read is bounded too.
        let Ok(_turn) = self.rows.loading.acquire().await else { return Ok(None) };
        if let Some(row) = self.rows.find(key) {
            return Ok(Some(row));
        }
        let Some(entry) = self.store.log_entry(key.conversation, key.seq).await? else {
            return Ok(None);
        };
        // Megabytes take milliseconds, and not those of a thread that serves.
        let row = tokio::task::spawn_blocking(move || make(entry).map(Row::new)).await;
        Ok(row.ok().flatten().map(|row| self.rows.add(key, row)))
    }
}

/// What is held for all readers of all conversations.
#[derive(Debug)]
pub(crate) struct LargeRows {
    held: Mutex<Held>,
    loading: Semaphore,
}

#[derive(Debug, Default)]
struct Held {
    rows: HashMap<Key, (Arc<Row>, u64)>,
    bytes: usize,
    /// Counts what is asked for: the lowest number was not asked for longest.
    asked: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    conversation: ConversationId,
    seq: u64,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Text { length: u64 },
    Written { dialect: &'static str },
}

/// One entry in one form.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) content: Content,
    version: u64,
}

#[derive(Debug)]
pub(crate) enum Content {
    Text(Served<String>),
    Written(Vec<u8>),
}

impl LargeRows {
    pub(crate) fn new() -> Self {
        Self { held: Mutex::default(), loading: Semaphore::new(1) }
    }

    fn find(&self, key: Key) -> Option<Arc<Row>> {
        let mut held = self.lock();
        held.asked += 1;
        let now = held.asked;
        let (row, asked) = held.rows.get_mut(&key)?;
        *asked = now;
        Some(Arc::clone(row))
    }

    fn add(&self, key: Key, row: Row) -> Arc<Row> {
        let mut held = self.lock();
        held.make_room(row.len());
        let (row, asked) = (Arc::new(row), held.asked);
        held.bytes += row.len();
        if let Some((replaced, _)) = held.rows.insert(key, (Arc::clone(&row), asked)) {
            held.bytes -= replaced.len();
        }
        row
    }

    /// Drops everything. Whoever still needs it reads it again.
    pub(crate) fn clear(&self) {
        *self.lock() = Held::default();
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn make_room(&mut self, bytes: usize) {
        while self.bytes + bytes > MOST_HELD {
            let oldest = self.rows.iter().min_by_key(|(_, (_, asked))| *asked);
            let Some(key) = oldest.map(|(key, _)| *key) else { return };
            if let Some((dropped, _)) = self.rows.remove(&key) {
                self.bytes -= dropped.len();
            }
        }
    }
}

impl Row {
    fn new(content: Content) -> Self {
        let mut hasher = DefaultHasher::new();
        match &content {
            // Which text it is, is in its key.
            Content::Text(_) => {}
            Content::Written(bytes) => bytes.hash(&mut hasher),
        }
        Self { content, version: hasher.finish() }
    }

    fn len(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.get().len(),
            Content::Written(bytes) => bytes.len(),
        }
    }
}

/// A piece ends where a character does: no byte of its rest is inside one.
fn end_of_piece(bytes: &[u8]) -> usize {
    if bytes.len() <= PIECE {
        return bytes.len();
    }
    let is_inside = |at: &usize| bytes[*at] & 0xC0 == 0x80;
    (PIECE - 3..=PIECE).rev().find(|at| !is_inside(at)).unwrap_or(PIECE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seq: u64) -> Key {
        let conversation = ConversationId::new(uuid::Uuid::from_u128(1));
        Key { conversation, seq, form: Form::Written { dialect: "test" } }
    }

    fn row(bytes: usize) -> Row {
        Row::new(Content::Written(vec![b'x'; bytes]))
    }

    /// FAULTS 8: what is held for readers is bounded in total, whoever asks for what.
    #[test]
    fn what_is_held_is_bounded_and_the_oldest_goes_first() {
        let rows = LargeRows::new();
        for seq in 0..100 {
            rows.add(key(seq), row(MOST_HELD / 4));
            assert!(rows.find(key(0)).is_some(), "the first is asked for all the time");
        }
        assert!(rows.bytes() <= MOST_HELD);
        assert!(rows.find(key(1)).is_none() && rows.find(key(99)).is_some());
        rows.add(key(200), row(MOST_HELD * 2));
        assert_eq!(rows.bytes(), MOST_HELD * 2, "one that is larger is alone");
        rows.add(key(200), row(7));
        assert_eq!(rows.bytes(), 7, "and is counted once");
        rows.clear();
        assert_eq!(rows.bytes(), 0);
    }

    #[test]
    fn pieces_end_where_characters_do() {
        for text in ["x".repeat(PIECE * 2), "é".repeat(PIECE), "x€😀".repeat(PIECE)] {
            let mut rest = text.as_bytes();
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(end_of_piece(rest));
                assert!(std::str::from_utf8(piece).is_ok() && piece.len() <= PIECE);
                rest = after;
            }
        }
    }
}
