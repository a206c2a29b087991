//! What `keys` and `password` have in common: where the database is, whose
//! credentials are meant, and telling a running server.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use parlor_protocol::TenantId;
use parlor_storage::{Role, Store};

use crate::auth::notice;
use crate::config::{Config, HOME, Sources};
use crate::start;

/// Whose credentials, and where they are.
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
    /// Opens the database. A tenant that is not configured is a slip.
    pub(super) async fn open(self) -> anyhow::Result<Opened> {
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
        let data_dir = config.server.data_dir;
        Ok(Opened { store: start::open_store(&data_dir).await?, tenant: self.tenant, data_dir })
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

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::User => Self::User,
            RoleName::Admin => Self::Admin,
        }
    }
}
