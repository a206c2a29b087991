//! The channel over `NOTIFY` of PostgreSQL. A database has channels of its own, so their
//! names need nothing that tells installations apart.

use std::time::Duration;

use parlor_database::{Database, Listener, ServerUrl};

use crate::incoming::Incoming;

const CHANNEL: &str = "parlor_hints";

/// Hints wait for a connection of the pool no longer than this; they are not lost then.
const PATIENCE: Duration = Duration::from_secs(3);

/// The database, and the address to listen at.
#[derive(Debug)]
pub(crate) struct PostgresChannel {
    database: Database,
    direct: Option<ServerUrl>,
}

impl PostgresChannel {
    pub(crate) fn new(database: Database, direct: Option<ServerUrl>) -> Self {
        Self { database, direct }
    }

    /// Sends a payload; in an error, what to do.
    pub(crate) async fn publish(&self, payload: &str) -> Result<(), String> {
        match tokio::time::timeout(PATIENCE, self.database.notify(CHANNEL, payload)).await {
            Ok(notified) => notified.map_err(|fault| fault.to_string()),
            Err(_) => Err("the database did not take a notification in time".to_owned()),
        }
    }

    /// Listens; in an error, what to do.
    pub(crate) async fn subscribe(&self) -> Result<Listener, String> {
        let listener = self.database.listen(self.direct.as_ref(), CHANNEL).await;
        listener.map_err(|fault| format!("{fault}; check {}", self.setting()))
    }

    /// Why a listener hears nothing.
    pub(crate) fn meaning_of_silence(&self) -> String {
        format!(
            "LISTEN is accepted, but no notification arrives: {} leads to a pooler in \
             transaction mode, such as PgBouncer; storage.direct_url must name the server itself",
            self.setting()
        )
    }

    /// The setting that names the server to listen at.
    fn setting(&self) -> &'static str {
        match self.direct {
            Some(_) => "storage.direct_url",
            None => "storage.url",
        }
    }
}

/// Receives until the connection is lost; returns why.
pub(crate) async fn receive(listener: &mut Listener, incoming: &Incoming) -> String {
    loop {
        match listener.next().await {
            Ok(payload) => incoming.hints(&payload),
            Err(fault) => return fault.to_string(),
        }
    }
}
