//! Messages per minute, by session, by address, by project and by tenant.
//!
//! - A message must be within all of these limits, and counts against all of them. A
//!   refusal says when the next message is accepted, and counts against none.
//! - [`InMemory`]: a node alone counts in memory, and stores usage a moment later.
//! - [`InDatabase`]: nodes that share a database count in its rows, so that the limits are
//!   those of all nodes together.
//! - Either way a restart resets no limit, and a new login only that of the session.
//! - Addresses that several clients may share are not limited: see [`ClientAddress`].
//!
//! [`ClientAddress`]: crate::client_address::ClientAddress

mod in_database;
mod in_memory;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::time::Duration;

use parlor_protocol::{ProjectId, TenantId};
use parlor_storage::{StorageError, Store};

use self::in_database::InDatabase;
use self::in_memory::InMemory;
use super::token_bucket::TokenBucket;
use crate::clock::Clock;
use crate::config::Limits;

/// Previews of edited tool calls, per session.
const PREVIEWS_PER_MINUTE: u32 = 60;
const APP_CALLS_PER_MINUTE: u32 = 120;
/// Requests with links to share, per address: a page with its pictures, now and then.
const SHARED_PER_MINUTE: u32 = 300;
/// Tokens for visitors, per key of a site.
const EMBED_TOKENS_PER_MINUTE: u32 = 600;

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

/// Why a message is not accepted, by what its sender does next.
#[derive(Debug)]
pub enum RateLimitError {
    /// Send it again after so many seconds: a limit is reached.
    RetryAfter(u64),
    /// Try again later: the database does not say whether it is within the limits.
    Unavailable(StorageError),
}

/// The limits, and how much of them each sender has used.
#[derive(Debug)]
pub struct RateLimits {
    session: TokenBucket,
    address: TokenBucket,
    project: TokenBucket,
    tenant: TokenBucket,
    usage: Usage,
}

/// Where usage is counted.
#[derive(Debug)]
enum Usage {
    Local(InMemory),
    Shared(InDatabase),
}

/// The bucket of one sender.
#[derive(Debug)]
struct SenderBucket {
    sender: String,
    bucket: TokenBucket,
}

impl RateLimits {
    /// The limits; what was used of them is counted in the database if other nodes may use
    /// it.
    pub fn new(limits: &Limits, clock: Clock, store: &Store) -> Self {
        Self {
            session: TokenBucket::per_minute(limits.messages_per_minute),
            address: TokenBucket::per_minute(limits.address_messages_per_minute),
            project: TokenBucket::per_minute(limits.project_messages_per_minute),
            tenant: TokenBucket::per_minute(limits.tenant_messages_per_minute),
            usage: match store.shared_limits() {
                Some(shared) => Usage::Shared(InDatabase::new(shared, clock)),
                None => Usage::Local(InMemory::new(store.clone(), clock)),
            },
        }
    }

    /// Counts a message.
    pub async fn take(&self, sender: &Sender<'_>) -> Result<(), RateLimitError> {
        self.count(self.buckets(sender)).await
    }

    /// Counts a preview of an edited tool call. The web interface asks for one
    /// whenever the person who edits pauses.
    pub async fn take_preview(&self, session: &str) -> Result<(), RateLimitError> {
        let bucket = TokenBucket::per_minute(PREVIEWS_PER_MINUTE);
        self.count(vec![SenderBucket { sender: format!("preview:{session}"), bucket }]).await
    }

    /// Counts a call of an app. A page that shows what is going on asks again and again.
    pub async fn take_app_call(&self, session: &str) -> Result<(), RateLimitError> {
        let bucket = TokenBucket::per_minute(APP_CALLS_PER_MINUTE);
        self.count(vec![SenderBucket { sender: format!("app:{session}"), bucket }]).await
    }

    /// Counts a request with a link to share, which needs no session.
    pub async fn take_shared(&self, address: Option<IpAddr>) -> Result<(), RateLimitError> {
        let Some(address) = address else { return Ok(()) };
        let bucket = TokenBucket::per_minute(SHARED_PER_MINUTE);
        self.count(vec![SenderBucket { sender: format!("shared:{address}"), bucket }]).await
    }

    /// Counts a token that a site's server gets for a visitor. It writes to the database.
    pub async fn take_embed_token(&self, key: &str) -> Result<(), RateLimitError> {
        let bucket = TokenBucket::per_minute(EMBED_TOKENS_PER_MINUTE);
        self.count(vec![SenderBucket { sender: format!("embed:{key}"), bucket }]).await
    }

    /// Loads the usage from before the last restart.
    pub async fn load(&self) -> Result<(), StorageError> {
        match &self.usage {
            Usage::Local(usage) => usage.load().await,
            Usage::Shared(_) => Ok(()),
        }
    }

    /// Stores usage a moment after it changed, until the task is aborted.
    pub async fn save_changes(&self) {
        match &self.usage {
            Usage::Local(usage) => usage.save_changes().await,
            Usage::Shared(_) => {}
        }
    }

    /// Stores what is not stored yet.
    pub async fn save(&self) -> Result<(), StorageError> {
        match &self.usage {
            Usage::Local(usage) => usage.save().await,
            Usage::Shared(_) => Ok(()),
        }
    }

    /// Removes senders without usage.
    pub async fn remove_unused(&self) -> Result<(), StorageError> {
        match &self.usage {
            Usage::Local(usage) => {
                usage.remove_unused();
                Ok(())
            }
            Usage::Shared(usage) => usage.remove_unused().await,
        }
    }

    /// Takes a token of each bucket, or of none.
    async fn count(&self, buckets: Vec<SenderBucket>) -> Result<(), RateLimitError> {
        match &self.usage {
            Usage::Local(usage) => usage.take(buckets),
            Usage::Shared(usage) => usage.take(buckets).await,
        }
    }

    fn buckets(&self, sender: &Sender<'_>) -> Vec<SenderBucket> {
        let Sender { session, address, tenant, project } = sender;
        let of = |sender, bucket| SenderBucket { sender, bucket };
        let mut buckets = vec![
            of(format!("session:{session}"), self.session),
            of(format!("tenant:{tenant}"), self.tenant),
        ];
        let project =
            project.map(|project| of(format!("project:{tenant}/{project}"), self.project));
        let address = address.map(|address| of(format!("address:{address}"), self.address));
        buckets.extend(project);
        buckets.extend(address);
        buckets
    }
}

impl RateLimitError {
    /// A limit is reached for so long.
    fn after(wait: Duration) -> Self {
        Self::RetryAfter(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
    }
}
