//! Notifications to browsers that are closed (U-11), by way of their push services.
//!
//! 1. A browser subscribes with the server's public key ([`Push::public_key`]); its subscription is
//!    checked, encrypted and stored with the session ([`Push::subscribe`]).
//! 2. Whatever opens a prompt or ends a turn writes the outbox in the same write (`parlor_storage`).
//! 3. [`outbox`] claims what is due and sends it, with retries; [`wording`] says what it says.
//!
//! A subscription is worth nothing without its session, and is forgotten with it. The key pair is in
//! the database, encrypted, so that all nodes have the same ([`keys`]).

mod keys;
mod outbox;
mod wording;

use std::sync::Arc;

use data_encoding::HEXLOWER;
use parlor_protocol::TenantId;
use parlor_storage::{NewPushSubscription, PushNumbers, StorageError, Store};
use parlor_web_push::{Sender, Subscription, SubscriptionError};
use secrecy::ExposeSecret as _;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::{Notify, OnceCell};

pub(crate) use self::outbox::send_all;
pub(crate) use self::wording::Language;
use crate::clock::Clock;
use crate::config::PushConfig;
use crate::mcp_logins::{McpLogins, SealError, SealingKey};

/// How many browsers a person can subscribe, and how many all who use the shared account.
const MOST_OF_A_PERSON: u64 = 20;
const MOST_SHARED: u64 = 100;

/// Push subscriptions and what is sent to them.
#[derive(Debug)]
pub(crate) struct Push {
    store: Store,
    key: Arc<SealingKey>,
    clock: Clock,
    config: PushConfig,
    /// Once the key pair was read; or why it cannot be.
    sender: OnceCell<Result<Arc<Sender>, Unusable>>,
    /// Somebody has subscribed, or wants a test.
    wake: Notify,
}

/// Why nothing can be sent, until somebody changes something.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Unusable {
    /// The configuration says so.
    #[error("push.enabled is false")]
    Disabled,
    /// The stored key pair is another node's.
    #[error("the key pair for notifications cannot be read: {0}")]
    Key(#[from] SealError),
    /// The connections cannot be made.
    #[error("{0}")]
    Other(String),
}

/// Why nothing can be sent now, or at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PushOff {
    /// Until somebody changes something.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a browser is not subscribed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubscribeError {
    /// What it sent cannot be used.
    #[error("{0}")]
    Malformed(#[from] SubscriptionError),
    /// The person has as many as they can have.
    #[error("{0} devices are notified already; turn it off on one of them")]
    TooMany(u64),
    /// Nothing can be sent.
    #[error(transparent)]
    Off(#[from] PushOff),
    /// It cannot be encrypted.
    #[error(transparent)]
    Seal(#[from] SealError),
}

/// Whose browser subscribes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subscriber<'s> {
    pub(crate) session: &'s str,
    pub(crate) tenant: &'s TenantId,
    /// Whether it is a session of the shared account.
    pub(crate) is_shared: bool,
}

impl From<StorageError> for SubscribeError {
    fn from(error: StorageError) -> Self {
        Self::Off(error.into())
    }
}

impl Push {
    pub(crate) fn new(config: PushConfig, logins: &McpLogins, store: Store, clock: Clock) -> Self {
        let key = Arc::clone(logins.key());
        Self { store, key, clock, config, sender: OnceCell::new(), wake: Notify::new() }
    }

    pub(crate) fn config(&self) -> &PushConfig {
        &self.config
    }

    /// The key that browsers subscribe with.
    pub(crate) async fn public_key(&self) -> Result<String, PushOff> {
        Ok(self.sender().await?.public_key())
    }

    /// Subscribes the browser of a session, with what it got from its push service.
    pub(crate) async fn subscribe(
        &self,
        subscriber: Subscriber<'_>,
        subscription: &Value,
        language: Language,
    ) -> Result<(), SubscribeError> {
        self.sender().await?;
        let json = subscription.to_string();
        let checked = Subscription::parse(json.as_bytes(), self.config.services)?;
        let endpoint = subscription["endpoint"].as_str().unwrap_or_default();
        let Subscriber { session, tenant, is_shared } = subscriber;
        let new = NewPushSubscription {
            session,
            tenant,
            endpoint_hash: HEXLOWER.encode(&Sha256::digest(endpoint.as_bytes())),
            sealed: self.key.seal(&about(session), &checked.to_json())?,
            language: language.as_str(),
            created_at: self.clock.now(),
        };
        let most = if is_shared { MOST_SHARED } else { MOST_OF_A_PERSON };
        if !self.store.push().subscribe(&new, most).await? {
            return Err(SubscribeError::TooMany(most));
        }
        self.wake.notify_one();
        Ok(())
    }

    /// Ends the subscription of a session.
    pub(crate) async fn unsubscribe(&self, session: &str) -> Result<(), StorageError> {
        self.store.push().unsubscribe(session).await
    }

    /// Whether the browser of a session is subscribed.
    pub(crate) async fn is_subscribed(&self, session: &str) -> Result<bool, StorageError> {
        Ok(self.store.push().endpoint_of(session).await?.is_some())
    }

    /// Sends the browser of a session a message that says that it arrived.
    pub(crate) async fn test(&self, session: &str) -> Result<(), StorageError> {
        self.store.push().add_test(session, self.clock.now()).await?;
        self.wake.notify_one();
        Ok(())
    }

    /// Forgets subscriptions whose session is over.
    pub(crate) async fn forget_ended(&self) -> Result<(), StorageError> {
        if !self.store.push().exist().await? && !self.store.push().are_left().await? {
            return Ok(());
        }
        self.store.push().forget_ended(self.clock.now()).await
    }

    /// What administrators see: numbers, and why nothing is sent.
    pub(crate) async fn numbers(
        &self,
        tenant: &TenantId,
    ) -> Result<(PushNumbers, Option<String>), StorageError> {
        let numbers = self.store.push().numbers(tenant, self.clock.now()).await?;
        let problem = match self.sender().await {
            Ok(_) | Err(PushOff::Unusable(Unusable::Disabled)) => None,
            Err(PushOff::Storage(error)) => return Err(error),
            Err(PushOff::Unusable(why)) => Some(why.to_string()),
        };
        Ok((numbers, problem))
    }

    /// What sends, with the stored key pair, or with one that is made now.
    async fn sender(&self) -> Result<&Arc<Sender>, PushOff> {
        let made = self.sender.get_or_try_init(|| self.make_sender()).await?;
        made.as_ref().map_err(|why| why.clone().into())
    }

    async fn make_sender(&self) -> Result<Result<Arc<Sender>, Unusable>, StorageError> {
        if !self.config.enabled {
            return Ok(Err(Unusable::Disabled));
        }
        let keys = match keys::read_or_make(&self.store, &self.key, self.clock.now()).await? {
            Ok(keys) => keys,
            Err(why) => {
                tracing::error!(%why, "no notifications are sent");
                return Ok(Err(why));
            }
        };
        let sender = Sender::new(keys, self.config.contact.clone(), self.config.services);
        Ok(sender.map(Arc::new).map_err(|error| Unusable::Other(error.to_string())))
    }

    /// What a session subscribed with.
    fn opened(&self, session: &str, sealed: &[u8]) -> Option<Subscription> {
        let json = self.key.open(&about(session), sealed).ok()?;
        // It was checked when it was stored, and is checked again when something is sent.
        Subscription::parse(json.expose_secret().as_bytes(), self.config.services).ok()
    }
}

/// The place of a sealed subscription: it cannot be moved to another session.
fn about(session: &str) -> String {
    format!("push subscription\0{session}")
}
