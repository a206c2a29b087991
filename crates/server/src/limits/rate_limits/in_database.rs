//! Usage in the database, for nodes that share it.
//!
//! A message costs one round trip, and is refused if the database does not answer: whether it
//! is within the limits is not known then, and it could not be stored either.

use parlor_storage::{SharedLimits, StorageError, TokenWanted, TokensTaken};

use super::{RateLimitError, SenderBucket};
use crate::clock::Clock;

/// What each sender has used on all nodes.
#[derive(Debug)]
pub(super) struct InDatabase {
    limits: SharedLimits,
    clock: Clock,
}

impl InDatabase {
    pub(super) fn new(limits: SharedLimits, clock: Clock) -> Self {
        Self { limits, clock }
    }

    /// Takes a token of each bucket, or of none.
    pub(super) async fn take(&self, buckets: Vec<SenderBucket>) -> Result<(), RateLimitError> {
        match self.take_at(buckets, self.moved()).await {
            Ok(TokensTaken::All) => Ok(()),
            Ok(TokensTaken::NoneFor(wait)) => Err(RateLimitError::after(wait)),
            Err(error) => Err(RateLimitError::Unavailable(error)),
        }
    }

    /// The same at any time; without one, at that of the database.
    pub(super) async fn take_at(
        &self,
        buckets: Vec<SenderBucket>,
        now: Option<i64>,
    ) -> Result<TokensTaken, StorageError> {
        let wanted: Vec<TokenWanted> = buckets.into_iter().map(SenderBucket::wanted).collect();
        self.limits.take_tokens(&wanted, now).await
    }

    /// Removes senders that have been without usage for long.
    pub(super) async fn remove_unused(&self) -> Result<(), StorageError> {
        self.limits.remove_unused_buckets(self.moved()).await
    }

    /// The time that a test moved the clock to, in microseconds.
    fn moved(&self) -> Option<i64> {
        self.clock.moved().map(|time| time.0.saturating_mul(1_000))
    }
}

impl SenderBucket {
    fn wanted(self) -> TokenWanted {
        let (refill, capacity) = (self.bucket.refill(), self.bucket.capacity());
        TokenWanted { sender: self.sender, refill, capacity }
    }
}
