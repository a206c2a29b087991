//! What every handler can reach. There are no globals.

use std::sync::Arc;
use std::time::Instant;

use parlor_chat::Chat;
use parlor_recipes::RecipeStore;
use parlor_storage::Store;
use tokio_util::sync::CancellationToken;

use crate::auth::Access;
use crate::clock::Clock;
use crate::config::{Config, HOME, PublicUrl};
use crate::http::body_room::BodyRoom;
use crate::quotas::Quotas;

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
    /// How often messages may come.
    pub quotas: Quotas,
    /// How much all bodies may take that are being read.
    pub body_room: BodyRoom,
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
        let body_room = BodyRoom::new(&config.server.limits);
        let quotas = Quotas::new(&config.server.limits, clock.clone());
        let access = Access::new(store.clone(), clock, config.access.clone(), tenants, key);
        let public_url = config.server.public_url.clone();
        Self {
            public_url: public_url.unwrap_or_else(|| PublicUrl::of_address(listening_on)),
            config,
            chat,
            store,
            recipes,
            access: Arc::new(access),
            stopping: CancellationToken::new(),
            started: Instant::now(),
            quotas,
            body_room,
        }
    }
}
