//! What `keys`, `password` and `mcp` have in common: where the data is, which tenant
//! is meant, and telling a running server.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use parlor_protocol::TenantId;
use parlor_storage::{AccessRole, Store};

use crate::auth::notice;
use crate::config::{Config, HOME, Sources};
use crate::start;

/// Whose data, and where it is.
#[derive(Debug, Args)]
pub(super) struct Place {
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
pub(super) enum RoleName {
    /// Chats.
    User,
    /// Sees audit and status too.
    Admin,
}

/// An open database, and whom it is about.
pub(super) struct Opened {
    pub(super) store: Store,
    pub(super) tenant: TenantId,
    data_dir: PathBuf,
}

impl Place {
    /// Opens the database.
    pub(super) async fn open(self) -> anyhow::Result<Opened> {
        let (data_dir, tenant) = self.find()?;
        Ok(Opened { store: start::open_store(&data_dir).await?, tenant, data_dir })
    }

    /// The directory and the tenant. With a directory and no configuration nothing
    /// else is read: a child of the server knows both, and may see nothing more.
    pub(super) fn given_or_found(self) -> anyhow::Result<(PathBuf, TenantId)> {
        match self {
            Self { config: None, data_dir: Some(data_dir), tenant } => Ok((data_dir, tenant)),
            place => place.find(),
        }
    }

    /// What the configuration says. A tenant that is not in it is a slip.
    fn find(self) -> anyhow::Result<(PathBuf, TenantId)> {
        let config = Config::load(&Sources {
            file: self.config,
            data_dir: self.data_dir,
            environment: Sources::process_environment(),
            ..Sources::default()
        })?;
        if !config.tenants.contains_key(&self.tenant) {
            let known: Vec<&str> = config.tenants.keys().map(TenantId::as_str).collect();
            bail!("there is no tenant '{}'; there is: {}", self.tenant, known.join(", "));
        }
        Ok((config.server.data_dir, self.tenant))
    }
}

impl Opened {
    /// Tells a server that is running, and closes the database.
    pub(super) async fn changed(self) -> anyhow::Result<()> {
        self.store.close().await;
        notice::tell(&self.data_dir).context("a running server could not be told")
    }
}

/// Runs on this thread: there is nothing to do at the same time.
pub(super) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?
        .block_on(work)
}

impl From<RoleName> for AccessRole {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::User => Self::User,
            RoleName::Admin => Self::Admin,
        }
    }
}
