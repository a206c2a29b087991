//! When an open prompt lapses, by a clock that nobody can set.
//!
//! The row has a time of day: for people, and for the next run of the server. The turn
//! that waits reads it once, as what is left of it, and counts that down by the steady
//! clock. If the time of day jumps meanwhile, the row is corrected: the prompt neither
//! stays open for years nor lapses before anyone could read it.

use std::time::Duration;

use parlor_protocol::Timestamp;
use tokio::time::Instant;

use crate::texts::now;

/// A prompt is never given more than this at once, unless its tool is.
const LONGEST: Duration = Duration::from_secs(86_400);
/// Clocks that differ by less have not jumped.
const JUMP: Duration = Duration::from_secs(2);

/// The end of a prompt's time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    /// As it stands in the row.
    at: Timestamp,
    ends: Instant,
}

impl Deadline {
    /// What a row says now; `usual` is how long such a prompt waits.
    pub(super) fn read(at: Option<Timestamp>, usual: Option<i64>) -> Option<Self> {
        at.map(|at| Self::seen(at, usual, now(), Instant::now()))
    }

    /// Whether this is what the row says.
    pub(super) fn is(this: Option<Self>, at: Option<Timestamp>) -> bool {
        this.map(|deadline| deadline.at) == at
    }

    /// How long it is until then.
    pub(super) fn left(&self) -> Duration {
        self.left_at(Instant::now())
    }

    /// What the row should say, if the time of day has jumped.
    pub(super) fn correction(&self) -> Option<Timestamp> {
        self.correction_at(now(), Instant::now())
    }

    /// The time of day at which it has lapsed, whatever a clock says that is a little
    /// slow.
    pub(super) fn lapsed_at(&self) -> Timestamp {
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

/// So many milliseconds; none if there are fewer.
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

    /// P-4: half a minute is half a minute, whatever happens to the time of day, and
    /// the row is told.
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

    /// P-4: a time that no prompt is given is not believed.
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
