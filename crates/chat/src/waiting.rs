//! Readers that wait for something new: each has a slot for its waker.
//!
//! It is part of what the log's own lock guards, so that looking and beginning
//! to wait are one step, and a piece of text costs one lock and one wake-up.

use std::task::Waker;

/// The readers of one log.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    slots: Vec<Option<Waker>>,
    free: Vec<usize>,
}

impl Waiting {
    /// A slot for a reader.
    pub(crate) fn join(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        })
    }

    /// Gives a slot back.
    pub(crate) fn leave(&mut self, slot: usize) {
        self.slots[slot] = None;
        self.free.push(slot);
    }

    /// Notes that the reader of a slot waits.
    pub(crate) fn wait(&mut self, slot: usize, waker: &Waker) {
        match &mut self.slots[slot] {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    /// Wakes everyone who waits.
    pub(crate) fn wake(&mut self) {
        self.slots.iter_mut().filter_map(Option::take).for_each(Waker::wake);
    }
}
