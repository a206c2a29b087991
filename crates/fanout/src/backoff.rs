//! How long to wait before the next attempt.

use std::time::Duration;

const SHORTEST: Duration = Duration::from_millis(50);

/// Twice as long after each attempt, up to a limit.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    longest: Duration,
}

impl Backoff {
    pub(crate) fn up_to(longest: Duration) -> Self {
        Self { next: SHORTEST, longest }
    }

    /// The pause before the next attempt.
    pub(crate) fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause
    }

    /// An attempt succeeded.
    pub(crate) fn reset(&mut self) {
        self.next = SHORTEST;
    }
}
