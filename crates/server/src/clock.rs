//! The time of day, which a test can move.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parlor_protocol::Timestamp;

/// Tells the time. Cheap to clone; clones tell the same.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    ahead: Arc<AtomicI64>,
}

impl Clock {
    /// Milliseconds since 1970.
    pub fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(milliseconds(since).saturating_add(self.ahead.load(Ordering::Relaxed)))
    }

    /// Moves the time, for tests of what takes days.
    pub fn advance(&self, by: Duration) {
        self.ahead.fetch_add(milliseconds(by), Ordering::Relaxed);
    }
}

/// A length of time as a difference of timestamps.
pub(crate) fn milliseconds(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
