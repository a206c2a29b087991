//! How long to wait before a server is started again.
//!
//! Each failure doubles the delay, up to a minute. A server that was up for long enough starts from
//! the shortest delay again. Delays have jitter, so that servers that died together do not restart
//! together.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(60);
/// A server that was up this long is not in a crash loop.
const A_WHILE: Duration = Duration::from_secs(30);

/// The delays of one server.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The delay before the next start.
    pub(super) fn next(&mut self) -> Duration {
        let doubled = FIRST.saturating_mul(1 << self.failures.min(16)).min(LONGEST);
        self.failures += 1;
        doubled.mul_f64(spread())
    }

    /// Records how long the server was up. If that was long enough, or if it answered a call, the
    /// backoff starts again.
    pub(super) fn was_up(&mut self, how_long: Duration, has_worked: bool) {
        if has_worked || how_long >= A_WHILE {
            self.failures = 0;
        }
    }
}

/// Jitter: a factor between 0.75 and 1.
fn spread() -> f64 {
    let random = RandomState::new().hash_one(0) >> 11;
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let unit = random as f64 / (1_u64 << 53) as f64;
    0.75 + unit / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FAULTS 5: the backoff has a maximum, and starts again after a server was up for a while.
    #[test]
    fn waits_double_up_to_a_cap() {
        let mut backoff = Backoff::default();
        let waits: Vec<Duration> = (0..20).map(|_| backoff.next()).collect();
        assert!(waits[0] >= FIRST.mul_f64(0.75) && waits[0] <= FIRST, "{waits:?}");
        assert!(waits[3] >= FIRST.mul_f64(6.0) && waits[3] <= FIRST * 8, "{waits:?}");
        assert!(waits.iter().all(|wait| *wait <= LONGEST), "{waits:?}");
        assert!(waits[19] >= LONGEST.mul_f64(0.75), "{waits:?}");
        backoff.was_up(FIRST, false);
        assert!(backoff.next() > FIRST, "it is still in its crash loop");
        backoff.was_up(A_WHILE, false);
        assert!(backoff.next() <= FIRST);
        backoff.next();
        backoff.was_up(FIRST, true);
        assert!(backoff.next() <= FIRST);
    }
}
