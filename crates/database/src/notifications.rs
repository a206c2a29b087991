//! Short messages between processes that use the same PostgreSQL server. They are not
//! stored: who does not listen misses them.

use crate::database::{Database, Engine};
use crate::fault::Fault;
use crate::location::ServerUrl;
use crate::postgres::Listener;

impl Database {
    /// Sends a payload of less than 8,000 bytes to everybody who listens on a channel. On
    /// SQLite nobody can.
    pub async fn notify(&self, channel: &str, payload: &str) -> Result<(), Fault> {
        match &self.0 {
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(server) => server.notify(channel, payload).await,
        }
    }

    /// Listens on a channel, with a connection of its own. `direct` is the address of the
    /// server itself, if the database was opened through a pooler: one in transaction mode
    /// accepts `LISTEN` and never delivers anything.
    pub async fn listen(
        &self,
        direct: Option<&ServerUrl>,
        channel: &str,
    ) -> Result<Listener, Fault> {
        match &self.0 {
            Engine::Sqlite(_) => Err(Fault::other("a SQLite file has nobody to listen to")),
            Engine::Postgres(server) => server.listen(direct, channel).await,
        }
    }
}
