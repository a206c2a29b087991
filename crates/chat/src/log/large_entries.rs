//! Log entries that are too large to be held for every reader: an LRU cache that all
//! readers share.
//!
//! A reader has a position inside such an entry and reads it piece by piece; between two
//! pieces it holds nothing. The cache is bounded in total, and a dropped entry is read from
//! storage again. So a fast reader finds all pieces in the cache, and a thousand slow ones
//! cost a piece each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_protocol::{ConversationId, EventId, MessageId, MessageType, Role};
use parlor_storage::{LogEntry, Logged, Served, StorageError, Store};
use tokio::sync::Semaphore;

use super::entries::PIECE;

/// The most bytes in the cache, unless one entry is larger.
const MAX_CACHED: usize = 32 << 20;
const RETRY: Duration = Duration::from_secs(1);

/// Encodes a whole event in a dialect.
pub type WriteEvent = fn(ConversationId, &Logged) -> Vec<u8>;

/// A large event of a conversation, without its bytes.
#[derive(Debug, Clone)]
pub struct LargeEvent {
    pub(super) source: Arc<Source>,
    pub(super) seq: u64,
    pub(super) message: Option<(MessageId, Role, MessageType)>,
}

/// A large event on its way to one reader, piece by piece.
#[derive(Debug)]
pub struct LargePieces {
    event: LargeEvent,
    dialect: &'static str,
    write: WriteEvent,
    sent: usize,
    /// The hash of the event when its first piece was sent.
    version: Option<u64>,
}

/// The next bytes of a large event.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece {
    /// The bytes. They end at a character boundary.
    pub bytes: Vec<u8>,
    /// Whether they are the first.
    pub is_first: bool,
    /// Whether they are the last.
    pub is_last: bool,
}

impl LargeEvent {
    /// Its event id.
    pub fn id(&self) -> EventId {
        EventId::durable(self.seq)
    }

    /// The message that it is, if it is one.
    pub fn message(&self) -> Option<&(MessageId, Role, MessageType)> {
        self.message.as_ref()
    }

    /// All of it, for a dialect that has to read it; `None` if it is gone.
    pub async fn whole(&self) -> Result<Option<Logged>, StorageError> {
        let entry = self.source.store.log_entry(self.source.conversation, self.seq).await?;
        Ok(match entry {
            Some(LogEntry::Event(logged)) => Some(logged),
            _ => None,
        })
    }

    /// Its pieces, as a dialect encodes it. Readers of the same dialect share the bytes.
    pub fn pieces(self, dialect: &'static str, write: WriteEvent) -> LargePieces {
        LargePieces { event: self, dialect, write, sent: 0, version: None }
    }
}

impl LargePieces {
    /// The next piece. `None` if the event has changed since its first piece was sent: the
    /// reader has to start again. Cancel-safe.
    pub async fn next(&mut self) -> Option<Piece> {
        let Self { event, dialect, write, sent, version } = self;
        let entry = event.source.encoded(event.seq, dialect, *write).await?;
        if *version.get_or_insert(entry.version) != entry.version {
            return None;
        }
        let Content::Encoded(all) = &entry.content else { return None };
        let rest = all.get(*sent..)?;
        let bytes = rest[..end_of_piece(rest)].to_vec();
        let is_first = *sent == 0;
        *sent += bytes.len();
        Some(Piece { bytes, is_first, is_last: *sent == all.len() })
    }
}

/// Reads the log of one conversation from storage, large entries through the cache.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) store: Store,
    pub(crate) cache: Arc<LargeEntries>,
    pub(crate) conversation: ConversationId,
}

impl Source {
    /// The text of a large block; `None` if it is gone.
    pub(super) async fn text(&self, seq: u64, length: u64) -> Option<Arc<Entry>> {
        // Streaming text grows: each length is cached on its own.
        let key = Key { conversation: self.conversation, seq, form: Form::Text { length } };
        self.entry(key, |entry| match entry {
            LogEntry::TextBlock { text, .. } => Some(Content::Text(text)),
            _ => None,
        })
        .await
    }

    async fn encoded(
        &self,
        seq: u64,
        dialect: &'static str,
        write: WriteEvent,
    ) -> Option<Arc<Entry>> {
        let conversation = self.conversation;
        let key = Key { conversation, seq, form: Form::Encoded { dialect } };
        self.entry(key, move |entry| match entry {
            LogEntry::Event(logged) => Some(Content::Encoded(write(conversation, &logged))),
            _ => None,
        })
        .await
    }

    async fn entry(
        &self,
        key: Key,
        make: impl FnOnce(LogEntry) -> Option<Content> + Clone + Send + 'static,
    ) -> Option<Arc<Entry>> {
        loop {
            match self.try_entry(key, make.clone()).await {
                Ok(entry) => return entry,
                Err(error) => {
                    tracing::warn!(%error, "failed to read the log; trying again");
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }

    async fn try_entry(
        &self,
        key: Key,
        make: impl FnOnce(LogEntry) -> Option<Content> + Send + 'static,
    ) -> Result<Option<Arc<Entry>>, StorageError> {
        if let Some(entry) = self.cache.find(key) {
            return Ok(Some(entry));
        }
        // One at a time: of many readers of the same entry one loads it, and the memory
        // for loading is bounded too.
        let Ok(_permit) = self.cache.loading.acquire().await else { return Ok(None) };
        if let Some(entry) = self.cache.find(key) {
            return Ok(Some(entry));
        }
        let Some(entry) = self.store.log_entry(key.conversation, key.seq).await? else {
            return Ok(None);
        };
        // Encoding megabytes takes milliseconds: not on a thread that serves.
        let made = tokio::task::spawn_blocking(move || make(entry).map(Entry::new)).await;
        Ok(made.ok().flatten().map(|entry| self.cache.add(key, entry)))
    }
}

/// The cache for all readers of all conversations.
#[derive(Debug)]
pub(crate) struct LargeEntries {
    cached: Mutex<Cached>,
    loading: Semaphore,
}

#[derive(Debug, Default)]
struct Cached {
    entries: HashMap<Key, (Arc<Entry>, u64)>,
    bytes: usize,
    /// Counts lookups: the entry with the lowest number is the least recently used.
    lookups: u64,
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
    Encoded { dialect: &'static str },
}

/// One log entry in one form.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) content: Content,
    version: u64,
}

#[derive(Debug)]
pub(super) enum Content {
    Text(Served<String>),
    Encoded(Vec<u8>),
}

impl LargeEntries {
    pub(crate) fn new() -> Self {
        Self { cached: Mutex::default(), loading: Semaphore::new(1) }
    }

    fn find(&self, key: Key) -> Option<Arc<Entry>> {
        let mut cached = self.lock();
        cached.lookups += 1;
        let now = cached.lookups;
        let (entry, used) = cached.entries.get_mut(&key)?;
        *used = now;
        Some(Arc::clone(entry))
    }

    fn add(&self, key: Key, entry: Entry) -> Arc<Entry> {
        let mut cached = self.lock();
        cached.evict_for(entry.len());
        let (entry, used) = (Arc::new(entry), cached.lookups);
        cached.bytes += entry.len();
        if let Some((replaced, _)) = cached.entries.insert(key, (Arc::clone(&entry), used)) {
            cached.bytes -= replaced.len();
        }
        entry
    }

    /// Empties the cache. Readers load again what they still need.
    pub(crate) fn clear(&self) {
        *self.lock() = Cached::default();
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, Cached> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cached {
    fn evict_for(&mut self, bytes: usize) {
        while self.bytes + bytes > MAX_CACHED {
            let oldest = self.entries.iter().min_by_key(|(_, (_, used))| *used);
            let Some(key) = oldest.map(|(key, _)| *key) else { return };
            if let Some((dropped, _)) = self.entries.remove(&key) {
                self.bytes -= dropped.len();
            }
        }
    }
}

impl Entry {
    fn new(content: Content) -> Self {
        let mut hasher = DefaultHasher::new();
        match &content {
            // The key identifies a text by its length.
            Content::Text(_) => {}
            Content::Encoded(bytes) => bytes.hash(&mut hasher),
        }
        Self { content, version: hasher.finish() }
    }

    fn len(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.get().len(),
            Content::Encoded(bytes) => bytes.len(),
        }
    }
}

/// The end of the next piece, at a character boundary.
fn end_of_piece(bytes: &[u8]) -> usize {
    if bytes.len() <= PIECE {
        return bytes.len();
    }
    let is_continuation = |at: &usize| bytes[*at] & 0xC0 == 0x80;
    (PIECE - 3..=PIECE).rev().find(|at| !is_continuation(at)).unwrap_or(PIECE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seq: u64) -> Key {
        let conversation = ConversationId::new(uuid::Uuid::from_u128(1));
        Key { conversation, seq, form: Form::Encoded { dialect: "test" } }
    }

    fn entry(bytes: usize) -> Entry {
        Entry::new(Content::Encoded(vec![b'x'; bytes]))
    }

    /// FAULTS 8: the cache is bounded in total, and the least recently used entry goes first.
    #[test]
    fn the_cache_is_bounded_and_the_oldest_goes_first() {
        let cache = LargeEntries::new();
        for seq in 0..100 {
            cache.add(key(seq), entry(MAX_CACHED / 4));
            assert!(cache.find(key(0)).is_some(), "the first is always in use");
        }
        assert!(cache.bytes() <= MAX_CACHED);
        assert!(cache.find(key(1)).is_none() && cache.find(key(99)).is_some());
        cache.add(key(200), entry(MAX_CACHED * 2));
        assert_eq!(cache.bytes(), MAX_CACHED * 2, "one that is larger is alone");
        cache.add(key(200), entry(7));
        assert_eq!(cache.bytes(), 7, "and is counted once");
        cache.clear();
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn pieces_end_at_character_boundaries() {
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
