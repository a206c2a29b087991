//! How fast a client may send frames of whatever kind. A person never notices;
//! a flood is not read faster than this, and waits on the client's side.

use std::time::Duration;

use tokio::time::Instant;

/// One frame in so much time …
const EACH: Duration = Duration::from_millis(20);
/// … but so many at once.
const AT_ONCE: u32 = 100;

/// How much of it a client has used.
#[derive(Debug)]
pub(super) struct Pace {
    /// From when on it is as if nothing had come.
    rested_at: Instant,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { rested_at: now }
    }

    /// Counts a frame.
    pub(super) fn count(&mut self, now: Instant) {
        self.rested_at = self.rested_at.max(now) + EACH;
    }

    /// When the next frame is read, if that is not now.
    pub(super) fn resumes_at(&self, now: Instant) -> Option<Instant> {
        let ahead = self.rested_at.saturating_duration_since(now);
        let too_far = ahead.checked_sub(EACH * (AT_ONCE - 1))?;
        (!too_far.is_zero()).then(|| now + too_far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FAULTS 15: of a million tiny frames a hundred are read, then fifty a second.
    #[test]
    fn a_flood_is_slowed_down_and_a_person_is_not() {
        let mut now = Instant::now();
        let mut pace = Pace::new(now);
        let burst = |pace: &mut Pace, now: Instant| {
            for _ in 0..AT_ONCE {
                assert_eq!(pace.resumes_at(now), None);
                pace.count(now);
            }
        };
        burst(&mut pace, now);
        for _ in 0..3 {
            assert_eq!(pace.resumes_at(now), Some(now + EACH));
            now += EACH;
            assert_eq!(pace.resumes_at(now), None);
            pace.count(now);
        }
        now += EACH * AT_ONCE;
        burst(&mut pace, now);
        assert!(pace.resumes_at(now).is_some());
    }
}
