//! What `keys`, `password`, `people`, `audit` and `mcp` share: finding the data directory and the
//! tenant, and notifying a running server.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use parlor_fanout::{AccessChange, Hint};
use parlor_protocol::{LoginName, TenantId};
use parlor_storage::{AccessRole, Person, Store};
use secrecy::SecretString;

use crate::audit::key::AuditKey;
use crate::audit::sealer::key_in;
use crate::auth::change_file;
use crate::compose::STORAGE_URL;
use crate::config::{Config, HOME, NodesConfig, PublicUrl, Sources, StorageConfig};
use crate::membership::fanout;
use crate::start;

/// The arguments for a tenant and its data.
#[derive(Debug, Args)]
pub(super) struct TenantArguments {
    /// The configuration; `parlor.toml` if there is one here.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The directory of the database.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// The tenant.
    #[arg(long, default_value = HOME)]
    tenant: TenantId,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RoleArgument {
    /// May chat.
    User,
    /// May also see blocked inputs and the status.
    Admin,
}

/// Where the data of a tenant is.
pub(super) struct Place {
    pub(super) data_dir: PathBuf,
    pub(super) storage: StorageConfig,
    pub(super) tenant: TenantId,
    /// How servers that share the database reach each other, if the configuration says so.
    nodes: Option<NodesConfig>,
    /// The URL under which browsers reach the server, if the configuration was read.
    public_url: Option<PublicUrl>,
    /// The secret of the environment, if the configuration was read.
    secret: Option<SecretString>,
}

/// A tenant in an open database.
pub(super) struct TenantStore {
    pub(super) store: Store,
    pub(super) tenant: TenantId,
    /// The URL under which browsers reach the server, if the configuration was read.
    pub(super) public_url: Option<PublicUrl>,
    data_dir: PathBuf,
    storage: StorageConfig,
    nodes: Option<NodesConfig>,
    secret: Option<SecretString>,
}

impl TenantArguments {
    /// Opens the database.
    pub(super) async fn open(self) -> anyhow::Result<TenantStore> {
        let Place { data_dir, storage, tenant, nodes, public_url, secret } = self.configured()?;
        let store = start::open_store(&storage, &data_dir).await?;
        Ok(TenantStore { store, tenant, public_url, data_dir, storage, nodes, secret })
    }

    /// Where the tenant's data is. If only a directory is given, no configuration is read: a
    /// child process of the server has no access to it. A URL is in its environment.
    pub(super) fn given_or_configured(self) -> anyhow::Result<Place> {
        match self {
            Self { config: None, data_dir: Some(data_dir), tenant } => {
                let url = std::env::var(STORAGE_URL).ok();
                let storage = StorageConfig::of_environment(url.as_deref())?;
                let (nodes, public_url, secret) = (None, None, None);
                Ok(Place { data_dir, storage, tenant, nodes, public_url, secret })
            }
            arguments => arguments.configured(),
        }
    }

    /// From the configuration. A tenant that is not in it is an error.
    fn configured(self) -> anyhow::Result<Place> {
        let config = Config::load(&Sources {
            file: self.config,
            data_dir: self.data_dir,
            environment: Sources::process_environment(),
            ..Sources::default()
        })?;
        if !config.tenants.contains_key(&self.tenant) {
            let known: Vec<&str> = config.tenants.keys().map(TenantId::as_str).collect();
            bail!("there is no tenant '{}'; known tenants: {}", self.tenant, known.join(", "));
        }
        let bind = config.server.bind;
        let public_url = config.server.public_url.unwrap_or_else(|| PublicUrl::of_address(bind));
        let data_dir = config.server.data_dir;
        let (storage, nodes, public_url) = (config.storage, Some(config.nodes), Some(public_url));
        let secret = config.credentials.secret_key;
        Ok(Place { data_dir, storage, tenant: self.tenant, nodes, public_url, secret })
    }
}

impl TenantStore {
    /// The key that the server of this data directory signs the audit with.
    pub(super) fn audit_key(&self) -> anyhow::Result<AuditKey> {
        key_in(self.secret.as_ref(), &self.data_dir)
    }

    /// The person of the tenant who logs in with this name.
    pub(super) async fn person(&self, name: &str) -> anyhow::Result<Person> {
        let login: Option<LoginName> = name.parse().ok();
        let found = match &login {
            Some(login) => self.store.people().by_login(&self.tenant, login).await?,
            None => None,
        };
        found.with_context(|| {
            format!("there is nobody named '{name}' in tenant {}; see `people list`", self.tenant)
        })
    }

    /// Closes the database and tells running servers that credentials changed: the one that
    /// uses this data directory, and all that share the database.
    pub(super) async fn notify_server(self) -> anyhow::Result<()> {
        if let Some(nodes) = &self.nodes {
            let fanout = fanout(nodes, &self.storage, &self.store).await?;
            fanout.hint(Hint::Access(AccessChange::Any));
            fanout.close().await;
        }
        self.store.close().await;
        change_file::notify(&self.data_dir).context("a running server could not be notified")
    }
}

/// Runs a future on this thread.
pub(super) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?
        .block_on(work)
}

impl From<RoleArgument> for AccessRole {
    fn from(name: RoleArgument) -> Self {
        match name {
            RoleArgument::User => Self::User,
            RoleArgument::Admin => Self::Admin,
        }
    }
}
