//! Durations counted in buckets, so that those of many turns are a few numbers.

/// The upper ends of the buckets, in milliseconds. One more bucket has what is longer.
const BOUNDS_MS: [u64; 22] = [
    50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 7_500, 10_000, 15_000,
    20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
];

/// How many durations are in each bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; BOUNDS_MS.len() + 1],
}

impl Histogram {
    /// The bucket of a duration.
    pub(crate) fn bucket(ms: u64) -> usize {
        BOUNDS_MS.iter().position(|bound| ms <= *bound).unwrap_or(BOUNDS_MS.len())
    }

    /// Adds to a bucket. One that a later version may have counts as the longest.
    pub(crate) fn add(&mut self, bucket: usize, count: u64) {
        let bucket = bucket.min(BOUNDS_MS.len());
        if let Some(counted) = self.counts.get_mut(bucket) {
            *counted += count;
        }
    }

    /// Adds all of another one.
    pub fn merge(&mut self, other: &Self) {
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            *own += other;
        }
    }

    /// The duration that so many of a hundred do not exceed, in milliseconds, estimated within
    /// its bucket; `None` if nothing was counted.
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let all: u64 = self.counts.iter().sum();
        let wanted = (all * percent).div_ceil(100).max(1);
        let (mut below, mut from) = (0, 0);
        for (count, to) in self.counts.iter().zip(BOUNDS_MS.iter().chain([&BOUNDS_MS[21]])) {
            if *count > 0 && below + count >= wanted {
                return Some(from + (to - from) * (wanted - below) / count);
            }
            (below, from) = (below + count, *to);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(durations: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        durations.iter().for_each(|ms| histogram.add(Histogram::bucket(*ms), 1));
        histogram
    }

    /// Y-4: percentiles are within the bucket of the duration that they stand for.
    #[test]
    fn percentiles_are_estimated_within_a_bucket() {
        assert_eq!(Histogram::default().percentile(50), None);
        assert_eq!(of(&[0]).percentile(50), Some(50));
        assert_eq!(of(&[1_200]).percentile(95), Some(1_500));
        assert_eq!(of(&[u64::MAX]).percentile(50), Some(1_800_000), "no more is known");
        let mut many = of(&[400; 90]);
        many.merge(&of(&[9_000; 10]));
        let (half, most) = (many.percentile(50).unwrap(), many.percentile(95).unwrap());
        assert!((300..=500).contains(&half), "{half}");
        assert!((7_500..=10_000).contains(&most), "{most}");
        assert!(many.percentile(1) <= many.percentile(50));
    }
}
