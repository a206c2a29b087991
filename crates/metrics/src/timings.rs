//! Durations, counted in buckets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper ends of the buckets, in microseconds. One more bucket has what is longer.
const BOUNDS: [u64; 20] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 30_000_000, 60_000_000, 300_000_000, 900_000_000,
    3_600_000_000, 86_400_000_000,
];
const BUCKETS: usize = BOUNDS.len() + 1;

/// Counts how long things take, from half a millisecond to a day.
#[derive(Debug, Default)]
pub struct Timings {
    buckets: [AtomicU64; BUCKETS],
    micros: AtomicU64,
}

/// What was counted until now. Those of several can be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimingCounts {
    buckets: [u64; BUCKETS],
    micros: u64,
}

impl Timings {
    /// Counts one.
    pub fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX >> 1);
        let bucket = BOUNDS.partition_point(|bound| *bound < micros);
        if let Some(counted) = self.buckets.get(bucket) {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// What was counted until now.
    pub fn counts(&self) -> TimingCounts {
        let mut counts =
            TimingCounts { micros: self.micros.load(Ordering::Relaxed), ..TimingCounts::default() };
        for (count, counted) in counts.buckets.iter_mut().zip(&self.buckets) {
            *count = counted.load(Ordering::Relaxed);
        }
        counts
    }
}

impl TimingCounts {
    /// Adds those of another.
    pub fn merge(&mut self, other: &Self) {
        for (own, other) in self.buckets.iter_mut().zip(&other.buckets) {
            *own += other;
        }
        self.micros = self.micros.saturating_add(other.micros);
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// How long they took together, in seconds.
    pub fn seconds(&self) -> f64 {
        self.micros as f64 / 1e6
    }

    /// The upper ends of the buckets in seconds, each with how many took no longer. The last bucket,
    /// which has no end, has [`Self::total`].
    pub fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let mut below = 0;
        BOUNDS.iter().zip(&self.buckets).map(move |(bound, count)| {
            below += count;
            (*bound as f64 / 1e6, below)
        })
    }

    /// The upper ends of the buckets in seconds.
    pub fn bounds() -> impl Iterator<Item = f64> {
        BOUNDS.iter().map(|bound| *bound as f64 / 1e6)
    }

    /// How many are in each bucket; the last one has what is longer than all bounds.
    pub fn buckets(&self) -> &[u64] {
        &self.buckets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-3: a duration counts in the bucket that it fits into, and in all longer ones.
    #[test]
    fn durations_are_in_the_buckets_that_they_fit_into() {
        let timings = Timings::default();
        for micros in [0, 500, 501, 2_000_000, u64::MAX] {
            timings.add(Duration::from_micros(micros));
        }
        let mut counts = timings.counts();
        let below = |counts: &TimingCounts, seconds: f64| {
            counts.cumulative().filter(|(bound, _)| *bound <= seconds).last().unwrap().1
        };
        assert_eq!(below(&counts, 0.0005), 2);
        assert_eq!(below(&counts, 0.001), 3);
        assert_eq!(below(&counts, 2.5), 4);
        assert_eq!(below(&counts, f64::MAX), 4, "one is longer than all");
        assert_eq!(counts.total(), 5);
        counts.merge(&counts.clone());
        assert_eq!((counts.total(), below(&counts, 2.5)), (10, 8));
    }
}
