//! Logins of one person, to servers that each person logs in to for themselves.
//!
//! A store is about one login from the moment on when it has read it: whoever renews or ends a login
//! cannot do it to the one that came after.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use parlor_agent::tools::ToolFuture;
use parlor_mcp::{LoginStanding, LoginStore};
use parlor_protocol::PersonId;
use parlor_storage::{PersonAtServer, PersonLogin, StorageError, Store};
use secrecy::SecretString;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{BETWEEN_LOOKS, ENDED, McpLogins, RENEWING_MS, WAIT, failed};

/// The logins of a person in a project.
#[derive(Debug, Clone)]
pub(super) struct PersonLogins {
    logins: McpLogins,
    /// Whose they are; the server is the one that is asked about.
    of: PersonAtServer,
    /// The login that this is about.
    id: Arc<Mutex<Option<String>>>,
}

impl PersonLogins {
    pub(super) fn new(logins: McpLogins, of: PersonAtServer) -> Self {
        Self { logins, of, id: Arc::default() }
    }

    fn at(&self, server: &str) -> PersonAtServer {
        let mut at = self.of.clone();
        at.server.server = server.to_owned();
        at
    }

    fn id(&self) -> Option<String> {
        self.id.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn is_about(&self, id: &str) {
        let mut known = self.id.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| id.to_owned());
    }

    async fn row(&self, at: &PersonAtServer) -> Result<Option<PersonLogin>, String> {
        let row = self.logins.store.person_logins().read(at).await.map_err(failed)?;
        if let Some(row) = &row {
            self.is_about(&row.id);
        }
        Ok(row)
    }

    async fn read(self, at: PersonAtServer) -> Result<Option<SecretString>, String> {
        let row = self.row(&at).await?.filter(|row| self.id().as_ref() == Some(&row.id));
        let open = |row: PersonLogin| self.logins.key.open(&about(&at), &row.sealed);
        let opened = row.map(open).transpose();
        opened.map_err(|error| format!("its login cannot be read: {error}"))
    }

    async fn log_in(self, at: PersonAtServer, login: SecretString) -> Result<(), String> {
        let sealed = self.sealed(&at, &login)?;
        let (id, now) = (Uuid::new_v4().to_string(), self.logins.clock.now());
        let stored = self.logins.store.person_logins().log_in(&at, &id, &sealed, now).await;
        if !stored.map_err(failed)? {
            return Err("this account may not come in".to_owned());
        }
        *self.id.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
        Ok(())
    }

    async fn keep(self, at: PersonAtServer, login: SecretString) -> Result<(), String> {
        let (sealed, id) = (self.sealed(&at, &login)?, self.id().unwrap_or_default());
        let kept = self.logins.store.person_logins().renew(&at, &id, &sealed).await;
        if kept.map_err(failed)? { Ok(()) } else { Err(ENDED.to_owned()) }
    }

    fn sealed(&self, at: &PersonAtServer, login: &SecretString) -> Result<Vec<u8>, String> {
        self.logins.key.seal(&about(at), login).map_err(|error| error.to_string())
    }

    async fn claim(self, at: PersonAtServer) -> Result<Box<dyn Any + Send + Sync>, String> {
        let logins = self.logins.store.person_logins();
        let until = Instant::now() + WAIT;
        while !logins.claim(&at, RENEWING_MS).await.map_err(failed)? {
            if logins.read(&at).await.map_err(failed)?.is_none() {
                // There is nothing to renew, and nobody does.
                return Ok(Box::new(()));
            }
            if Instant::now() > until {
                return Err("another server renews its login, and does not finish".to_owned());
            }
            sleep(BETWEEN_LOOKS).await;
        }
        Ok(Box::new(Renewing { store: self.logins.store.clone(), at }))
    }

    async fn stand(self, at: PersonAtServer) -> Result<Option<LoginStanding>, String> {
        let row = self.row(&at).await?;
        Ok(row.map(|row| LoginStanding { id: row.id, refused: row.refused }))
    }

    async fn note(self, at: PersonAtServer, what: Option<String>) -> Result<(), String> {
        // A login that was not read yet was not refused either.
        let Some(id) = self.id() else { return Ok(()) };
        self.logins.store.person_logins().refused(&at, &id, what.as_deref()).await.map_err(failed)
    }

    async fn end(self, at: PersonAtServer) -> Result<(), StorageError> {
        self.logins.store.person_logins().end(&at, self.id().as_deref()).await
    }
}

/// The place of a sealed login: it cannot be moved to another.
fn about(at: &PersonAtServer) -> String {
    format!("{}\0person\0{}", super::about(&at.server), at.person)
}

/// The right to renew a login, given back when it is dropped.
struct Renewing {
    store: Store,
    at: PersonAtServer,
}

impl Drop for Renewing {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (store, at) = (self.store.clone(), self.at.clone());
        runtime.spawn(async move {
            if let Err(error) = store.person_logins().release(&at).await {
                tracing::warn!(%error, "a login to an MCP server can be renewed again in 30 s");
            }
        });
    }
}

impl LoginStore for PersonLogins {
    fn load(&self, server: &str) -> ToolFuture<Result<Option<SecretString>, String>> {
        Box::pin(self.clone().read(self.at(server)))
    }

    fn save(&self, server: &str, login: SecretString) -> ToolFuture<Result<(), String>> {
        Box::pin(self.clone().log_in(self.at(server), login))
    }

    fn renew(&self, server: &str, login: SecretString) -> ToolFuture<Result<(), String>> {
        Box::pin(self.clone().keep(self.at(server), login))
    }

    fn clear(&self, server: &str) -> ToolFuture<Result<(), String>> {
        let ended = self.clone().end(self.at(server));
        Box::pin(async move { ended.await.map_err(failed) })
    }

    fn renewing(&self, server: &str) -> ToolFuture<Result<Box<dyn Any + Send + Sync>, String>> {
        Box::pin(self.clone().claim(self.at(server)))
    }

    fn standing(&self, server: &str) -> ToolFuture<Result<Option<LoginStanding>, String>> {
        Box::pin(self.clone().stand(self.at(server)))
    }

    fn refused(&self, server: &str, what: Option<String>) -> ToolFuture<Result<(), String>> {
        Box::pin(self.clone().note(self.at(server), what))
    }

    fn of_person(&self, person: PersonId) -> Arc<dyn LoginStore> {
        let of = PersonAtServer { person, ..self.of.clone() };
        Arc::new(Self::new(self.logins.clone(), of))
    }
}
