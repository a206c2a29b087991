//! Messages per minute, by session, by address, by project and by tenant.
//!
//! - A message must be within all of these limits, and counts against all of them. A
//!   refusal says when the next message is accepted.
//! - Usage is stored a moment later, for all limits in one write
//!   ([`RateLimits::save_changes`]), and loaded at the start: a restart resets no
//!   limit, and a new login only that of the session.
//! - Addresses that several clients may share are not limited: see [`ClientAddress`].
//!
//! [`ClientAddress`]: crate::client_address::ClientAddress

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_protocol::{ProjectId, TenantId};
use parlor_storage::{RateLimitUse, StorageError, Store};
use tokio::sync::Notify;

use super::token_bucket::{Empty, TokenBucket};
use crate::clock::Clock;
use crate::config::Limits;

/// How long usage is only in memory.
const SAVE_AFTER: Duration = Duration::from_secs(1);
/// Previews of edited tool calls, per session.
const PREVIEWS_PER_MINUTE: u32 = 60;
/// Beyond this number of senders, those without usage are removed.
const MANY_SENDERS: usize = 10_000;

/// The sender of a message.
#[derive(Debug, Clone, Copy)]
pub struct Sender<'s> {
    /// The session or key.
    pub session: &'s str,
    /// The address, if it belongs to one client.
    pub address: Option<IpAddr>,
    /// The tenant.
    pub tenant: &'s TenantId,
    /// The project, if the message is for one.
    pub project: Option<&'s ProjectId>,
}

/// The limits, and how much of them each sender has used.
#[derive(Debug)]
pub struct RateLimits {
    session: TokenBucket,
    address: TokenBucket,
    project: TokenBucket,
    tenant: TokenBucket,
    clock: Clock,
    usage: Mutex<HashMap<String, Usage>>,
    changed: Notify,
}

#[derive(Debug, Clone, Copy)]
struct Usage {
    /// When nothing is used any more.
    full_at: i64,
    is_saved: bool,
}

impl RateLimits {
    /// Limits of which nothing is used yet.
    pub fn new(limits: &Limits, clock: Clock) -> Self {
        Self {
            session: TokenBucket::per_minute(limits.messages_per_minute),
            address: TokenBucket::per_minute(limits.address_messages_per_minute),
            project: TokenBucket::per_minute(limits.project_messages_per_minute),
            tenant: TokenBucket::per_minute(limits.tenant_messages_per_minute),
            clock,
            usage: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Counts a message. Over a limit: in how many seconds the next one is accepted.
    pub fn take(&self, sender: &Sender<'_>) -> Result<(), u64> {
        self.count(self.buckets(sender))
    }

    /// Counts a preview of an edited tool call. The web interface asks for one
    /// whenever the person who edits pauses.
    pub fn take_preview(&self, session: &str) -> Result<(), u64> {
        self.count(vec![(
            format!("preview:{session}"),
            TokenBucket::per_minute(PREVIEWS_PER_MINUTE),
        )])
    }

    /// Takes a token of each bucket, or of none.
    fn count(&self, buckets: Vec<(String, TokenBucket)>) -> Result<(), u64> {
        let now = self.now();
        let mut usage = self.lock();
        if usage.len() >= MANY_SENDERS {
            usage.retain(|_, usage| usage.full_at > now);
        }
        let mut after = Vec::with_capacity(buckets.len());
        let mut longest = None;
        for (sender, bucket) in &buckets {
            match bucket.take(usage.get(sender).map_or(now, |usage| usage.full_at), now) {
                Ok(full_at) => after.push(full_at),
                Err(Empty { wait }) => longest = longest.max(Some(wait)),
            }
        }
        if let Some(wait) = longest {
            return Err(wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
        }
        for ((sender, _), full_at) in buckets.into_iter().zip(after) {
            usage.insert(sender, Usage { full_at, is_saved: false });
        }
        drop(usage);
        self.changed.notify_one();
        Ok(())
    }

    /// Loads the usage from before the last restart.
    pub async fn load(&self, store: &Store) -> Result<(), StorageError> {
        for RateLimitUse { sender, rested_at } in store.rate_limit_uses(self.now()).await? {
            self.lock().insert(sender, Usage { full_at: rested_at, is_saved: true });
        }
        Ok(())
    }

    /// Stores usage a moment after it changed, until the task is aborted.
    pub async fn save_changes(&self, store: &Store) {
        loop {
            self.changed.notified().await;
            tokio::time::sleep(SAVE_AFTER).await;
            if let Err(error) = self.save(store).await {
                // It stays unsaved, and is stored with the next message.
                tracing::warn!(%error, "failed to store rate limits; retrying");
            }
        }
    }

    /// Stores what is not stored yet.
    pub async fn save(&self, store: &Store) -> Result<(), StorageError> {
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
        store.save_rate_limit_uses(&unsaved, now).await?;
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
    pub fn remove_unused(&self) {
        let now = self.now();
        let mut usage = self.lock();
        usage.retain(|_, usage| usage.full_at > now);
        usage.shrink_to_fit();
    }

    fn buckets(&self, sender: &Sender<'_>) -> Vec<(String, TokenBucket)> {
        let Sender { session, address, tenant, project } = sender;
        let mut buckets = vec![
            (format!("session:{session}"), self.session),
            (format!("tenant:{tenant}"), self.tenant),
        ];
        buckets
            .extend(project.map(|project| (format!("project:{tenant}/{project}"), self.project)));
        buckets.extend(address.map(|address| (format!("address:{address}"), self.address)));
        buckets
    }

    fn now(&self) -> i64 {
        self.clock.now().0.saturating_mul(1_000)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Usage>> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};

    fn limits(clock: &Clock) -> RateLimits {
        let mut limits = Config::load(&Sources::default()).unwrap().server.limits;
        limits.messages_per_minute = 2;
        limits.address_messages_per_minute = 3;
        limits.project_messages_per_minute = 4;
        limits.tenant_messages_per_minute = 6;
        RateLimits::new(&limits, clock.clone())
    }

    /// N-1, FAULTS 29: the first limit that is reached counts; a refused message counts
    /// against none.
    #[test]
    fn every_limit_counts() {
        let clock = Clock::default();
        let limits = limits(&clock);
        let tenant: TenantId = "home".parse().unwrap();
        let projects: Vec<ProjectId> = ["a", "b"].map(|id| id.parse().unwrap()).into();
        let send = |session: &str, address: u32, project: usize| {
            let address = Some(IpAddr::V4(address.into()));
            let project = Some(&projects[project]);
            limits.take(&Sender { session, address, tenant: &tenant, project })
        };
        assert_eq!([send("s1", 1, 0), send("s1", 1, 0)], [Ok(()), Ok(())]);
        assert_eq!(send("s1", 2, 1), Err(30), "of the session");
        assert_eq!(send("s2", 1, 0), Ok(()));
        assert_eq!(send("s2", 1, 1), Err(20), "of the address");
        assert_eq!(send("s2", 2, 0), Ok(()));
        assert_eq!(send("s3", 3, 0), Err(15), "of the project");
        assert_eq!([send("s3", 3, 1), send("s4", 4, 1)], [Ok(()), Ok(())]);
        assert_eq!(send("s5", 5, 1), Err(10), "of the tenant");
        let other = "other".parse().unwrap();
        let elsewhere =
            Sender { session: "s9", address: None, tenant: &other, project: Some(&projects[0]) };
        assert_eq!(limits.take(&elsewhere), Ok(()), "another tenant is not disturbed");
        clock.advance(Duration::from_secs(10));
        assert_eq!(send("s5", 5, 1), Ok(()), "after the time that the refusal named");
    }

    /// FAULTS 29: usage survives a restart.
    #[tokio::test]
    async fn usage_survives_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("parlor.db")).await.unwrap();
        let clock = Clock::default();
        let tenant: TenantId = "home".parse().unwrap();
        let sender = Sender { session: "s", address: None, tenant: &tenant, project: None };
        let before = limits(&clock);
        assert_eq!([before.take(&sender), before.take(&sender)], [Ok(()), Ok(())]);
        before.save(&store).await.unwrap();

        let after = limits(&clock);
        after.load(&store).await.unwrap();
        assert!(after.take(&sender).is_err());
        clock.advance(Duration::from_secs(61));
        after.remove_unused();
        assert!(after.lock().is_empty());
        assert_eq!(after.take(&sender), Ok(()));
        after.save(&store).await.unwrap();
        let kept = store.rate_limit_uses(after.now()).await.unwrap();
        assert_eq!(kept.len(), 2, "the session and the tenant");
    }
}
