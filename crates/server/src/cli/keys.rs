//! `parlor keys`: API keys for scripts.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use parlor_storage::{AccessRole, StorageError, TokenKind};
use secrecy::ExposeSecret;

use super::tenant_store::{RoleArgument, TenantArguments, TenantStore, block_on};
use crate::auth::add_key;
use crate::clock::Clock;

/// Creates, lists and revokes API keys for scripts.
///
/// A key is sent in the X-API-Key header. It is shown once; only its hash is stored.
/// A running server notices a revoked key within a second.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Creates a key and prints it.
    Create {
        #[command(flatten)]
        tenant: TenantArguments,
        /// The access role of the key.
        #[arg(long, value_enum, default_value_t = RoleArgument::User)]
        role: RoleArgument,
        /// A name for the key.
        #[arg(long, default_value = "script")]
        name: String,
        /// The person whose key it is, by the name that they log in with. It sees what they see.
        #[arg(long, value_name = "NAME")]
        person: Option<String>,
    },
    /// Lists keys: id, access role, state, name, and whose it is.
    List {
        #[command(flatten)]
        tenant: TenantArguments,
    },
    /// Revokes a key and ends its open streams.
    Revoke {
        #[command(flatten)]
        tenant: TenantArguments,
        /// The key's id, as `list` shows it.
        id: String,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    block_on(async move {
        match arguments.command {
            Command::Create { tenant, role, name, person } => {
                create(tenant.open().await?, role, &name, person.as_deref()).await
            }
            Command::List { tenant } => list(tenant.open().await?).await,
            Command::Revoke { tenant, id } => revoke(tenant.open().await?, &id).await,
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn create(
    tenant: TenantStore,
    role: RoleArgument,
    name: &str,
    person: Option<&str>,
) -> anyhow::Result<()> {
    let role = AccessRole::from(role);
    let person = match person {
        Some(name) => Some(tenant.person(name).await?),
        None => None,
    };
    if let Some(person) = &person {
        if person.disabled_at.is_some() {
            anyhow::bail!("{} is disabled", person.name);
        }
        if role == AccessRole::Admin && person.role != AccessRole::Admin {
            anyhow::bail!("{} is no administrator, and gets no key of one", person.name);
        }
    }
    let clock = Clock::default();
    let whose = (role, person.map(|person| person.id));
    let (id, secret) = add_key(&tenant.store, &clock, &tenant.tenant, whose, name).await?;
    eprintln!("key {id} for tenant {}; it is shown once:", tenant.tenant);
    println!("{}", secret.expose_secret());
    tenant.notify_server().await
}

async fn list(tenant: TenantStore) -> anyhow::Result<()> {
    for key in tenant.store.access().tokens(&tenant.tenant, TokenKind::Key).await? {
        let state = if key.revoked_at.is_some() { "revoked" } else { "valid" };
        let whose = key.person.map(|person| format!(" ({})", person.name)).unwrap_or_default();
        println!("{}  {:<5}  {state:<7}  {}{whose}", key.id, key.role.as_str(), key.name);
    }
    tenant.store.close().await;
    Ok(())
}

async fn revoke(tenant: TenantStore, id: &str) -> anyhow::Result<()> {
    let now = Clock::default().now();
    match tenant.store.access().revoke_token(&tenant.tenant, id, now).await {
        Ok(()) => eprintln!("key {id} is revoked"),
        Err(StorageError::NotFound) => {
            anyhow::bail!("there is no valid key '{id}' in tenant {}", tenant.tenant)
        }
        Err(error) => return Err(error.into()),
    }
    tenant.notify_server().await
}
