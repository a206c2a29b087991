//! The time of day.
//!
//! Nodes that share a database follow its clock, so that they agree on when a prompt
//! expires, however far their own clocks are apart.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use parlor_protocol::Timestamp;

/// How far the database's clock is ahead of this machine's, in milliseconds. There is one
/// clock in a process, as there is one in a machine.
static AHEAD: AtomicI64 = AtomicI64::new(0);
/// A smaller difference is the way to the database and back.
const TOLERANCE_MS: i64 = 500;

/// The current time of day.
pub(crate) fn now() -> Timestamp {
    Timestamp(own().saturating_add(AHEAD.load(Ordering::Relaxed)))
}

/// Follows the database's clock, which has just shown this time.
pub(crate) fn follow(database: Timestamp) {
    let ahead = database.0.saturating_sub(own());
    let known = AHEAD.load(Ordering::Relaxed);
    if ahead.saturating_sub(known).saturating_abs() > TOLERANCE_MS {
        tracing::warn!(ahead_ms = ahead, "the database's clock differs from this machine's");
        AHEAD.store(ahead, Ordering::Relaxed);
    }
}

fn own() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
