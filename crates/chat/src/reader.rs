//! A reader of a conversation: from any place, through storage, to what happens now.

use std::sync::Arc;

use parlor_protocol::EventId;
use parlor_storage::{LogEntry, Logged, Served, Store};
use tokio::sync::watch;

use crate::event_log::{After, EventLog, push_after};

/// How much of the past is read at once.
const PAGE: u32 = 100;

/// Reads a conversation on from a place.
#[derive(Debug)]
pub struct Reader {
    store: Store,
    log: Arc<EventLog>,
    changes: watch::Receiver<u64>,
    place: EventId,
    /// What a reader is told first, about text that was lost.
    first: Option<Logged>,
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
        let changes = log.changes();
        Self { store, log, changes, place, first }
    }

    /// What is new, in order; waits until there is something. `None` when the
    /// conversation is gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Vec<Logged>> {
        if let Some(first) = self.first.take() {
            self.place = first.id;
            return Some(vec![first]);
        }
        loop {
            self.changes.mark_unchanged();
            let events = match self.log.after(self.place) {
                After::Closed => return None,
                After::Here(events) => events,
                // Boxed: a reader that waits should not carry the room for a query.
                After::InStorage => Box::pin(self.stored()).await,
            };
            if let Some(last) = events.last() {
                self.place = last.id;
                return Some(events);
            }
            self.changes.changed().await.ok()?;
        }
    }

    async fn stored(&self) -> Vec<Logged> {
        let conversation = self.log.conversation;
        let entries: Vec<LogEntry> = loop {
            match self.store.log_after(conversation, self.place, PAGE).await {
                Ok(entries) => break entries,
                Err(error) => {
                    tracing::warn!(%error, "the log cannot be read yet; trying again");
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                }
            }
        };
        let mut events = Vec::with_capacity(entries.len());
        for entry in &entries {
            push_after(entry, self.place, &mut events);
        }
        events
    }
}
