//! A limit on how fast a client may send frames of any kind. People never reach it;
//! a flood is not read faster than this, and waits on the client's side.

use std::time::Duration;

use tokio::time::Instant;

/// One frame in this time …
const INTERVAL: Duration = Duration::from_millis(20);
/// … but so many at once.
const BURST: u32 = 100;

/// The frame rate of one client.
#[derive(Debug)]
pub(super) struct FrameRateLimit {
    /// When the whole burst is available again.
    full_at: Instant,
}

impl FrameRateLimit {
    pub(super) fn new(now: Instant) -> Self {
        Self { full_at: now }
    }

    /// Counts a frame.
    pub(super) fn count(&mut self, now: Instant) {
        self.full_at = self.full_at.max(now) + INTERVAL;
    }

    /// When the next frame may be read, if that is not now.
    pub(super) fn paused_until(&self, now: Instant) -> Option<Instant> {
        let used = self.full_at.saturating_duration_since(now);
        let excess = used.checked_sub(INTERVAL * (BURST - 1))?;
        (!excess.is_zero()).then(|| now + excess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FAULTS 15: of a million tiny frames a hundred are read, then fifty a second.
    #[test]
    fn a_flood_is_slowed_down_and_a_person_is_not() {
        let mut now = Instant::now();
        let mut limit = FrameRateLimit::new(now);
        let burst = |limit: &mut FrameRateLimit, now: Instant| {
            for _ in 0..BURST {
                assert_eq!(limit.paused_until(now), None);
                limit.count(now);
            }
        };
        burst(&mut limit, now);
        for _ in 0..3 {
            assert_eq!(limit.paused_until(now), Some(now + INTERVAL));
            now += INTERVAL;
            assert_eq!(limit.paused_until(now), None);
            limit.count(now);
        }
        now += INTERVAL * BURST;
        burst(&mut limit, now);
        assert!(limit.paused_until(now).is_some());
    }
}
