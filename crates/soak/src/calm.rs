//! Whether something is broken right now: only what happens while nothing is may be timed.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the changes between calm (even) and not (odd).
#[derive(Debug)]
pub(crate) struct Calm(AtomicU64);

/// A period of calm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CalmPeriod(u64);

impl Calm {
    /// Nothing is calm before the beginning.
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(1))
    }

    /// Something breaks.
    pub(crate) fn disturb(&self) {
        self.change(1);
    }

    /// Everything works again, and has settled.
    pub(crate) fn restore(&self) {
        self.change(0);
    }

    /// The current period of calm.
    pub(crate) fn period(&self) -> Option<CalmPeriod> {
        let count = self.0.load(Ordering::SeqCst);
        count.is_multiple_of(2).then_some(CalmPeriod(count))
    }

    fn change(&self, to: u64) {
        let count = self.0.load(Ordering::SeqCst);
        if count % 2 != to {
            self.0.store(count + 1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_ends_when_something_breaks() {
        let calm = Calm::new();
        assert_eq!(calm.period(), None);
        calm.restore();
        let first = calm.period();
        calm.restore();
        assert!(first.is_some() && calm.period() == first);
        calm.disturb();
        calm.disturb();
        assert_eq!(calm.period(), None);
        calm.restore();
        assert!(calm.period().is_some() && calm.period() != first);
    }
}
