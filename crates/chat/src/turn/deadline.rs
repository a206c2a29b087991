//! The deadline of an open prompt, by the monotonic clock.
//!
//! The row has a time of day, for people and for the next run of the server. The turn that
//! waits reads it once, as a duration from now, and counts that down by the monotonic clock.
//! If the time of day jumps meanwhile, the row is corrected: the prompt neither stays open
//! for years nor expires before anyone could read it.

use std::time::Duration;

use parlor_protocol::Timestamp;
use tokio::time::Instant;

use crate::clock::now;

/// The longest time that a row is trusted with, unless the prompt usually waits longer.
const LONGEST: Duration = Duration::from_secs(86_400);
/// A smaller difference between the clocks is no jump.
const JUMP: Duration = Duration::from_secs(2);

/// When an open prompt expires.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    /// The time of day in the row.
    at: Timestamp,
    ends: Instant,
}

impl Deadline {
    /// Reads the time of day of a row; `usual` is how long such a prompt waits, in ms.
    pub(super) fn read(at: Option<Timestamp>, usual: Option<i64>) -> Option<Self> {
        at.map(|at| Self::seen(at, usual, now(), Instant::now()))
    }

    /// Whether the row still has this time of day.
    pub(super) fn is(this: Option<Self>, at: Option<Timestamp>) -> bool {
        this.map(|deadline| deadline.at) == at
    }

    /// The time that is left.
    pub(super) fn left(&self) -> Duration {
        self.left_at(Instant::now())
    }

    /// The right time of day for the row, if the clock has jumped.
    pub(super) fn correction(&self) -> Option<Timestamp> {
        self.correction_at(now(), Instant::now())
    }

    /// The time of day of the expiry, never before that of the row.
    pub(super) fn expired_at(&self) -> Timestamp {
        self.at.max(now())
    }

    fn seen(at: Timestamp, usual: Option<i64>, now: Timestamp, moment: Instant) -> Self {
        let most = usual.map_or(LONGEST, |ms| LONGEST.max(span(ms)));
        Self { at, ends: moment + span(at.0.saturating_sub(now.0)).min(most) }
    }

    fn left_at(&self, moment: Instant) -> Duration {
        self.ends.saturating_duration_since(moment)
    }

    fn correction_at(&self, now: Timestamp, moment: Instant) -> Option<Timestamp> {
        let left = i64::try_from(self.left_at(moment).as_millis()).unwrap_or(i64::MAX);
        let right = Timestamp(now.0.saturating_add(left));
        (span(right.0.saturating_sub(self.at.0).saturating_abs()) > JUMP).then_some(right)
    }
}

/// A number of milliseconds; zero if it is negative.
fn span(ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(ms).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_800_000_000_000);
    const TEN_YEARS: i64 = 10 * 365 * 86_400_000;

    fn in_half_a_minute(moment: Instant) -> Deadline {
        Deadline::seen(Timestamp(NOW.0 + 30_000), Some(30_000), NOW, moment)
    }

    /// P-4: half a minute is half a minute, whatever happens to the time of day, and the
    /// row is corrected.
    #[test]
    fn a_jump_of_the_clock_does_not_change_how_long_is_left() {
        let start = Instant::now();
        let deadline = in_half_a_minute(start);
        let later = start + span(10_000);
        assert_eq!(deadline.left_at(later), span(20_000));
        assert_eq!(deadline.correction_at(Timestamp(NOW.0 + 10_000), later), None);
        assert_eq!(deadline.correction_at(Timestamp(NOW.0 + 10_900), later), None, "a little off");
        for jump in [-TEN_YEARS, -60_000, 60_000, TEN_YEARS] {
            let now = Timestamp(NOW.0 + 10_000 + jump);
            let right = Some(Timestamp(now.0 + 20_000));
            assert_eq!(deadline.correction_at(now, later), right, "{jump}");
        }
        assert_eq!(deadline.left_at(start + span(31_000)), Duration::ZERO);
    }

    /// P-4: a time that no prompt has is not trusted.
    #[test]
    fn an_absurd_end_is_not_waited_for() {
        let start = Instant::now();
        let far = Timestamp(NOW.0 + TEN_YEARS);
        assert_eq!(Deadline::seen(far, Some(30_000), NOW, start).left_at(start), LONGEST);
        let week = 7 * 86_400_000;
        assert_eq!(Deadline::seen(far, Some(week), NOW, start).left_at(start), span(week));
        let past = Timestamp(NOW.0 - 1);
        assert_eq!(Deadline::seen(past, None, NOW, start).left_at(start), Duration::ZERO);
    }
}
