//! Two clocks, which tests can move.
//!
//! The time of day is for people, and for what must be compared after a restart. It can
//! jump: somebody sets it, or the network corrects it. So durations are measured with
//! the monotonic clock, which cannot.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parlor_protocol::Timestamp;

/// Both clocks. Cheap to clone; clones show the same time.
#[derive(Debug, Clone)]
pub struct Clock {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    started: Instant,
    /// How far both clocks are ahead, in milliseconds.
    ahead: AtomicI64,
    /// How far the time of day has jumped.
    jumped: AtomicI64,
}

/// A moment of the monotonic clock: milliseconds since the process started. It has no
/// meaning in another process, and must not be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(i64);

impl Clock {
    /// The time of day, in milliseconds since 1970.
    pub fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let moved = [&self.state.ahead, &self.state.jumped].map(|by| by.load(Ordering::Relaxed));
        Timestamp(moved.into_iter().fold(milliseconds(since), i64::saturating_add))
    }

    /// The moment, by the monotonic clock.
    pub(crate) fn moment(&self) -> Moment {
        let passed = milliseconds(self.state.started.elapsed());
        Moment(passed.saturating_add(self.state.ahead.load(Ordering::Relaxed)))
    }

    /// The time that a test moved the clocks ahead to, for what the database's clock decides
    /// otherwise. A jump of this machine's time of day is not one of the database's.
    pub(crate) fn moved(&self) -> Option<Timestamp> {
        let ahead = self.state.ahead.load(Ordering::Relaxed);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (ahead != 0).then(|| Timestamp(milliseconds(since).saturating_add(ahead)))
    }

    /// How far a test moved both clocks ahead.
    pub(crate) fn ahead_ms(&self) -> i64 {
        self.state.ahead.load(Ordering::Relaxed)
    }

    /// Moves both clocks ahead, for tests of what takes days.
    pub fn advance(&self, by: Duration) {
        self.state.ahead.fetch_add(milliseconds(by), Ordering::Relaxed);
    }

    /// Sets the time of day back, for tests. The monotonic clock stays.
    pub fn set_back(&self, by: Duration) {
        self.state.jumped.fetch_sub(milliseconds(by), Ordering::Relaxed);
    }

    /// Sets the time of day ahead, for tests. The monotonic clock stays.
    pub fn set_ahead(&self, by: Duration) {
        self.state.jumped.fetch_add(milliseconds(by), Ordering::Relaxed);
    }
}

impl Default for Clock {
    fn default() -> Self {
        let (ahead, jumped) = (AtomicI64::new(0), AtomicI64::new(0));
        Self { state: Arc::new(State { started: Instant::now(), ahead, jumped }) }
    }
}

impl Moment {
    /// Later than any other.
    pub(crate) const NEVER: Self = Self(i64::MAX);

    pub(crate) const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    pub(crate) fn as_millis(self) -> i64 {
        self.0
    }

    /// The moment so much later.
    pub(crate) fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(milliseconds(span)))
    }

    /// The moment so much earlier.
    pub(crate) fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(milliseconds(span)))
    }

    /// The time since an earlier moment; zero if that is later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or_default())
    }
}

/// The time from one time of day to another; zero if that is earlier.
pub(crate) fn between(from: Timestamp, to: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(to.0.saturating_sub(from.0)).unwrap_or_default())
}

/// A time of day, so much later.
pub(crate) fn later(time: Timestamp, by: Duration) -> Timestamp {
    Timestamp(time.0.saturating_add(milliseconds(by)))
}

/// A time of day, so much earlier.
pub(crate) fn earlier(time: Timestamp, by: Duration) -> Timestamp {
    Timestamp(time.0.saturating_sub(milliseconds(by)))
}

/// A duration as a difference of timestamps.
fn milliseconds(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
