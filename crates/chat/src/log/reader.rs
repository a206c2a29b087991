//! A reader of a conversation: from any event id, through storage, to the live log.
//!
//! It reads a piece at a time and buffers nothing. What is larger than a piece is read piece
//! by piece through the cache that all readers share ([`super::large_entries`]).

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use parlor_protocol::{EventBody, EventId};
use parlor_storage::{LogEntry, Logged, PageSize, Scope, Served, StorageError};

use super::entries::{PIECE, events_after, push_text};
use super::event_log::{After, EventLog, Seen};
use super::large_entries::{Content, LargeEvent, Source};
use crate::clock::now;

/// How much is read from storage at once.
const PAGE: PageSize = PageSize { entries: 100, bytes: PIECE as u64 };

/// When a read that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// Reads a conversation from an event id on.
pub struct Reader {
    source: Arc<Source>,
    sight: Sight,
    log: Arc<EventLog>,
    slot: usize,
    /// The last event that was read.
    position: EventId,
    /// The audience when it joined.
    audience: u64,
    /// The read from storage that is under way. Boxed: a reader that waits should not
    /// carry the memory of a query.
    stored: Option<Pin<Box<dyn Future<Output = StoredBatch> + Send>>>,
    seen: Seen,
}

/// By what a reader sees the conversation.
#[derive(Debug, Clone)]
pub(crate) enum Sight {
    /// What its caller sees.
    Scope(Scope),
    /// A link to share, by the hash of its token.
    Link(Arc<str>),
}

impl Sight {
    async fn sees(&self, source: &Source) -> Result<(), StorageError> {
        match self {
            Self::Scope(scope) => {
                source.store.conversation(scope, source.conversation).await.map(|_| ())
            }
            Self::Link(hash) => match source.store.share_link(hash, now()).await? {
                Some(_) => Ok(()),
                None => Err(StorageError::NotFound),
            },
        }
    }
}

/// The next events of a conversation.
#[derive(Debug)]
pub enum EventBatch {
    /// Events, in order, at most a piece of them.
    Events(Vec<Logged>),
    /// One event that is larger than a piece.
    Large(LargeEvent),
    /// Events that are not stored: they have no id, and the position stays.
    Live(Vec<Served<EventBody>>),
}

/// The next events, for [`Reader::poll_next`].
#[derive(Debug)]
pub enum PolledBatch {
    /// They are in the list that was passed.
    Events,
    /// One event that is larger than a piece.
    Large(LargeEvent),
    /// Events that are not stored: they have no id, and the position stays.
    Live(Vec<Served<EventBody>>),
    /// The conversation was deleted, or the reader no longer sees it.
    Gone,
}

impl Reader {
    /// A reader that is checked before it reads anything.
    pub(crate) fn new(
        source: Arc<Source>,
        log: Arc<EventLog>,
        sight: Sight,
        position: EventId,
    ) -> Self {
        let (slot, audience) = (log.join(), log.audience());
        let seen = Seen::default();
        Self { source, sight, log, slot, position, audience, stored: None, seen }
    }

    /// The same if its caller was seen to see the conversation after it was made.
    pub(crate) fn of_audience(mut self) -> Self {
        self.seen.audience = Some(self.audience);
        self
    }

    /// The next events; waits until there are some. `None` when the conversation was
    /// deleted or is no longer seen. Cancel-safe.
    pub async fn next(&mut self) -> Option<EventBatch> {
        let mut events = Vec::new();
        match poll_fn(|cx| self.poll_next(cx, &mut events)).await {
            PolledBatch::Events => Some(EventBatch::Events(events)),
            PolledBatch::Large(event) => Some(EventBatch::Large(event)),
            PolledBatch::Live(bodies) => Some(EventBatch::Live(bodies)),
            PolledBatch::Gone => None,
        }
    }

    /// The same, polled: the next events replace what is in `events`.
    pub fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        events: &mut Vec<Logged>,
    ) -> Poll<PolledBatch> {
        events.clear();
        while events.is_empty() {
            if let Some(stored) = &mut self.stored {
                let stored = ready!(stored.as_mut().poll(cx));
                self.stored = None;
                let is_checked = self.seen.audience == Some(self.log.audience());
                match stored {
                    StoredBatch::Audience(audience) => {
                        self.seen.audience = Some(audience);
                        continue;
                    }
                    StoredBatch::Gone => return Poll::Ready(PolledBatch::Gone),
                    // The reader may have lost sight of it while it was read: it is read again.
                    StoredBatch::Events(_) | StoredBatch::Large(_) if !is_checked => {
                        self.seen.stored = None;
                        continue;
                    }
                    StoredBatch::Events(read) => *events = read,
                    StoredBatch::Large(event) => {
                        self.position = event.id();
                        self.seen.stored = None;
                        return Poll::Ready(PolledBatch::Large(event));
                    }
                }
                if !events.is_empty() {
                    // There may be more.
                    self.seen.stored = None;
                }
                continue;
            }
            let Self { position, slot, seen, .. } = *self;
            match ready!(self.log.poll_after(position, slot, seen, cx, events)) {
                After::Closed => return Poll::Ready(PolledBatch::Gone),
                After::CheckAudience(audience) => {
                    let check = check(Arc::clone(&self.source), self.sight.clone(), audience);
                    self.stored = Some(Box::pin(check));
                }
                After::Here => {}
                After::Failed(turn) => {
                    self.seen.failure = Some(turn);
                    let bodies = Served::failure(self.log.conversation, turn);
                    return Poll::Ready(PolledBatch::Live(bodies.into()));
                }
                After::Live(version, body) => {
                    self.seen.live = Some(version);
                    return Poll::Ready(PolledBatch::Live(vec![body]));
                }
                After::InStorage(version) => {
                    self.seen.stored = Some(version);
                    let read = read_stored(Arc::clone(&self.source), self.position);
                    self.stored = Some(Box::pin(read));
                }
            }
        }
        if let Some(last) = events.last() {
            self.position = last.id;
        }
        Poll::Ready(PolledBatch::Events)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.log.leave(self.slot);
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("position", &self.position).finish_non_exhaustive()
    }
}

/// The next events that are stored, or whether they may be read.
enum StoredBatch {
    Events(Vec<Logged>),
    Large(LargeEvent),
    /// The reader is part of this audience.
    Audience(u64),
    /// The reader no longer sees the conversation, or it is gone.
    Gone,
}

/// Whether a reader sees the conversation, asked after this audience came to be.
async fn check(source: Arc<Source>, sight: Sight, audience: u64) -> StoredBatch {
    loop {
        match sight.sees(&source).await {
            Ok(()) => return StoredBatch::Audience(audience),
            Err(error) if !error.is_transient() => {
                if !matches!(error, StorageError::NotFound) {
                    tracing::error!(%error, "failed to check a reader");
                }
                return StoredBatch::Gone;
            }
            Err(error) => {
                tracing::warn!(%error, "failed to check a reader; trying again");
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

async fn read_stored(source: Arc<Source>, position: EventId) -> StoredBatch {
    loop {
        match try_read_stored(&source, position).await {
            Ok(batch) => return batch,
            Err(error) if !error.is_transient() => {
                tracing::error!(%error, "failed to read the log");
                return StoredBatch::Events(Vec::new());
            }
            Err(error) => {
                tracing::warn!(%error, "failed to read the log; trying again");
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

async fn try_read_stored(
    source: &Arc<Source>,
    position: EventId,
) -> Result<StoredBatch, StorageError> {
    let mut from = position;
    loop {
        let entries = source.store.log_after(source.conversation, from, PAGE).await?;
        match entries.first() {
            // All of its text was read.
            Some(LogEntry::LargeTextBlock { seq, length, .. })
                if position == EventId::delta(*seq, *length) =>
            {
                from = EventId::durable(*seq);
            }
            // The rest of it is on its way.
            Some(LogEntry::LargeTextBlock { seq, length, is_open: true, .. })
                if position > EventId::delta(*seq, *length) =>
            {
                return Ok(StoredBatch::Events(Vec::new()));
            }
            Some(LogEntry::LargeTextBlock { seq, message, kind, length, .. }) => {
                let mut events = Vec::new();
                let entry = source.text(*seq, *length).await;
                if let Some(Content::Text(text)) = entry.as_deref().map(|entry| &entry.content) {
                    push_text(*seq, *message, *kind, text, position, &mut events);
                }
                return Ok(StoredBatch::Events(events));
            }
            Some(LogEntry::LargeEvent { seq, message }) => {
                let (source, message) = (Arc::clone(source), message.clone());
                return Ok(StoredBatch::Large(LargeEvent { source, seq: *seq, message }));
            }
            _ => return Ok(StoredBatch::Events(events_after(&entries, position))),
        }
    }
}
