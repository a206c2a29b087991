//! A stop takes effect within a second while nothing is broken.

use std::time::Duration;

use crate::violation::{Kind, Violation};

/// What ninety-nine of a hundred stops must keep.
const LONGEST: Duration = Duration::from_secs(1);

pub(super) fn check(stops: &[Duration]) -> Option<Violation> {
    let slow = percentile(stops, 99).filter(|time| *time > LONGEST)?;
    Some(Kind::StopSlow.because(format!("{slow:.1?} (p99 of {})", stops.len())))
}

/// The time that so many percent of all keep.
pub(crate) fn percentile(times: &[Duration], percent: usize) -> Option<Duration> {
    let mut times = times.to_vec();
    times.sort_unstable();
    let last = times.len().checked_sub(1)?;
    times.get(last * percent / 100).copied()
}
