//! Logins to MCP servers that ask for one (OAuth), encrypted in the database.
//!
//! 1. An administrator begins a login ([`McpLogins::begin`]): what is needed to finish it is
//!    stored for some minutes, for the session that began it.
//! 2. The login page sends the browser back; the same session finishes it ([`McpLogins::take`]).
//! 3. The tokens are a project's: [`ProjectLogins`] is where the MCP client keeps and renews them.
//!    Of a server that each person logs in to for themselves they are a person's: [`person`].

mod person;
mod sealing;

use std::any::Any;
use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use data_encoding::HEXLOWER;
use parlor_agent::tools::ToolFuture;
use parlor_chat::Caller;
use parlor_mcp::{BegunLogin, Login, LoginStanding, LoginStore};
use parlor_protocol::{PersonId, ProjectId, TenantId, Timestamp};
use parlor_storage::{McpLoginAttempt, McpServerId, PersonAtServer, StorageError, Store};
use secrecy::SecretString;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};

use self::person::PersonLogins;
pub use self::sealing::{SealError, SealingKey};
use crate::clock::Clock;
use crate::config::{Config, PublicUrl};
use crate::secret_key;

/// Where login pages send the browser back to.
pub(crate) const CALLBACK: &str = "/oauth/callback";
/// Where this Parlor describes itself to authorization servers.
pub(crate) const CLIENT_METADATA: &str = "/oauth/client.json";
/// How long a person may take to log in.
const PATIENCE_MS: i64 = 10 * 60 * 1000;
/// How long renewing a login may take.
const RENEWING_MS: i64 = 30_000;
/// How long to wait while another process renews it, and how often to look.
const WAIT: Duration = Duration::from_secs(35);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Why tokens are not kept.
const ENDED: &str = "its login has ended meanwhile";

/// All logins to MCP servers.
#[derive(Debug, Clone)]
pub struct McpLogins {
    store: Store,
    key: Arc<SealingKey>,
    clock: Clock,
    public_url: PublicUrl,
}

/// A login that was begun cannot be finished: it lapsed, or another session began it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AttemptError {
    /// There is no such login.
    #[error("This login has lapsed, or was begun elsewhere. Please begin it again.")]
    Unknown,
    /// It cannot be read.
    #[error(transparent)]
    Sealed(#[from] SealError),
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl McpLogins {
    /// The logins of a server that listens at an address, under its own key.
    pub(crate) fn open(
        config: &Config,
        store: &Store,
        clock: &Clock,
        address: SocketAddr,
    ) -> anyhow::Result<Self> {
        let (data_dir, server) = (&config.server.data_dir, &config.server);
        let key = SealingKey::of_server(config.credentials.secret_key.as_ref(), data_dir);
        let key = key.with_context(|| {
            format!(
                "the key in {} cannot be used; it encrypts logins to MCP servers: restore the \
                 file, or remove it and log in to them again",
                data_dir.join(secret_key::FILE).display()
            )
        })?;
        let own = || PublicUrl::of_address(address);
        let url = server.public_url.clone().unwrap_or_else(own);
        Ok(Self::new(store.clone(), key, clock.clone(), url))
    }

    /// The logins in a database.
    pub fn new(store: Store, key: SealingKey, clock: Clock, public_url: PublicUrl) -> Self {
        Self { store, key: Arc::new(key), clock, public_url }
    }

    /// The key, for what else is encrypted on this server.
    pub(crate) fn key(&self) -> &Arc<SealingKey> {
        &self.key
    }

    /// The URL under which browsers reach this server.
    pub(crate) fn public_url(&self) -> &PublicUrl {
        &self.public_url
    }

    /// The clocks of this server.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// How to log in to the servers of a project.
    pub(crate) fn of_project(&self, tenant: &TenantId, project: &ProjectId) -> Login {
        let of = ProjectLogins {
            logins: self.clone(),
            tenant: tenant.clone(),
            project: project.clone(),
        };
        Login::Later {
            redirect_uri: self.redirect_uri(),
            client_metadata_url: self.client_metadata_url(),
            store: Arc::new(of),
        }
    }

    /// Where login pages send the browser back to.
    pub(crate) fn redirect_uri(&self) -> String {
        format!("{}{CALLBACK}", self.public_url.as_str())
    }

    /// Where this Parlor describes itself: authorization servers fetch it, over https only.
    pub(crate) fn client_metadata_url(&self) -> Option<String> {
        let own = format!("{}{CLIENT_METADATA}", self.public_url.as_str());
        self.public_url.is_https().then_some(own)
    }

    /// Stores a login that was begun: that of a person, or of the project.
    pub(crate) async fn begin(
        &self,
        caller: &Caller,
        (server, person): (McpServerId, Option<PersonId>),
        begun: &BegunLogin,
    ) -> Result<(), AttemptError> {
        let (id, now) = (id_of(&begun.state), self.clock.now());
        let attempt = McpLoginAttempt {
            sealed: self.key.seal(&about_attempt(&id, person), &begun.attempt)?,
            session: caller.session.clone(),
            server,
            person,
            expires_at: Timestamp(now.0.saturating_add(PATIENCE_MS)),
        };
        Ok(self.store.mcp_logins().begin(&id, &attempt, now).await?)
    }

    /// Takes the login that a caller began, by what names it.
    pub(crate) async fn take(&self, caller: &Caller, state: &str) -> Result<Taken, AttemptError> {
        let id = id_of(state);
        let logins = self.store.mcp_logins();
        let taken = logins.take(&id, &caller.tenant, &caller.session, self.clock.now()).await?;
        let McpLoginAttempt { server, person, sealed, .. } = taken.ok_or(AttemptError::Unknown)?;
        if person.is_some() && person != caller.person() {
            return Err(AttemptError::Unknown);
        }
        let attempt = self.key.open(&about_attempt(&id, person), &sealed)?;
        Ok(Taken { server, person, attempt })
    }
}

/// A login that was begun, to be finished.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) server: McpServerId,
    /// Who logs in for themselves.
    pub(crate) person: Option<PersonId>,
    /// What is needed to finish it.
    pub(crate) attempt: SecretString,
}

/// The logins of one project.
#[derive(Debug, Clone)]
struct ProjectLogins {
    logins: McpLogins,
    tenant: TenantId,
    project: ProjectId,
}

impl ProjectLogins {
    fn server(&self, server: &str) -> McpServerId {
        let (tenant, project) = (self.tenant.clone(), self.project.clone());
        McpServerId { tenant, project, server: server.to_owned() }
    }

    async fn read(self, server: McpServerId) -> Result<Option<SecretString>, String> {
        let sealed = self.logins.store.mcp_logins().read(&server).await.map_err(failed)?;
        let open = |sealed: Vec<u8>| self.logins.key.open(&about(&server), &sealed);
        let opened = sealed.map(open).transpose();
        opened.map_err(|error| format!("its login cannot be read: {error}"))
    }

    async fn write(
        self,
        server: McpServerId,
        login: SecretString,
        is_new: bool,
    ) -> Result<(), String> {
        let sealed = self.logins.key.seal(&about(&server), &login);
        let sealed = sealed.map_err(|error| error.to_string())?;
        let (logins, now) = (self.logins.store.mcp_logins(), self.logins.clock.now());
        if is_new {
            return logins.save(&server, &sealed, now).await.map_err(failed);
        }
        match logins.renew(&server, &sealed, now).await.map_err(failed)? {
            true => Ok(()),
            false => Err(ENDED.to_owned()),
        }
    }

    async fn claim(self, server: McpServerId) -> Result<Box<dyn Any + Send + Sync>, String> {
        let logins = self.logins.store.mcp_logins();
        let until = Instant::now() + WAIT;
        while !logins.claim(&server, RENEWING_MS).await.map_err(failed)? {
            if logins.read(&server).await.map_err(failed)?.is_none() {
                // There is nothing to renew, and nobody does.
                return Ok(Box::new(()));
            }
            if Instant::now() > until {
                return Err("another server renews its login, and does not finish".to_owned());
            }
            sleep(BETWEEN_LOOKS).await;
        }
        Ok(Box::new(Renewing { store: self.logins.store.clone(), server }))
    }
}

/// The id of a login that was begun: whoever reads the database cannot finish it.
fn id_of(state: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(state.as_bytes()))
}

/// What is needed to finish a login is sealed for whoever began it.
fn about_attempt(id: &str, person: Option<PersonId>) -> String {
    match person {
        Some(person) => format!("{id}\0person\0{person}"),
        None => id.to_owned(),
    }
}

/// The place of a sealed login: it cannot be moved to another.
fn about(server: &McpServerId) -> String {
    format!("mcp login\0{}\0{}\0{}", server.tenant, server.project, server.server)
}

fn failed(error: StorageError) -> String {
    tracing::warn!(%error, "failed to reach the stored logins to MCP servers");
    "its login cannot be reached in the database".to_owned()
}

/// The right to renew a login, given back when it is dropped.
struct Renewing {
    store: Store,
    server: McpServerId,
}

impl Drop for Renewing {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (store, server) = (self.store.clone(), self.server.clone());
        runtime.spawn(async move {
            if let Err(error) = store.mcp_logins().release(&server).await {
                tracing::warn!(%error, "a login to an MCP server can be renewed again in 30 s");
            }
        });
    }
}

impl LoginStore for ProjectLogins {
    fn load(&self, server: &str) -> ToolFuture<Result<Option<SecretString>, String>> {
        Box::pin(self.clone().read(self.server(server)))
    }

    fn save(&self, server: &str, login: SecretString) -> ToolFuture<Result<(), String>> {
        Box::pin(self.clone().write(self.server(server), login, true))
    }

    fn renew(&self, server: &str, login: SecretString) -> ToolFuture<Result<(), String>> {
        Box::pin(self.clone().write(self.server(server), login, false))
    }

    fn clear(&self, server: &str) -> ToolFuture<Result<(), String>> {
        let (store, server) = (self.logins.store.clone(), self.server(server));
        Box::pin(async move { store.mcp_logins().delete(&server).await.map_err(failed) })
    }

    fn renewing(&self, server: &str) -> ToolFuture<Result<Box<dyn Any + Send + Sync>, String>> {
        Box::pin(self.clone().claim(self.server(server)))
    }

    /// The connection of a project does not ask which login it has.
    fn standing(&self, _: &str) -> ToolFuture<Result<Option<LoginStanding>, String>> {
        Box::pin(ready(Ok(None)))
    }

    /// Each node says it of its own connection.
    fn refused(&self, _: &str, _: Option<String>) -> ToolFuture<Result<(), String>> {
        Box::pin(ready(Ok(())))
    }

    fn of_person(&self, person: PersonId) -> Arc<dyn LoginStore> {
        let of = self.server("");
        Arc::new(PersonLogins::new(self.logins.clone(), PersonAtServer { server: of, person }))
    }
}
