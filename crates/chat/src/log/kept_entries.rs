//! The last events of a log, kept for readers that keep up.

use std::collections::VecDeque;

use parlor_protocol::EventId;
use parlor_storage::{LogEntry, Logged};

use super::entries::{PIECE, push_after};

/// The most entries and bytes that are kept.
const KEPT_ENTRIES: usize = 256;
const KEPT_BYTES: usize = 1 << 20;

/// The last entries of a log. Older and larger ones are read from storage.
#[derive(Debug)]
pub(super) struct KeptEntries {
    /// Entries up to this number are read from storage; `u64::MAX` until the first one.
    after: u64,
    entries: VecDeque<Kept>,
    bytes: usize,
}

#[derive(Debug)]
struct Kept {
    entry: LogEntry,
    bytes: usize,
}

impl KeptEntries {
    pub(super) fn new() -> Self {
        Self { after: u64::MAX, entries: VecDeque::new(), bytes: 0 }
    }

    /// Entries before this number are in storage, unless some are kept already.
    pub(super) fn begin_at(&mut self, seq: u64) {
        if self.after == u64::MAX {
            self.after = seq.saturating_sub(1);
        }
    }

    /// Drops everything: storage has it.
    pub(super) fn clear(&mut self) {
        *self = Self::new();
    }

    /// Whether an event id is beyond what is kept. False if nothing is.
    pub(super) fn is_before(&self, id: EventId) -> bool {
        self.entries.back().is_some_and(|newest| newest.entry.seq() < id.seq)
    }

    /// Whether an entry after a position is kept.
    pub(super) fn is_ahead_of(&self, position: EventId) -> bool {
        self.entries.back().is_some_and(|newest| newest.entry.seq() > position.seq)
    }

    /// Keeps an entry of so many bytes. What lies between the newest one and this is in
    /// storage: another node may have written it.
    pub(super) fn keep(&mut self, entry: LogEntry, bytes: usize) {
        if self.entries.back().is_some_and(|newest| newest.entry.seq() + 1 < entry.seq()) {
            self.clear();
        }
        self.begin_at(entry.seq());
        self.bytes += bytes;
        self.entries.push_back(Kept { entry, bytes });
    }

    /// Drops what is stored and over the limits: the oldest entries, and a large one with
    /// all before it.
    pub(super) fn trim(&mut self) {
        let large = self.entries.iter().rposition(|kept| kept.bytes > PIECE);
        let mut too_many = large.map_or(0, |at| at + 1);
        while too_many > 0 || self.entries.len() > KEPT_ENTRIES || self.bytes > KEPT_BYTES {
            let Some(oldest) = self.entries.pop_front() else { return };
            self.bytes -= oldest.bytes;
            self.after = oldest.entry.seq();
            too_many = too_many.saturating_sub(1);
        }
    }

    /// Whether entries after a position were dropped. A position inside a dropped block needs
    /// the rest of that block.
    pub(super) fn lacks(&self, position: EventId) -> bool {
        position < EventId::durable(self.after)
            || (position.seq == self.after && position.offset.is_some())
    }

    /// Adds what is kept after a position, at most a piece; false if there is more.
    pub(super) fn push_after(&self, position: EventId, events: &mut Vec<Logged>) -> bool {
        // A reader that follows the stream has read everything that is kept.
        if self.entries.back().is_none_or(|newest| newest.entry.seq() < position.seq) {
            return true;
        }
        let seen = self.entries.partition_point(|kept| kept.entry.seq() < position.seq);
        let mut left = PIECE;
        for Kept { entry, bytes } in self.entries.range(seen..) {
            let before = events.len();
            if before > 0 && *bytes > left {
                return false;
            }
            let whole = push_after(entry, position, events);
            if events.len() > before {
                left = left.saturating_sub(*bytes);
            }
            if !whole {
                return false;
            }
        }
        true
    }
}
