//! A token bucket whose whole state is one point in time: when it is full again.
//!
//! `SharedLimits::take_tokens` does the same arithmetic in the database; a test compares them.

use std::time::Duration;

const MINUTE: i64 = 60_000_000;

/// A number of tokens per minute, which may be taken all at once. Times are in
/// microseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenBucket {
    /// How long one token takes to refill.
    refill: i64,
}

/// The bucket is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Empty {
    /// Until a token is there.
    pub(super) wait: Duration,
}

impl TokenBucket {
    pub(super) fn per_minute(tokens: u32) -> Self {
        Self { refill: MINUTE / i64::from(tokens.max(1)) }
    }

    /// How long one token takes to refill.
    pub(super) fn refill(self) -> i64 {
        self.refill
    }

    /// How long an empty bucket takes to refill.
    pub(super) fn capacity(self) -> i64 {
        MINUTE
    }

    /// Takes a token, if there is one: returns when the bucket is full again.
    pub(super) fn take(self, full_at: i64, now: i64) -> Result<i64, Empty> {
        // A clock that was set back must not lock anybody out for longer than a minute.
        let after = full_at.clamp(now, now + MINUTE) + self.refill;
        match u64::try_from(after - now - MINUTE) {
            Ok(over) if over > 0 => Err(Empty { wait: Duration::from_micros(over) }),
            _ => Ok(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minutes_worth_at_once_then_one_after_the_other() {
        let bucket = TokenBucket::per_minute(3);
        let now = 1_000 * MINUTE;
        let mut full_at = 0;
        for _ in 0..3 {
            full_at = bucket.take(full_at, now).unwrap();
        }
        let Empty { wait } = bucket.take(full_at, now).unwrap_err();
        assert_eq!(wait, Duration::from_secs(20));
        let then = now + 20_000_000;
        assert!(bucket.take(full_at, then - 1).is_err());
        full_at = bucket.take(full_at, then).unwrap();
        assert!(bucket.take(full_at, then).is_err());
        assert!(bucket.take(full_at, then - 500 * MINUTE).is_err(), "the clock was set back");
        let far = bucket.take(full_at, then - 500 * MINUTE).unwrap_err();
        assert!(far.wait <= Duration::from_secs(20));
    }
}
