//! A reader of a conversation: from any place, through storage, to what happens now.
//!
//! It is given a piece at a time, and holds nothing of what it was not asked for.
//! What is larger than a piece is read piece by piece from what all readers share
//! ([`crate::large_rows`]).

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parlor_protocol::{EventBody, EventId};
use parlor_storage::{LogEntry, Logged, PageSize, Served, StorageError};

use crate::entries::{PIECE, push_text, shown};
use crate::event_log::{After, EventLog, Seen};
use crate::large_rows::{Content, LargeEvent, Source};

/// How much of the past is read at once.
const PAGE: PageSize = PageSize { entries: 100, bytes: PIECE as u64 };

/// Reads a conversation on from a place.
pub struct Reader {
    source: Arc<Source>,
    log: Arc<EventLog>,
    slot: usize,
    place: EventId,
    /// What a reader is told first, about text that was lost.
    first: Option<Logged>,
    /// The past that is being read. Boxed: a reader that waits should not carry
    /// the room for a query.
    past: Option<Pin<Box<dyn Future<Output = News> + Send>>>,
    seen: Seen,
}

/// What is new.
#[derive(Debug)]
pub enum News {
    /// Events, in order, small enough to be held.
    Events(Vec<Logged>),
    /// One event that is not.
    Large(LargeEvent),
    /// Events without a number: they are not stored, and the place stays.
    Live(Vec<Served<EventBody>>),
}

/// The same, for whoever polls.
#[derive(Debug)]
pub enum Polled {
    /// It is in the list that was given.
    Events,
    /// It is too large to be.
    Large(LargeEvent),
    /// It has no number: it is not stored, and the place stays.
    Live(Vec<Served<EventBody>>),
    /// The conversation is gone.
    Gone,
}

impl Reader {
    pub(crate) async fn new(source: Arc<Source>, log: Arc<EventLog>, place: EventId) -> Self {
        // Whoever was shown text of which nothing was stored is told so.
        let lost = match place.offset {
            Some(_) if !log.holds(place.seq) => {
                source.store.lost_text_block(log.conversation, place.seq).await.ok().flatten()
            }
            _ => None,
        };
        let first = lost.map(|message| Logged {
            id: EventId::delta(place.seq, 0),
            body: Served::empty().snapshot(PIECE, message).1,
        });
        let slot = log.join();
        Self { source, log, slot, place, first, past: None, seen: Seen::default() }
    }

    /// What is new; waits until there is something. `None` when the conversation is
    /// gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<News> {
        let mut events = Vec::new();
        match poll_fn(|cx| self.poll_next(cx, &mut events)).await {
            Polled::Events => Some(News::Events(events)),
            Polled::Large(event) => Some(News::Large(event)),
            Polled::Live(bodies) => Some(News::Live(bodies)),
            Polled::Gone => None,
        }
    }

    /// The same, for whoever polls: what is new replaces what is in `events`.
    pub fn poll_next(&mut self, cx: &mut Context<'_>, events: &mut Vec<Logged>) -> Poll<Polled> {
        events.clear();
        events.extend(self.first.take());
        while events.is_empty() {
            if let Some(past) = &mut self.past {
                let past = ready!(past.as_mut().poll(cx));
                self.past = None;
                match past {
                    News::Events(read) => *events = read,
                    News::Large(event) => {
                        self.go_on_from(event.id());
                        return Poll::Ready(Polled::Large(event));
                    }
                    News::Live(bodies) => return Poll::Ready(Polled::Live(bodies)),
                }
                continue;
            }
            let Self { place, slot, seen, .. } = *self;
            match ready!(self.log.poll_after(place, slot, seen, cx, events)) {
                After::Closed => return Poll::Ready(Polled::Gone),
                After::Here => {}
                After::Failed(turn) => {
                    self.seen.failure = Some(turn);
                    let bodies = Served::failure(self.log.conversation, turn);
                    return Poll::Ready(Polled::Live(bodies.into()));
                }
                After::Live(version, body) => {
                    self.seen.live = Some(version);
                    return Poll::Ready(Polled::Live(vec![body]));
                }
                After::InStorage(version) => {
                    self.seen.storage_at = Some(version);
                    self.past = Some(Box::pin(past(Arc::clone(&self.source), self.place)));
                }
            }
        }
        if let Some(last) = events.last() {
            self.go_on_from(last.id);
        }
        Poll::Ready(Polled::Events)
    }

    fn go_on_from(&mut self, place: EventId) {
        self.place = place;
        self.seen.storage_at = None;
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.log.leave(self.slot);
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("place", &self.place).finish_non_exhaustive()
    }
}

async fn past(source: Arc<Source>, place: EventId) -> News {
    loop {
        match try_past(&source, place).await {
            Ok(past) => return past,
            Err(error) if !error.is_transient() => {
                tracing::error!(%error, "the log cannot be read");
                return News::Events(Vec::new());
            }
            Err(error) => {
                tracing::warn!(%error, "the log cannot be read yet; trying again");
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        }
    }
}

async fn try_past(source: &Arc<Source>, place: EventId) -> Result<News, StorageError> {
    let mut from = place;
    loop {
        let entries = source.store.log_after(source.conversation, from, PAGE).await?;
        match entries.first() {
            // All of its text was seen.
            Some(LogEntry::LargeTextBlock { seq, length, .. })
                if place == EventId::delta(*seq, *length) =>
            {
                from = EventId::durable(*seq);
            }
            Some(LogEntry::LargeTextBlock { seq, message, kind, length }) => {
                let mut events = Vec::new();
                let row = source.text(*seq, *length).await;
                if let Some(Content::Text(text)) = row.as_deref().map(|row| &row.content) {
                    push_text(*seq, *message, *kind, text, place, &mut events);
                }
                return Ok(News::Events(events));
            }
            Some(LogEntry::LargeEvent { seq, message }) => {
                let (source, message) = (Arc::clone(source), message.clone());
                return Ok(News::Large(LargeEvent { source, seq: *seq, message }));
            }
            _ => return Ok(News::Events(shown(&entries, place))),
        }
    }
}
