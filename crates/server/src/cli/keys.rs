//! `parlor keys`: keys for scripts.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use parlor_storage::{StorageError, TokenKind};
use secrecy::ExposeSecret;

use super::credentials::{Opened, Place, RoleName, block_on};
use crate::auth::add_key;
use crate::clock::Clock;

/// Makes, lists and revokes keys for scripts.
///
/// A key is sent in the X-API-Key header. It is shown once; only a hash of it is
/// kept. A running server learns of a revoked key within a second.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Makes a key and prints it.
    Create {
        #[command(flatten)]
        place: Place,
        /// What the key may do.
        #[arg(long, value_enum, default_value_t = RoleName::User)]
        role: RoleName,
        /// What you call it.
        #[arg(long, default_value = "script")]
        name: String,
    },
    /// Lists keys: id, role, state, name.
    List {
        #[command(flatten)]
        place: Place,
    },
    /// Ends a key, and every stream that it has open.
    Revoke {
        #[command(flatten)]
        place: Place,
        /// The key's id, as `list` shows it.
        id: String,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    block_on(async move {
        match arguments.command {
            Command::Create { place, role, name } => create(place.open().await?, role, &name).await,
            Command::List { place } => list(place.open().await?).await,
            Command::Revoke { place, id } => revoke(place.open().await?, &id).await,
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn create(opened: Opened, role: RoleName, name: &str) -> anyhow::Result<()> {
    let clock = Clock::default();
    let (id, secret) = add_key(&opened.store, &clock, &opened.tenant, role.into(), name).await?;
    eprintln!("key {id} for tenant {}; it is shown once:", opened.tenant);
    println!("{}", secret.expose_secret());
    opened.changed().await
}

async fn list(opened: Opened) -> anyhow::Result<()> {
    for key in opened.store.access().tokens(&opened.tenant, TokenKind::Key).await? {
        let state = if key.revoked_at.is_some() { "revoked" } else { "valid" };
        println!("{}  {:<5}  {state:<7}  {}", key.id, key.role.as_str(), key.name);
    }
    opened.store.close().await;
    Ok(())
}

async fn revoke(opened: Opened, id: &str) -> anyhow::Result<()> {
    let now = Clock::default().now();
    match opened.store.access().revoke_token(&opened.tenant, id, now).await {
        Ok(()) => eprintln!("key {id} is revoked"),
        Err(StorageError::NotFound) => {
            anyhow::bail!("there is no valid key '{id}' in tenant {}", opened.tenant)
        }
        Err(error) => return Err(error.into()),
    }
    opened.changed().await
}
