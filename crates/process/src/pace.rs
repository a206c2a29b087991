//! Limits on the work that a child can cause: on lines in the log and on bytes that are read.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

const SECOND: Duration = Duration::from_secs(1);

/// Lets one log line through in a second, and counts the others.
#[derive(Debug, Default)]
pub struct OncePerSecond(Mutex<Gate>);

#[derive(Debug, Default)]
struct Gate {
    last: Option<Instant>,
    held_back: u64,
}

impl OncePerSecond {
    /// If a line may pass: how many were held back since the last one.
    pub fn pass(&self) -> Option<u64> {
        let mut gate = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if gate.last.is_some_and(|last| now < last + SECOND) {
            gate.held_back += 1;
            return None;
        }
        gate.last = Some(now);
        Some(std::mem::take(&mut gate.held_back))
    }
}

/// A budget for each second. Taking more waits for the next second; the child waits too,
/// because its pipe fills up.
#[derive(Debug)]
pub struct Budget {
    per_second: usize,
    left: usize,
    since: Instant,
}

impl Budget {
    /// A budget of this amount for each second.
    pub fn new(per_second: usize) -> Self {
        Self { per_second, left: per_second, since: Instant::now() }
    }

    /// Takes an amount, and waits for the next second if nothing is left. Cancel-safe: the
    /// amount is taken in any case.
    pub async fn take(&mut self, amount: usize) {
        if self.since.elapsed() >= SECOND {
            *self = Self::new(self.per_second);
        }
        self.left = self.left.saturating_sub(amount);
        if self.left == 0 {
            sleep_until(self.since + SECOND).await;
            *self = Self::new(self.per_second);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FAULTS 5: at most a line a second.
    #[tokio::test(start_paused = true)]
    async fn one_a_second_passes_and_the_rest_is_counted() {
        let gate = OncePerSecond::default();
        assert_eq!(gate.pass(), Some(0));
        assert_eq!([gate.pass(), gate.pass()], [None, None]);
        tokio::time::sleep(SECOND).await;
        assert_eq!(gate.pass(), Some(2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_budget_is_spent_and_comes_back() {
        let begin = Instant::now();
        let mut budget = Budget::new(10);
        budget.take(6).await;
        assert_eq!(begin.elapsed(), Duration::ZERO);
        budget.take(6).await;
        assert_eq!(begin.elapsed(), SECOND);
        budget.take(6).await;
        assert_eq!(begin.elapsed(), SECOND);
    }
}
