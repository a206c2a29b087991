//! How often messages may come: by session, by address, by project and by tenant.
//!
//! - Each of them has a number of messages a minute; a message is taken if all of
//!   them have room, and counts for all. A refusal says when there is room.
//! - What was used is one point in time for each ([`Bucket`]). It is written down a
//!   moment later, for all in one write ([`Quotas::keep`]), and read at the start: a
//!   restart gives nobody their limits anew, and a new login only those of a session.
//! - An address that many may share without our knowing is not limited: see
//!   [`crate::auth::ClientAddress`].

mod bucket;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_protocol::{ProjectId, TenantId};
use parlor_storage::{RateLimitUse, StorageError, Store};
use tokio::sync::Notify;

use crate::clock::Clock;
use crate::config::Limits;
use bucket::{Bucket, Refused};

/// How long what was used is only in memory.
const SAVE_AFTER: Duration = Duration::from_secs(1);
/// How often a session may ask what an edited call would change.
const PREVIEWS_A_MINUTE: u32 = 60;
/// More senders than this are not kept apart from those that have rested.
const MANY: usize = 10_000;

/// Who sends a message.
#[derive(Debug, Clone, Copy)]
pub struct Sender<'s> {
    /// The session or key.
    pub session: &'s str,
    /// The address, if it is one client's.
    pub address: Option<IpAddr>,
    /// The tenant.
    pub tenant: &'s TenantId,
    /// The project, if it is for one.
    pub project: Option<&'s ProjectId>,
}

/// What senders have used of their limits.
#[derive(Debug)]
pub struct Quotas {
    session: Bucket,
    address: Bucket,
    project: Bucket,
    tenant: Bucket,
    clock: Clock,
    used: Mutex<HashMap<String, Used>>,
    changed: Notify,
}

#[derive(Debug, Clone, Copy)]
struct Used {
    rested_at: i64,
    is_saved: bool,
}

impl Quotas {
    /// Nothing is used yet.
    pub fn new(limits: &Limits, clock: Clock) -> Self {
        Self {
            session: Bucket::a_minute(limits.messages_per_minute),
            address: Bucket::a_minute(limits.address_messages_per_minute),
            project: Bucket::a_minute(limits.project_messages_per_minute),
            tenant: Bucket::a_minute(limits.tenant_messages_per_minute),
            clock,
            used: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Counts a message. Over a limit: in how many seconds the next one is taken.
    pub fn take(&self, sender: &Sender<'_>) -> Result<(), u64> {
        self.count(self.asked(sender))
    }

    /// Counts that a session asks what an edited call would change. A page asks
    /// whenever the person who edits pauses.
    pub fn take_preview(&self, session: &str) -> Result<(), u64> {
        self.count(vec![(format!("preview:{session}"), Bucket::a_minute(PREVIEWS_A_MINUTE))])
    }

    /// Takes one of each, or of none.
    fn count(&self, asked: Vec<(String, Bucket)>) -> Result<(), u64> {
        let now = self.now();
        let mut used = self.lock();
        if used.len() >= MANY {
            used.retain(|_, used| used.rested_at > now);
        }
        let mut after = Vec::with_capacity(asked.len());
        let mut longest = None;
        for (key, bucket) in &asked {
            match bucket.take(used.get(key).map_or(now, |used| used.rested_at), now) {
                Ok(rested_at) => after.push(rested_at),
                Err(Refused { wait }) => longest = longest.max(Some(wait)),
            }
        }
        if let Some(wait) = longest {
            return Err(wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
        }
        for ((key, _), rested_at) in asked.into_iter().zip(after) {
            used.insert(key, Used { rested_at, is_saved: false });
        }
        drop(used);
        self.changed.notify_one();
        Ok(())
    }

    /// Reads what was used before the last restart.
    pub async fn load(&self, store: &Store) -> Result<(), StorageError> {
        for RateLimitUse { sender, rested_at } in store.rate_limit_uses(self.now()).await? {
            self.lock().insert(sender, Used { rested_at, is_saved: true });
        }
        Ok(())
    }

    /// Writes down what is used, a moment after it was.
    pub async fn keep(&self, store: &Store) {
        loop {
            self.changed.notified().await;
            tokio::time::sleep(SAVE_AFTER).await;
            if let Err(error) = self.save(store).await {
                // It stays unsaved, and comes with the next message.
                tracing::warn!(%error, "used limits could not be stored yet");
            }
        }
    }

    /// Writes down what is not written yet.
    pub async fn save(&self, store: &Store) -> Result<(), StorageError> {
        let now = self.now();
        let unsaved: Vec<RateLimitUse> = self
            .lock()
            .iter()
            .filter(|(_, used)| !used.is_saved && used.rested_at > now)
            .map(|(sender, used)| RateLimitUse {
                sender: sender.clone(),
                rested_at: used.rested_at,
            })
            .collect();
        if unsaved.is_empty() {
            return Ok(());
        }
        store.save_rate_limit_uses(&unsaved, now).await?;
        let mut used = self.lock();
        for RateLimitUse { sender, rested_at } in unsaved {
            // What was sent meanwhile is not saved.
            if let Some(used) = used.get_mut(&sender).filter(|used| used.rested_at == rested_at) {
                used.is_saved = true;
            }
        }
        Ok(())
    }

    /// Forgets senders that have rested.
    pub fn forget_rested(&self) {
        let now = self.now();
        let mut used = self.lock();
        used.retain(|_, used| used.rested_at > now);
        used.shrink_to_fit();
    }

    fn asked(&self, sender: &Sender<'_>) -> Vec<(String, Bucket)> {
        let Sender { session, address, tenant, project } = sender;
        let mut asked = vec![
            (format!("session:{session}"), self.session),
            (format!("tenant:{tenant}"), self.tenant),
        ];
        asked.extend(project.map(|project| (format!("project:{tenant}/{project}"), self.project)));
        asked.extend(address.map(|address| (format!("address:{address}"), self.address)));
        asked
    }

    fn now(&self) -> i64 {
        self.clock.now().0.saturating_mul(1_000)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Used>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Sources};

    fn quotas(clock: &Clock) -> Quotas {
        let mut limits = Config::load(&Sources::default()).unwrap().server.limits;
        limits.messages_per_minute = 2;
        limits.address_messages_per_minute = 3;
        limits.project_messages_per_minute = 4;
        limits.tenant_messages_per_minute = 6;
        Quotas::new(&limits, clock.clone())
    }

    /// N-1, FAULTS 29: whichever limit is reached first counts, and what is refused
    /// counts for none.
    #[test]
    fn every_limit_counts() {
        let clock = Clock::default();
        let quotas = quotas(&clock);
        let tenant: TenantId = "home".parse().unwrap();
        let projects: Vec<ProjectId> = ["a", "b"].map(|id| id.parse().unwrap()).into();
        let send = |session: &str, address: u32, project: usize| {
            let address = Some(IpAddr::V4(address.into()));
            let project = Some(&projects[project]);
            quotas.take(&Sender { session, address, tenant: &tenant, project })
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
        assert_eq!(quotas.take(&elsewhere), Ok(()), "another tenant is not disturbed");
        clock.advance(Duration::from_secs(10));
        assert_eq!(send("s5", 5, 1), Ok(()), "after the time that was told");
    }

    /// FAULTS 29: limits hold over a restart.
    #[tokio::test]
    async fn what_was_used_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("parlor.db")).await.unwrap();
        let clock = Clock::default();
        let tenant: TenantId = "home".parse().unwrap();
        let sender = Sender { session: "s", address: None, tenant: &tenant, project: None };
        let before = quotas(&clock);
        assert_eq!([before.take(&sender), before.take(&sender)], [Ok(()), Ok(())]);
        before.save(&store).await.unwrap();

        let after = quotas(&clock);
        after.load(&store).await.unwrap();
        assert!(after.take(&sender).is_err());
        clock.advance(Duration::from_secs(61));
        after.forget_rested();
        assert!(after.lock().is_empty());
        assert_eq!(after.take(&sender), Ok(()));
        after.save(&store).await.unwrap();
        let kept = store.rate_limit_uses(after.now()).await.unwrap();
        assert_eq!(kept.len(), 2, "the session and the tenant");
    }
}
