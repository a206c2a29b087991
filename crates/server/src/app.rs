//! What every handler can reach. There are no globals.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Instant;

use governor::clock::{Clock as _, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use parlor_chat::Chat;
use parlor_recipes::RecipeStore;
use parlor_storage::Store;
use tokio_util::sync::CancellationToken;

use crate::auth::Access;
use crate::clock::Clock;
use crate::config::{Config, HOME, PublicUrl};

/// Messages, counted by session.
type MessageLimiter = RateLimiter<String, HashMapStateStore<String>, DefaultClock>;

/// The application.
#[derive(Debug)]
pub struct App {
    /// What the administrator decided.
    pub config: Config,
    /// How browsers call this server.
    pub public_url: PublicUrl,
    /// The heart.
    pub chat: Chat,
    /// For what is not a chat: is it alive, where does a conversation belong.
    pub store: Store,
    /// Recipe Vault, in its own database.
    pub recipes: RecipeStore,
    /// Who may come in.
    pub access: Arc<Access>,
    /// Cancelled when the server stops: streams tell their readers to come back.
    pub stopping: CancellationToken,
    /// When it was put together.
    pub started: Instant,
    message_limiter: MessageLimiter,
}

impl App {
    /// Puts the parts together. Without a `public_url` in the configuration the
    /// server is called by the address that it listens on.
    pub fn new(
        config: Config,
        listening_on: std::net::SocketAddr,
        store: Store,
        recipes: RecipeStore,
        chat: Chat,
        clock: Clock,
    ) -> Self {
        let key = config.credentials.api_key.as_ref().zip(HOME.parse().ok());
        let tenants = config.tenants.keys().cloned().collect();
        let access = Access::new(store.clone(), clock, config.access.clone(), tenants, key);
        let public_url = config.server.public_url.clone();
        let a_minute = NonZeroU32::new(config.server.limits.messages_per_minute);
        let quota = Quota::per_minute(a_minute.unwrap_or(NonZeroU32::MIN));
        Self {
            public_url: public_url.unwrap_or_else(|| PublicUrl::of_address(listening_on)),
            config,
            chat,
            store,
            recipes,
            access: Arc::new(access),
            stopping: CancellationToken::new(),
            started: Instant::now(),
            message_limiter: RateLimiter::hashmap(quota),
        }
    }

    /// Counts a message of a session. Over the limit: in how many seconds the
    /// next one is taken.
    pub fn count_message(&self, session: &String) -> Result<(), u64> {
        self.message_limiter.check_key(session).map_err(|not_until| {
            let wait = not_until.wait_time_from(DefaultClock::default().now());
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
        })
    }

    /// Forgets sessions that have not sent a message for a while.
    pub fn forget_quiet_sessions(&self) {
        self.message_limiter.retain_recent();
        self.message_limiter.shrink_to_fit();
    }
}
