//! A limit on how often something may happen, of which one point in time is known:
//! from when on it is as if nothing had happened.

use std::time::Duration;

const MINUTE: i64 = 60_000_000;

/// So many a minute, all at once or one after the other. Times are in microseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    /// What one takes of a minute.
    each: i64,
}

/// There is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refused {
    /// When there is.
    pub(super) wait: Duration,
}

impl Bucket {
    pub(super) fn a_minute(count: u32) -> Self {
        Self { each: MINUTE / i64::from(count.max(1)) }
    }

    /// Takes one, if there is room: gives from when on it is as if nothing was taken.
    pub(super) fn take(self, rested_at: i64, now: i64) -> Result<i64, Refused> {
        // A clock that was set back must not lock anybody out for longer than a minute.
        let after = rested_at.clamp(now, now + MINUTE) + self.each;
        match u64::try_from(after - now - MINUTE) {
            Ok(over) if over > 0 => Err(Refused { wait: Duration::from_micros(over) }),
            _ => Ok(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minutes_worth_at_once_then_one_after_the_other() {
        let bucket = Bucket::a_minute(3);
        let now = 1_000 * MINUTE;
        let mut rested = 0;
        for _ in 0..3 {
            rested = bucket.take(rested, now).unwrap();
        }
        let Refused { wait } = bucket.take(rested, now).unwrap_err();
        assert_eq!(wait, Duration::from_secs(20));
        let then = now + 20_000_000;
        assert!(bucket.take(rested, then - 1).is_err());
        rested = bucket.take(rested, then).unwrap();
        assert!(bucket.take(rested, then).is_err());
        assert!(bucket.take(rested, then - 500 * MINUTE).is_err(), "the clock was set back");
        let far = bucket.take(rested, then - 500 * MINUTE).unwrap_err();
        assert!(far.wait <= Duration::from_secs(20));
    }
}
