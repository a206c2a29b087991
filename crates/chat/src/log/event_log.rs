//! The live log of one conversation.
//!
//! A reader has a position and asks for the events after it; nothing is queued for it. So a
//! slow reader costs nothing, a fast one is woken once for each piece, and a reconnect is
//! the same as reading on.
//!
//! The last events are kept here, as long as they are small; older and larger ones are read
//! from storage. Durable events are published after they are committed, text before it is
//! stored. A reader gets a piece at a time.
//!
//! A live event (the progress of a call) has no number and is never stored. The newest one
//! is kept until the next durable event, so that a reader who connects in between sees it.
//! A turn may also run on another node: [`other_nodes`]. Who may read can change: [`audience`].

mod after;
mod audience;
mod other_nodes;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Instant;

use parlor_guard::CleanStream;
use parlor_protocol::{ConversationId, EventBody, EventId, TurnId};
use parlor_storage::{Delta, LogEntry, Logged, Served, StorageError, TextBlock};
use tokio::sync::watch;

pub(super) use self::after::{After, Seen};
use self::audience::Audience;
use self::other_nodes::OtherNodes;
use super::entries::{push_text, size};
use super::kept_entries::KeptEntries;
use super::outlet::Outlet;
use super::wakers::Wakers;
use crate::clock::now;

/// The live log of a conversation.
#[derive(Debug)]
pub(crate) struct EventLog {
    pub(crate) conversation: ConversationId,
    state: Mutex<State>,
    /// Changes whenever text of this conversation was stored.
    stored: watch::Sender<u64>,
    /// The way to other nodes, if there may be any.
    outlet: Option<Arc<Outlet>>,
    this: Weak<Self>,
}

#[derive(Debug)]
struct State {
    kept: KeptEntries,
    open: Option<OpenTextBlock>,
    closed: bool,
    /// Of the newest turn here: one with an older epoch was taken over, and shows nothing more.
    epoch: u64,
    /// The turn that failed to be persisted, until the next event is.
    failed: Option<TurnId>,
    /// The live event, and its version.
    live: Option<(u64, Served<EventBody>)>,
    /// Counts the changes that readers can see.
    version: u64,
    audience: Audience,
    wakers: Wakers,
    other_nodes: OtherNodes,
}

/// Text that streams right now.
#[derive(Debug)]
struct OpenTextBlock {
    turn: TurnId,
    epoch: u64,
    block: TextBlock,
    raw: String,
    text: Served<String>,
    /// How much of both is stored or being stored.
    raw_taken: usize,
    text_taken: usize,
    being_stored: bool,
    unstored_since: Option<Instant>,
}

/// How far a stream is ahead of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ahead {
    pub(crate) bytes: usize,
    pub(crate) since: Option<Instant>,
    /// Whether this is the first piece since the last write.
    pub(crate) first: bool,
}

impl EventLog {
    /// A log of which everything so far is in storage.
    pub(crate) fn new(conversation: ConversationId, outlet: Option<Arc<Outlet>>) -> Arc<Self> {
        let state = State {
            kept: KeptEntries::new(),
            open: None,
            closed: false,
            epoch: 0,
            failed: None,
            live: None,
            version: 0,
            audience: Audience::default(),
            wakers: Wakers::default(),
            other_nodes: OtherNodes::default(),
        };
        Arc::new_cyclic(|this| Self {
            conversation,
            state: Mutex::new(state),
            stored: watch::Sender::new(0),
            outlet,
            this: this.clone(),
        })
    }

    /// Reserves a slot for a reader, to be freed by `leave`.
    pub(super) fn join(&self) -> usize {
        let slot = self.lock().wakers.join();
        self.announce_reader();
        slot
    }

    /// Frees a reader's slot.
    pub(super) fn leave(&self, slot: usize) {
        self.lock().wakers.leave(slot);
    }

    /// Changes whenever text was stored.
    pub(crate) fn stored(&self) -> watch::Receiver<u64> {
        self.stored.subscribe()
    }

    /// A turn writes from this number on; earlier entries are in storage.
    pub(crate) fn begin_at(&self, seq: u64) {
        self.lock().kept.begin_at(seq);
    }

    /// Publishes events that are committed.
    pub(crate) fn publish(&self, events: Vec<Logged>) {
        let sizes: Vec<usize> = events.iter().map(|event| size(event.body.get())).collect();
        if let (Some(outlet), Some(last)) = (&self.outlet, events.last()) {
            outlet.stored(self.conversation, last.id);
        }
        let mut state = self.lock();
        for (event, bytes) in events.into_iter().zip(sizes) {
            state.kept.keep(LogEntry::Event(event), bytes);
        }
        state.kept.trim();
        (state.failed, state.live) = (None, None);
        state.wake();
    }

    /// Publishes an event that is not stored, until the next one that is.
    pub(crate) fn publish_live(&self, body: Served<EventBody>) {
        let mut state = self.lock();
        state.show_live(body);
        self.queue_frames(&mut state);
    }

    /// Tells readers that a turn failed to be persisted. The failure has no number.
    pub(crate) fn fail(&self, writer: (TurnId, u64)) {
        let mut state = self.lock();
        state.open.take_if(|open| (open.turn, open.epoch) == writer);
        state.failed = Some(writer.0);
        state.wake();
    }

    /// Opens a text block; its text is visible as it streams. A turn that was taken over opens none.
    pub(crate) fn open_block(&self, turn: TurnId, epoch: u64, block: TextBlock) {
        let mut state = self.lock();
        if epoch < state.epoch {
            return;
        }
        state.open = Some(OpenTextBlock {
            turn,
            epoch,
            block,
            raw: String::new(),
            text: Served::empty(),
            raw_taken: 0,
            text_taken: 0,
            being_stored: false,
            unstored_since: None,
        });
    }

    /// Appends a piece to the open block of a turn. The part of it that is certain to be clean
    /// becomes visible. Returns how far the block is ahead of storage.
    pub(crate) fn push(
        &self,
        writer: (TurnId, u64),
        raw: &str,
        stream: &mut CleanStream,
    ) -> Result<Ahead, StorageError> {
        let mut state = self.lock();
        let open = state.open_of(writer)?;
        open.raw.push_str(raw);
        let first = open.unstored_since.is_none();
        open.unstored_since.get_or_insert_with(Instant::now);
        let ahead =
            Ahead { bytes: open.raw.len() - open.raw_taken, since: open.unstored_since, first };
        if open.append(|text| text.push(stream, raw)) {
            state.wake();
            self.queue_frames(&mut state);
        }
        Ok(ahead)
    }

    /// Whether the open block has text that is not stored yet: [`Self::stored`] changes when
    /// it is.
    pub(crate) fn is_ahead(&self) -> bool {
        let state = self.lock();
        state.open.as_ref().is_some_and(|open| open.being_stored || open.unstored_since.is_some())
    }

    /// Makes the held-back end of the open block of a turn visible.
    pub(crate) fn finish(
        &self,
        writer: (TurnId, u64),
        stream: CleanStream,
    ) -> Result<(), StorageError> {
        let mut state = self.lock();
        if state.open_of(writer)?.append(|text| text.finish(stream)) {
            state.wake();
            self.queue_frames(&mut state);
        }
        Ok(())
    }

    /// Closes the open block of a turn. `None` while the flusher stores text of it: wait and try
    /// again. Its text stays here for readers inside it.
    pub(crate) fn close_block(
        &self,
        writer: (TurnId, u64),
    ) -> Result<Option<ClosedBlock>, StorageError> {
        let mut state = self.lock();
        if state.open_of(writer)?.being_stored {
            return Ok(None);
        }
        let Some(open) = state.open.take() else { return Ok(None) };
        let entry = LogEntry::TextBlock {
            seq: open.block.seq,
            message: open.block.message,
            kind: open.block.kind,
            text: open.text.clone(),
            is_open: false,
        };
        // Kept until its message is stored, whatever its size: a reader may have seen
        // more than storage has.
        state.kept.keep(entry, open.text.get().len());
        Ok(Some(ClosedBlock { block: open.block, raw: open.raw, text: open.text }))
    }

    /// Takes the text that is not stored yet.
    pub(super) fn take_delta(&self) -> Option<Delta> {
        let mut state = self.lock();
        let open = state.open.as_mut()?;
        open.unstored_since?;
        let raw = open.raw[open.raw_taken..].to_owned();
        let clean = open.text.rest(open.text_taken);
        (open.raw_taken, open.text_taken) = (open.raw.len(), open.text.get().len());
        open.unstored_since = None;
        open.being_stored = true;
        Some(Delta {
            conversation: self.conversation,
            turn: open.turn,
            epoch: open.epoch,
            block: open.block,
            raw,
            clean,
            now: now(),
        })
    }

    /// Notes that taken text is stored, or puts it back.
    pub(super) fn delta_stored(&self, delta: &Delta, stored: bool) {
        let mut state = self.lock();
        if let Ok(open) = state.open_of((delta.turn, delta.epoch))
            && open.block.seq == delta.block.seq
        {
            open.being_stored = false;
            if stored {
                open.block.parts += 1;
                if let Some(outlet) = &self.outlet {
                    let id = EventId::delta(open.block.seq, open.text_taken as u64);
                    outlet.stored(self.conversation, id);
                }
            } else {
                open.raw_taken -= delta.raw.len();
                open.text_taken -= delta.clean.get().len();
                open.unstored_since.get_or_insert_with(Instant::now);
            }
        }
        drop(state);
        self.stored.send_modify(|count| *count += 1);
    }

    /// Adds the events after a position, or registers the reader in the slot to be woken.
    /// What the reader has seen is not returned again.
    pub(super) fn poll_after(
        &self,
        position: EventId,
        slot: usize,
        seen: Seen,
        cx: &mut Context<'_>,
        events: &mut Vec<Logged>,
    ) -> Poll<After> {
        let mut state = self.lock();
        if state.closed {
            return Poll::Ready(After::Closed);
        }
        if !state.audience.has(seen.audience) {
            return Poll::Ready(After::CheckAudience(state.audience.number()));
        }
        if state.kept.lacks(position) {
            if state.text_elsewhere(position, events) {
                return Poll::Ready(After::Here);
            }
            if state.needs_storage(position, seen) {
                return Poll::Ready(After::InStorage(state.version));
            }
            if state.next_text_elsewhere(position, events) {
                return Poll::Ready(After::Here);
            }
        } else {
            state.after(position, events);
            if !events.is_empty() {
                return Poll::Ready(After::Here);
            }
        }
        if let Some(turn) = state.failed.filter(|turn| seen.failure != Some(*turn)) {
            return Poll::Ready(After::Failed(turn));
        }
        if let Some((version, body)) = &state.live
            && seen.live != Some(*version)
        {
            return Poll::Ready(After::Live(*version, body.clone()));
        }
        state.wakers.register(slot, cx.waker());
        Poll::Pending
    }

    /// Ends all readers: the conversation was deleted.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.wake();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A text block that is complete.
#[derive(Debug)]
pub(crate) struct ClosedBlock {
    pub(crate) block: TextBlock,
    pub(crate) raw: String,
    pub(crate) text: Served<String>,
}

impl OpenTextBlock {
    /// Appends to the visible text; false if nothing became visible.
    fn append(&mut self, append: impl FnOnce(&mut Served<String>)) -> bool {
        let before = self.text.get().len();
        append(&mut self.text);
        self.text.get().len() > before
    }
}

impl State {
    /// The open block of a turn under its epoch. Without one the turn was taken over: another one
    /// may have begun here, and text of both must not mix.
    fn open_of(&mut self, writer: (TurnId, u64)) -> Result<&mut OpenTextBlock, StorageError> {
        let open = self.open.as_mut().filter(|open| (open.turn, open.epoch) == writer);
        open.ok_or(StorageError::TakenOver)
    }

    fn after(&self, position: EventId, events: &mut Vec<Logged>) {
        if !self.kept.push_after(position, events) {
            return;
        }
        if let Some(open) = &self.open {
            let TextBlock { seq, message, kind, .. } = open.block;
            push_text(seq, message, kind, &open.text, position, events);
        }
    }

    fn show_live(&mut self, body: Served<EventBody>) {
        self.wake();
        self.live = Some((self.version, body));
    }

    fn wake(&mut self) {
        self.version += 1;
        self.wakers.wake();
    }
}
