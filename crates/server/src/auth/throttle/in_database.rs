//! Attempts in the database, for nodes that share it. A login that the database does not count
//! fails: an attempt that nobody counts would be free.

use std::net::IpAddr;
use std::time::Duration;

use parlor_storage::{AttemptRules, LoginAttempt, SharedLimits, StorageError};

use super::{
    Attempt, FORGET_AFTER, FREE, MANY_FAILURES, MANY_OF_A_NAME, MOST_DOUBLINGS, Target, delay,
    pause,
};
use crate::clock::Clock;

/// Recent login attempts on all nodes.
#[derive(Debug)]
pub(crate) struct InDatabase {
    limits: SharedLimits,
    clock: Clock,
    /// After each attempt, up to the longest pause.
    pauses: Vec<Duration>,
}

impl InDatabase {
    pub(super) fn new(limits: SharedLimits, clock: Clock) -> Self {
        let pauses = (1..=FREE + MOST_DOUBLINGS).map(pause).collect();
        Self { limits, clock, pauses }
    }

    pub(super) async fn begin(
        &self,
        from: IpAddr,
        target: Target<'_>,
    ) -> Result<Attempt, StorageError> {
        self.begin_at(from, target, self.moved()).await
    }

    /// The same at any time; without one, at that of the database.
    pub(super) async fn begin_at(
        &self,
        from: IpAddr,
        target: Target<'_>,
        now: Option<i64>,
    ) -> Result<Attempt, StorageError> {
        let (address, rules) = (from.to_string(), self.rules());
        let (tenant, name) = (target.tenant.as_str(), target.name);
        let attempt = self.limits.begin_attempt(&address, tenant, name, &rules, now);
        Ok(match attempt.await? {
            LoginAttempt::Counted { is_attacked } => Attempt::CheckAfter(delay(is_attacked)),
            LoginAttempt::TooEarly(wait) => Attempt::RetryAfter(wait),
        })
    }

    pub(super) async fn succeeded(&self, from: IpAddr) -> Result<(), StorageError> {
        self.limits.forget_attempts(&from.to_string()).await
    }

    pub(super) async fn failed(&self, target: Target<'_>) -> Result<(), StorageError> {
        self.failed_at(target, self.moved()).await
    }

    /// The same at any time; without one, at that of the database.
    pub(super) async fn failed_at(
        &self,
        target: Target<'_>,
        now: Option<i64>,
    ) -> Result<(), StorageError> {
        self.limits.count_failure(target.tenant.as_str(), target.name, now).await
    }

    pub(super) async fn forget_old(&self) -> Result<(), StorageError> {
        self.limits.remove_old_attempts(&self.rules(), self.moved()).await
    }

    fn rules(&self) -> AttemptRules<'_> {
        AttemptRules {
            pauses: &self.pauses,
            forget_after: FORGET_AFTER,
            many_failures: MANY_FAILURES,
            many_of_a_name: MANY_OF_A_NAME,
        }
    }

    /// The time that a test moved the clock to, in milliseconds.
    fn moved(&self) -> Option<i64> {
        self.clock.moved().map(|time| time.0)
    }
}
