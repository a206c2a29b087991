//! What every handler can reach. There are no globals.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use parlor_chat::Chat;
use parlor_fanout::Fanout;
use parlor_recipes::RecipeStore;
use parlor_storage::Store;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::auth::{Access, TenantAccess};
use crate::clock::Clock;
use crate::compose::{Composed, McpHosts};
use crate::config::{Config, PublicUrl, TenantConfig};
use crate::limits::{BodyBudget, RateLimits};
use crate::mcp_logins::McpLogins;
use crate::metrics::{MetricsToken, ServerMetrics};
use crate::oidc_logins::OidcLogins;
use crate::push::Push;
use crate::webhooks::Webhooks;

/// The application.
#[derive(Debug)]
pub struct App {
    /// The settings.
    pub config: Config,
    /// The URL under which browsers reach this server.
    pub public_url: PublicUrl,
    /// Conversations and their turns.
    pub chat: Chat,
    /// The database, for what is not a chat: health, and the project of a conversation.
    pub store: Store,
    /// Recipe Vault, in its own database.
    pub recipes: RecipeStore,
    /// Sessions, keys and passwords.
    pub access: Arc<Access>,
    /// The channel to other servers on the same database.
    pub fanout: Fanout,
    /// Cancelled when the server stops.
    pub stopping: CancellationToken,
    /// When the server started.
    pub started: Instant,
    /// The MCP servers of all projects.
    pub mcp_hosts: McpHosts,
    /// Logins to MCP servers.
    pub mcp_logins: McpLogins,
    /// Providers that people log in with.
    pub oidc_logins: OidcLogins,
    /// Notifications to browsers that are closed.
    pub(crate) push: Arc<Push>,
    /// Messages per minute.
    pub rate_limits: RateLimits,
    /// Memory for the request bodies that are being read.
    pub body_budget: BodyBudget,
    /// Held by an import: one at a time, because a file is read whole.
    pub imports: Arc<Semaphore>,
    /// What the server counts by itself.
    pub metrics: ServerMetrics,
    /// What a monitoring system sends to read metrics.
    pub metrics_token: Option<MetricsToken>,
    /// Other systems that are told what waits.
    pub webhooks: Webhooks,
}

impl App {
    /// Assembles the application. Without a `public_url` in the configuration, the
    /// address that the server listens on stands for it.
    pub fn new(
        config: Config,
        listening_on: SocketAddr,
        store: Store,
        recipes: RecipeStore,
        composed: Composed,
        clock: Clock,
        fanout: Fanout,
    ) -> Self {
        let Composed { chat, mcp_hosts, mcp_logins, oidc_logins, metrics_token, webhooks, .. } =
            composed;
        let allowed = |tenant: &TenantConfig| TenantAccess {
            admins_read: tenant.admins_read_conversations,
            embeds: tenant
                .projects
                .iter()
                .map(|(id, project)| (id.clone(), project.embed.origins.clone()))
                .collect(),
        };
        let tenants =
            config.tenants.iter().map(|(id, tenant)| (id.clone(), allowed(tenant))).collect();
        let body_budget = BodyBudget::new(&config.server.limits);
        let rate_limits = RateLimits::new(&config.server.limits, clock.clone(), &store);
        let ending = fanout.clone();
        let (expiry, keys) = (config.access.clone(), &config.credentials);
        let push = Push::new(config.push.clone(), &mcp_logins, store.clone(), clock.clone());
        let access = Access::new(store.clone(), clock, expiry, tenants, keys, ending);
        let public_url = config.server.public_url.clone();
        Self {
            public_url: public_url.unwrap_or_else(|| PublicUrl::of_address(listening_on)),
            config,
            chat,
            store,
            recipes,
            access: Arc::new(access),
            fanout,
            stopping: CancellationToken::new(),
            started: Instant::now(),
            mcp_hosts,
            mcp_logins,
            oidc_logins,
            push: Arc::new(push),
            rate_limits,
            body_budget,
            imports: Arc::new(Semaphore::new(1)),
            metrics: ServerMetrics::default(),
            metrics_token,
            webhooks,
        }
    }
}
