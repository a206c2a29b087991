//! `parlor password set`: a new password, read from standard input.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret, SecretString};

use super::secret_input;
use super::tenant_store::{RoleArgument, TenantArguments, TenantStore, block_on};
use crate::auth::{set_passwords, weakness};
use crate::clock::Clock;

/// Sets passwords.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Sets a password, which is read from standard input so that no other user sees it.
    ///
    /// At a terminal it is typed twice and not shown.
    /// Sessions of the old password end within a second.
    #[command(after_long_help = "Example:
  printf '%s' \"$NEW\" | parlor password set --role admin")]
    Set {
        #[command(flatten)]
        tenant: TenantArguments,
        /// The access role that the password grants.
        #[arg(long, value_enum, default_value_t = RoleArgument::User)]
        role: RoleArgument,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Command::Set { tenant, role } = arguments.command;
    block_on(async move { set(tenant.open().await?, role).await })?;
    Ok(ExitCode::SUCCESS)
}

async fn set(tenant: TenantStore, role: RoleArgument) -> anyhow::Result<()> {
    let password = read().await?;
    if let Some(why) = weakness(&password) {
        eprintln!("warning: {why}");
    }
    let passwords = vec![(role.into(), password)];
    set_passwords(&tenant.store, &Clock::default(), &tenant.tenant, passwords).await?;
    eprintln!("the password is set; sessions of the old one are over");
    tenant.notify_server().await
}

/// A new password, from standard input.
pub(super) async fn read() -> anyhow::Result<SecretString> {
    let password = if io::stdin().is_terminal() {
        secret_input::ask("password").await?
    } else {
        secret_input::read_line().context("the password could not be read")?
    };
    if password.expose_secret().trim().is_empty() {
        bail!("the password is blank");
    }
    Ok(password)
}
