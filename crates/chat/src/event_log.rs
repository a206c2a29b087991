//! What happens in one conversation, as its readers see it while it happens.
//!
//! A reader has a place and asks for what comes after it; nothing is queued for
//! it. So a slow reader costs nothing, a fast one is woken once for each piece,
//! and going on after a lost connection is the same thing as reading on.
//!
//! The last events are kept here, as long as they are small; what is older or
//! larger is read from storage. Durable events come here after they were
//! committed, text before it is stored. A reader is given a piece at a time.
//!
//! What is only worth knowing at the moment (the progress of a tool call) is live:
//! it has no number and is never stored. The newest one is kept until the next
//! durable event, so that whoever comes in between sees it too.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use parlor_guard::CleanStream;
use parlor_protocol::{ConversationId, EventBody, EventId, TurnId};
use parlor_storage::{Delta, LogEntry, Logged, Served, TextBlock};
use tokio::sync::watch;

use crate::entries::{PIECE, push_after, push_text, size};
use crate::texts::now;
use crate::waiting::Waiting;

/// How many entries are kept for readers that keep up, and how much of them.
const KEPT_ENTRIES: usize = 256;
const KEPT_BYTES: usize = 1 << 20;

/// The live end of a conversation's log.
#[derive(Debug)]
pub(crate) struct EventLog {
    pub(crate) conversation: ConversationId,
    state: Mutex<State>,
    /// Changes whenever text of this conversation was stored.
    stored: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    /// Everything up to this number is read from storage.
    kept_after: u64,
    kept: VecDeque<Kept>,
    kept_bytes: usize,
    open: Option<OpenBlock>,
    closed: bool,
    /// The turn that could not be written to its end, until the next is.
    failed: Option<TurnId>,
    /// What is live now, and its version.
    live: Option<(u64, Served<EventBody>)>,
    /// How often there was something new to see.
    version: u64,
    waiting: Waiting,
}

/// An entry that is kept.
#[derive(Debug)]
struct Kept {
    entry: LogEntry,
    bytes: usize,
}

/// Text that streams right now.
#[derive(Debug)]
struct OpenBlock {
    turn: TurnId,
    block: TextBlock,
    raw: String,
    text: Served<String>,
    /// How much of both is stored, or on its way.
    raw_taken: usize,
    text_taken: usize,
    being_stored: bool,
    waiting_since: Option<Instant>,
}

/// What comes after a place.
pub(crate) enum After {
    /// It is not here: storage has it, if anything does at this version.
    InStorage(u64),
    /// It is here, and is given.
    Here,
    /// This turn could not be written to its end.
    Failed(TurnId),
    /// Something live, and its version.
    Live(u64, Served<EventBody>),
    /// There will be nothing more.
    Closed,
}

/// What a reader has seen besides the events up to its place.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// The version at which storage had nothing, or is being read.
    pub(crate) storage_at: Option<u64>,
    /// The failed turn.
    pub(crate) failure: Option<TurnId>,
    /// The version of what is live.
    pub(crate) live: Option<u64>,
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
    pub(crate) fn new(conversation: ConversationId) -> Self {
        Self {
            conversation,
            state: Mutex::new(State {
                kept_after: u64::MAX,
                kept: VecDeque::new(),
                kept_bytes: 0,
                open: None,
                closed: false,
                failed: None,
                live: None,
                version: 0,
                waiting: Waiting::default(),
            }),
            stored: watch::Sender::new(0),
        }
    }

    /// A slot for a reader, who has to `leave` it.
    pub(crate) fn join(&self) -> usize {
        self.lock().waiting.join()
    }

    /// Gives a reader's slot back.
    pub(crate) fn leave(&self, slot: usize) {
        self.lock().waiting.leave(slot);
    }

    /// Wakes whenever text was stored.
    pub(crate) fn stored(&self) -> watch::Receiver<u64> {
        self.stored.subscribe()
    }

    /// A turn writes here from this number on; what is before it is in storage.
    pub(crate) fn begin_at(&self, seq: u64) {
        let mut state = self.lock();
        if state.kept_after == u64::MAX {
            state.kept_after = seq.saturating_sub(1);
        }
    }

    /// Shows events that were committed.
    pub(crate) fn publish(&self, events: Vec<Logged>) {
        let sizes: Vec<usize> = events.iter().map(|event| size(event.body.get())).collect();
        let mut state = self.lock();
        for (event, bytes) in events.into_iter().zip(sizes) {
            state.keep(Kept { entry: LogEntry::Event(event), bytes });
        }
        state.trim();
        (state.failed, state.live) = (None, None);
        state.wake();
    }

    /// Shows something that is not stored, until the next event that is.
    pub(crate) fn show_live(&self, body: Served<EventBody>) {
        let mut state = self.lock();
        state.wake();
        state.live = Some((state.version, body));
    }

    /// Tells readers that nothing more of a turn can be stored, under no number.
    pub(crate) fn fail(&self, turn: TurnId) {
        let mut state = self.lock();
        (state.open, state.failed) = (None, Some(turn));
        state.wake();
    }

    /// Opens a block at a number; its text is shown as it comes.
    pub(crate) fn open_block(&self, turn: TurnId, block: TextBlock) {
        self.lock().open = Some(OpenBlock {
            turn,
            block,
            raw: String::new(),
            text: Served::empty(),
            raw_taken: 0,
            text_taken: 0,
            being_stored: false,
            waiting_since: None,
        });
    }

    /// Shows what is certain of the next piece of the open block, once it is clean,
    /// and says how far the block is ahead.
    pub(crate) fn push(&self, raw: &str, stream: &mut CleanStream) -> Ahead {
        let mut state = self.lock();
        let Some(open) = &mut state.open else { return Ahead::none() };
        open.raw.push_str(raw);
        let first = open.waiting_since.is_none();
        open.waiting_since.get_or_insert_with(Instant::now);
        let ahead =
            Ahead { bytes: open.raw.len() - open.raw_taken, since: open.waiting_since, first };
        if open.show(|text| text.push(stream, raw)) {
            state.wake();
        }
        ahead
    }

    /// Whether something of the open block is not stored yet: it will be told when
    /// it is.
    pub(crate) fn is_ahead(&self) -> bool {
        let state = self.lock();
        state.open.as_ref().is_some_and(|open| open.being_stored || open.waiting_since.is_some())
    }

    /// Shows what was held back of the open block: nothing more comes.
    pub(crate) fn finish(&self, stream: CleanStream) {
        let mut state = self.lock();
        if state.open.as_mut().is_some_and(|open| open.show(|text| text.finish(stream))) {
            state.wake();
        }
    }

    /// Closes the block, once nothing of it is on its way to storage: `None`
    /// says to wait for that. Its text stays here for readers inside it.
    pub(crate) fn close_block(&self) -> Option<ClosedBlock> {
        let mut state = self.lock();
        if state.open.as_ref()?.being_stored {
            return None;
        }
        let open = state.open.take()?;
        let entry = LogEntry::TextBlock {
            seq: open.block.seq,
            message: open.block.message,
            kind: open.block.kind,
            text: open.text.clone(),
        };
        // It is kept until its message is stored, however large it is: a reader may
        // have seen more than storage has.
        state.keep(Kept { entry, bytes: open.text.get().len() });
        Some(ClosedBlock { block: open.block, raw: open.raw, text: open.text })
    }

    /// Takes what is not stored yet, to store it.
    pub(crate) fn take_delta(&self) -> Option<Delta> {
        let mut state = self.lock();
        let open = state.open.as_mut()?;
        open.waiting_since?;
        let raw = open.raw[open.raw_taken..].to_owned();
        let clean = open.text.rest(open.text_taken);
        (open.raw_taken, open.text_taken) = (open.raw.len(), open.text.get().len());
        open.waiting_since = None;
        open.being_stored = true;
        Some(Delta {
            conversation: self.conversation,
            turn: open.turn,
            block: open.block,
            raw,
            clean,
            now: now(),
        })
    }

    /// Notes that what was taken is stored, or gives it back.
    pub(crate) fn delta_stored(&self, delta: &Delta, stored: bool) {
        let mut state = self.lock();
        if let Some(open) = &mut state.open {
            open.being_stored = false;
            if stored {
                open.block.parts += 1;
            } else {
                open.raw_taken -= delta.raw.len();
                open.text_taken -= delta.clean.get().len();
                open.waiting_since.get_or_insert_with(Instant::now);
            }
        }
        drop(state);
        self.stored.send_modify(|count| *count += 1);
    }

    /// Gives what comes after a place, as far as it is here; the reader in the slot
    /// waits until there is something. What it has seen already is not named again.
    pub(crate) fn poll_after(
        &self,
        place: EventId,
        slot: usize,
        seen: Seen,
        cx: &mut Context<'_>,
        events: &mut Vec<Logged>,
    ) -> Poll<After> {
        let mut state = self.lock();
        if state.closed {
            return Poll::Ready(After::Closed);
        }
        if state.lacks(place) {
            if seen.storage_at != Some(state.version) {
                return Poll::Ready(After::InStorage(state.version));
            }
        } else {
            state.after(place, events);
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
        state.waiting.wait(slot, cx.waker());
        Poll::Pending
    }

    /// Whether a number is known here.
    pub(crate) fn holds(&self, seq: u64) -> bool {
        let state = self.lock();
        state.open.as_ref().is_some_and(|open| open.block.seq == seq)
            || state.kept.iter().any(|kept| kept.entry.seq() == seq)
    }

    /// Ends all readers: the conversation is gone.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.wake();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A block whose text is complete.
#[derive(Debug)]
pub(crate) struct ClosedBlock {
    pub(crate) block: TextBlock,
    pub(crate) raw: String,
    pub(crate) text: Served<String>,
}

impl OpenBlock {
    /// Appends to the text; false if there is nothing new to see.
    fn show(&mut self, append: impl FnOnce(&mut Served<String>)) -> bool {
        let before = self.text.get().len();
        append(&mut self.text);
        self.text.get().len() > before
    }
}

impl State {
    fn keep(&mut self, kept: Kept) {
        if self.kept_after == u64::MAX {
            self.kept_after = kept.entry.seq() - 1;
        }
        self.kept_bytes += kept.bytes;
        self.kept.push_back(kept);
    }

    /// Lets go of what is stored and too much: the oldest, and what is large
    /// together with all before it.
    fn trim(&mut self) {
        let large = self.kept.iter().rposition(|kept| kept.bytes > PIECE);
        let mut too_many = large.map_or(0, |at| at + 1);
        while too_many > 0 || self.kept.len() > KEPT_ENTRIES || self.kept_bytes > KEPT_BYTES {
            let Some(oldest) = self.kept.pop_front() else { return };
            self.kept_bytes -= oldest.bytes;
            self.kept_after = oldest.entry.seq();
            too_many = too_many.saturating_sub(1);
        }
    }

    /// Whether what comes after a place is no longer here. A place inside a
    /// block that is gone needs the rest of it.
    fn lacks(&self, place: EventId) -> bool {
        place < EventId::durable(self.kept_after)
            || (place.seq == self.kept_after && place.offset.is_some())
    }

    fn after(&self, place: EventId, events: &mut Vec<Logged>) {
        // Whoever reads text as it comes has seen all that is kept.
        if self.kept.back().is_some_and(|newest| newest.entry.seq() >= place.seq)
            && !self.kept_since(place, events)
        {
            return;
        }
        if let Some(open) = &self.open {
            let TextBlock { seq, message, kind, .. } = open.block;
            push_text(seq, message, kind, &open.text, place, events);
        }
    }

    /// What is kept after a place, at most a piece of it; false if there is more.
    fn kept_since(&self, place: EventId, events: &mut Vec<Logged>) -> bool {
        let seen = self.kept.partition_point(|kept| kept.entry.seq() < place.seq);
        let mut left = PIECE;
        for Kept { entry, bytes } in self.kept.range(seen..) {
            let before = events.len();
            if before > 0 && *bytes > left {
                return false;
            }
            let whole = push_after(entry, place, events);
            if events.len() > before {
                left = left.saturating_sub(*bytes);
            }
            if !whole {
                return false;
            }
        }
        true
    }

    fn wake(&mut self) {
        self.version += 1;
        self.waiting.wake();
    }
}

impl Ahead {
    fn none() -> Self {
        Self { bytes: 0, since: None, first: false }
    }
}
