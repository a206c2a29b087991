//! The wakers of a log's readers, a slot for each reader.
//!
//! The log's own lock guards them, so that checking for events and registering to be woken
//! are one step, and a piece of text costs one lock and one wake-up.

use std::task::Waker;

/// The wakers of the readers of one log.
#[derive(Debug, Default)]
pub(super) struct Wakers {
    slots: Vec<Option<Waker>>,
    free: Vec<usize>,
}

impl Wakers {
    /// Whether there are no readers.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.len() == self.free.len()
    }

    /// Reserves a slot for a reader.
    pub(crate) fn join(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        })
    }

    /// Frees a slot.
    pub(crate) fn leave(&mut self, slot: usize) {
        self.slots[slot] = None;
        self.free.push(slot);
    }

    /// Registers the reader of a slot to be woken once.
    pub(crate) fn register(&mut self, slot: usize, waker: &Waker) {
        match &mut self.slots[slot] {
            Some(known) => known.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    /// Wakes every registered reader.
    pub(crate) fn wake(&mut self) {
        self.slots.iter_mut().filter_map(Option::take).for_each(Waker::wake);
    }
}
