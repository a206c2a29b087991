//! Usage in memory, for a node that has its database for itself.
//!
//! It is stored a moment later, for all limits in one write ([`InMemory::save_changes`]),
//! and loaded at the start.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_storage::{RateLimitUse, StorageError, Store};
use tokio::sync::Notify;

use super::super::token_bucket::Empty;
use super::{RateLimitError, SenderBucket};
use crate::clock::Clock;

/// How long usage is only in memory.
const SAVE_AFTER: Duration = Duration::from_secs(1);
/// Beyond this number of senders, those without usage are removed.
const MANY_SENDERS: usize = 10_000;

/// What each sender has used.
#[derive(Debug)]
pub(super) struct InMemory {
    store: Store,
    clock: Clock,
    usage: Mutex<HashMap<String, SenderUsage>>,
    changed: Notify,
}

#[derive(Debug, Clone, Copy)]
struct SenderUsage {
    /// When nothing is used any more.
    full_at: i64,
    is_saved: bool,
}

impl InMemory {
    /// Nothing is used yet.
    pub(super) fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock, usage: Mutex::default(), changed: Notify::new() }
    }

    /// Takes a token of each bucket, or of none.
    pub(super) fn take(&self, buckets: Vec<SenderBucket>) -> Result<(), RateLimitError> {
        self.take_at(buckets, self.now()).map_err(RateLimitError::after)
    }

    /// The same at any time; in an error, when each bucket has a token.
    pub(super) fn take_at(&self, buckets: Vec<SenderBucket>, now: i64) -> Result<(), Duration> {
        let mut usage = self.lock();
        if usage.len() >= MANY_SENDERS {
            usage.retain(|_, usage| usage.full_at > now);
        }
        let mut after = Vec::with_capacity(buckets.len());
        let mut longest = None;
        for SenderBucket { sender, bucket } in &buckets {
            match bucket.take(usage.get(sender).map_or(now, |usage| usage.full_at), now) {
                Ok(full_at) => after.push(full_at),
                Err(Empty { wait }) => longest = longest.max(Some(wait)),
            }
        }
        if let Some(wait) = longest {
            return Err(wait);
        }
        for (SenderBucket { sender, .. }, full_at) in buckets.into_iter().zip(after) {
            usage.insert(sender, SenderUsage { full_at, is_saved: false });
        }
        drop(usage);
        self.changed.notify_one();
        Ok(())
    }

    /// Loads the usage from before the last restart.
    pub(super) async fn load(&self) -> Result<(), StorageError> {
        for RateLimitUse { sender, rested_at } in self.store.rate_limit_uses(self.now()).await? {
            self.lock().insert(sender, SenderUsage { full_at: rested_at, is_saved: true });
        }
        Ok(())
    }

    /// Stores usage a moment after it changed, until the task is aborted.
    pub(super) async fn save_changes(&self) {
        loop {
            self.changed.notified().await;
            tokio::time::sleep(SAVE_AFTER).await;
            if let Err(error) = self.save().await {
                // It stays unsaved, and is stored with the next message.
                tracing::warn!(%error, "failed to store rate limits; retrying");
            }
        }
    }

    /// Stores what is not stored yet.
    pub(super) async fn save(&self) -> Result<(), StorageError> {
        let now = self.now();
        let unsaved: Vec<RateLimitUse> = self
            .lock()
            .iter()
            .filter(|(_, usage)| !usage.is_saved && usage.full_at > now)
            .map(|(sender, usage)| RateLimitUse {
                sender: sender.clone(),
                rested_at: usage.full_at,
            })
            .collect();
        if unsaved.is_empty() {
            return Ok(());
        }
        self.store.save_rate_limit_uses(&unsaved, now).await?;
        let mut usage = self.lock();
        for RateLimitUse { sender, rested_at } in unsaved {
            // What was counted meanwhile is not saved.
            if let Some(usage) = usage.get_mut(&sender).filter(|usage| usage.full_at == rested_at) {
                usage.is_saved = true;
            }
        }
        Ok(())
    }

    /// Removes senders without usage.
    pub(super) fn remove_unused(&self) {
        let now = self.now();
        let mut usage = self.lock();
        usage.retain(|_, usage| usage.full_at > now);
        usage.shrink_to_fit();
    }

    /// The number of senders with usage.
    #[cfg(test)]
    pub(super) fn senders(&self) -> usize {
        self.lock().len()
    }

    fn now(&self) -> i64 {
        self.clock.now().0.saturating_mul(1_000)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, SenderUsage>> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
