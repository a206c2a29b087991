//! Webhooks: other systems are told of prompts that open, close and lapse, and of inputs that the
//! guardrail refused (O-3).
//!
//! 1. At the start the webhooks of the configuration are stored ([`Webhooks::store`]); from then on
//!    every write that opens or closes a prompt also writes what they are to be told
//!    ([`parlor_storage::WebhookMessage`]).
//! 2. For each webhook one task of this node looks for messages that are due, and claims them: of
//!    several nodes one gets each ([`sending`]).
//! 3. The body is made of what is stored then ([`body`]), and signed as Standard Webhooks has it
//!    ([`signature`]).
//! 4. It is sent once. A message that was not taken is tried again, ever later, until it is too old.

mod body;
mod sending;
mod signature;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use parlor_http_client::{PublicOnly, describe, trusted};
use parlor_metrics::Counter;
use parlor_protocol::TenantId;
use parlor_storage::{StorageError, Store, Webhook};
use reqwest::Client;
use reqwest::redirect::Policy;

pub(crate) use self::sending::run;
use self::signature::SigningKey;
use crate::clock::Clock;
use crate::config::{Config, REMEDY, WebhookConfig};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For a whole request, with its answer.
const TIMEOUT: Duration = Duration::from_secs(15);
const IDLE: Duration = Duration::from_secs(30);

/// The webhooks of all tenants.
#[derive(Debug, Clone)]
pub struct Webhooks {
    receivers: Vec<Arc<Receiver>>,
    clock: Clock,
}

/// One webhook.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub(crate) tenant: TenantId,
    pub(crate) name: String,
    pub(crate) config: WebhookConfig,
    /// Messages that it took.
    pub(crate) taken: Counter,
    /// Attempts that failed.
    pub(crate) failed: Counter,
    /// Messages that it did not take in time.
    pub(crate) expired: Counter,
    /// Whether administrators of the tenant read what people have to themselves.
    reads_all: bool,
    key: SigningKey,
    client: Client,
}

impl Webhooks {
    /// Those of a configuration, with their secrets. Nothing is sent yet.
    pub(crate) fn of(
        config: &Config,
        environment: &BTreeMap<String, String>,
        clock: &Clock,
    ) -> anyhow::Result<Self> {
        let mut receivers = Vec::new();
        for (id, tenant) in &config.tenants {
            for (name, webhook) in &tenant.webhooks {
                let place = format!("tenants.{id}.webhooks.{name}");
                let secret = webhook.secret.resolve(&|name: &str| environment.get(name).cloned());
                let key = secret.and_then(|secret| SigningKey::of(&secret));
                let key = key.map_err(anyhow::Error::msg);
                receivers.push(Arc::new(Receiver {
                    tenant: id.clone(),
                    name: name.clone(),
                    config: webhook.clone(),
                    taken: Counter::default(),
                    failed: Counter::default(),
                    expired: Counter::default(),
                    reads_all: tenant.admins_read_conversations,
                    key: key.with_context(|| format!("{place}.secret"))?,
                    client: client(webhook).map_err(anyhow::Error::msg).context(place)?,
                }));
            }
        }
        Ok(Self { receivers, clock: clock.clone() })
    }

    /// Stores them, so that what happens from now on is written for them.
    pub(crate) async fn store(&self, store: &Store) -> Result<(), StorageError> {
        let webhooks: Vec<Webhook> = self.all().map(|receiver| receiver.stored()).collect();
        let forgotten = store.webhooks().set(&webhooks).await?;
        if forgotten > 0 {
            tracing::warn!(forgotten, "messages for webhooks that are no longer configured");
        }
        Ok(())
    }

    /// Those of all tenants.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Receiver>> {
        self.receivers.iter()
    }

    /// Those of a tenant.
    pub(crate) fn of_tenant(&self, tenant: &TenantId) -> impl Iterator<Item = &Arc<Receiver>> {
        self.all().filter(move |receiver| receiver.tenant == *tenant)
    }
}

impl Receiver {
    fn stored(&self) -> Webhook {
        Webhook {
            tenant: self.tenant.clone(),
            name: self.name.clone(),
            project: self.config.project.clone(),
            events: self.config.events.clone(),
        }
    }
}

/// A client for one webhook: it follows nobody elsewhere.
fn client(config: &WebhookConfig) -> Result<Client, String> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(trusted()?)
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TIMEOUT)
        .pool_idle_timeout(IDLE)
        .user_agent(concat!("parlor/", env!("CARGO_PKG_VERSION")));
    if !config.allow_private_addresses {
        // A proxy would resolve names by itself.
        let public = PublicOnly::new().with_remedy(REMEDY);
        builder = builder.no_proxy().dns_resolver(Arc::new(public));
    }
    builder.build().map_err(describe)
}
