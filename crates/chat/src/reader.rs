//! A reader of a conversation: from any place, through storage, to what happens now.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use parlor_protocol::{ConversationId, EventId};
use parlor_storage::{LogEntry, Logged, Served, Store};

use crate::event_log::{After, EventLog, push_after};

/// How much of the past is read at once.
const PAGE: u32 = 100;

/// Reads a conversation on from a place.
pub struct Reader {
    store: Store,
    log: Arc<EventLog>,
    slot: usize,
    place: EventId,
    /// What a reader is told first, about text that was lost.
    first: Option<Logged>,
    /// The past that is being read. Boxed: a reader that waits should not carry
    /// the room for a query.
    past: Option<Pin<Box<dyn Future<Output = Vec<Logged>> + Send>>>,
    /// The version of the log for which the past is read, or had nothing.
    past_of: Option<u64>,
}

impl Reader {
    pub(crate) async fn new(store: Store, log: Arc<EventLog>, place: EventId) -> Self {
        // Whoever was shown text of which nothing was stored is told so.
        let lost = match place.offset {
            Some(_) if !log.holds(place.seq) => {
                store.lost_block(log.conversation, place.seq).await.ok().flatten()
            }
            _ => None,
        };
        let first = lost.map(|message| Logged {
            id: EventId::delta(place.seq, 0),
            body: Served::empty().snapshot(message),
        });
        let slot = log.join();
        Self { store, log, slot, place, first, past: None, past_of: None }
    }

    /// What is new, in order; waits until there is something. `None` when the
    /// conversation is gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Vec<Logged>> {
        let mut events = Vec::new();
        poll_fn(|cx| self.poll_next(cx, &mut events)).await.then_some(events)
    }

    /// The same, for whoever polls: what is new replaces what is in `events`; false
    /// when the conversation is gone.
    pub fn poll_next(&mut self, cx: &mut Context<'_>, events: &mut Vec<Logged>) -> Poll<bool> {
        events.clear();
        events.extend(self.first.take());
        while events.is_empty() {
            if let Some(past) = &mut self.past {
                *events = ready!(past.as_mut().poll(cx));
                self.past = None;
                continue;
            }
            match ready!(self.log.poll_after(self.place, self.slot, self.past_of, cx, events)) {
                After::Closed => return Poll::Ready(false),
                After::Here => {}
                After::InStorage(version) => {
                    self.past_of = Some(version);
                    let store = self.store.clone();
                    self.past = Some(Box::pin(past(store, self.log.conversation, self.place)));
                }
            }
        }
        if let Some(last) = events.last() {
            self.place = last.id;
            self.past_of = None;
        }
        Poll::Ready(true)
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

async fn past(store: Store, conversation: ConversationId, place: EventId) -> Vec<Logged> {
    let entries: Vec<LogEntry> = loop {
        match store.log_after(conversation, place, PAGE).await {
            Ok(entries) => break entries,
            Err(error) => {
                tracing::warn!(%error, "the log cannot be read yet; trying again");
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        }
    };
    let mut events = Vec::with_capacity(entries.len());
    for entry in &entries {
        push_after(entry, place, &mut events);
    }
    events
}
