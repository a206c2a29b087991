//! Numbers that only grow, and numbers of what there is now.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Counts what happens.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds so many.
    pub fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts what there is now.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// One more, until the result is dropped.
    pub fn begin(self: &Arc<Self>) -> InUse {
        self.0.fetch_add(1, Ordering::Relaxed);
        InUse(Arc::clone(self))
    }

    /// How many there are.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts as one of a [`Gauge`] until it is dropped.
#[derive(Debug)]
pub struct InUse(Arc<Gauge>);

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-3: what has ended no longer counts.
    #[test]
    fn what_ends_is_no_longer_counted() {
        let gauge = Arc::new(Gauge::default());
        let (first, second) = (gauge.begin(), gauge.begin());
        assert_eq!(gauge.get(), 2);
        drop(first);
        assert_eq!(gauge.get(), 1);
        drop(second);
        assert_eq!(gauge.get(), 0);
    }
}
