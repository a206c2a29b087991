//! `parlor people`: people with accounts of their own.

use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};

use super::password;
use super::tenant_store::{RoleArgument, TenantArguments, TenantStore, block_on};
use crate::auth::{add_invitation, hash_password, password_problem};
use crate::clock::Clock;
use crate::http::people::invitation_link;

/// Invites people to accounts of their own, lists them, and shuts them out.
///
/// Whoever has an account logs in with a name and a password; their conversations are private until
/// they share them. Beside them the family password stays, for the account that all share.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints a link with which somebody gets an account. It works once, for a week.
    Invite {
        #[command(flatten)]
        tenant: TenantArguments,
        /// The access role of the account.
        #[arg(long, value_enum, default_value_t = RoleArgument::User)]
        role: RoleArgument,
        /// The mail address of whom it is for, to be noted with the account.
        #[arg(long)]
        email: Option<String>,
    },
    /// Lists people: id, access role, state, name.
    List {
        #[command(flatten)]
        tenant: TenantArguments,
    },
    /// Shuts somebody out: their sessions and keys end within a second.
    Disable {
        #[command(flatten)]
        tenant: TenantArguments,
        /// The name that they log in with.
        name: String,
    },
    /// Lets somebody in again. Sessions and keys of before stay revoked.
    Enable {
        #[command(flatten)]
        tenant: TenantArguments,
        /// The name that they log in with.
        name: String,
    },
    /// Sets somebody's password, which is read from standard input; their sessions end.
    Password {
        #[command(flatten)]
        tenant: TenantArguments,
        /// The name that they log in with.
        name: String,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    block_on(async move {
        match arguments.command {
            Command::Invite { tenant, role, email } => {
                invite(tenant.open().await?, role, email).await
            }
            Command::List { tenant } => list(tenant.open().await?).await,
            Command::Disable { tenant, name } => disable(tenant.open().await?, &name, true).await,
            Command::Enable { tenant, name } => disable(tenant.open().await?, &name, false).await,
            Command::Password { tenant, name } => set_password(tenant.open().await?, &name).await,
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

async fn invite(
    tenant: TenantStore,
    role: RoleArgument,
    email: Option<String>,
) -> anyhow::Result<()> {
    let public_url = tenant.public_url.as_ref().context("the URL of the server is not known")?;
    let of = (&tenant.tenant, role.into(), email);
    let (token, _) = add_invitation(&tenant.store, &Clock::default(), of, "Parlor").await?;
    eprintln!("an invitation to tenant {}, for a week; it is shown once:", tenant.tenant);
    println!("{}", invitation_link(public_url.as_str(), &token));
    tenant.store.close().await;
    Ok(())
}

async fn list(tenant: TenantStore) -> anyhow::Result<()> {
    for person in tenant.store.people().list(&tenant.tenant).await? {
        let state = if person.disabled_at.is_some() { "disabled" } else { "enabled" };
        println!("{}  {:<5}  {state:<8}  {}", person.id, person.role.as_str(), person.name);
    }
    tenant.store.close().await;
    Ok(())
}

async fn disable(tenant: TenantStore, name: &str, disabled: bool) -> anyhow::Result<()> {
    let person = tenant.person(name).await?;
    let now = Clock::default().now();
    tenant.store.people().set_disabled(&tenant.tenant, person.id, disabled, now).await?;
    let done = if disabled { "disabled; their sessions and keys are over" } else { "enabled" };
    eprintln!("{} is {done}", person.name);
    tenant.notify_server().await
}

async fn set_password(tenant: TenantStore, name: &str) -> anyhow::Result<()> {
    let person = tenant.person(name).await?;
    let password = password::read().await?;
    if password_problem(&password).is_some() {
        bail!("the password must have 8 to 1024 characters");
    }
    let hash = hash_password(password).await?;
    tenant.store.people().set_password(person.id, &hash, None, Clock::default().now()).await?;
    eprintln!("the password is set; {} logs in with it from now on", person.name);
    tenant.notify_server().await
}
