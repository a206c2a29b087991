//! `parlor password set`: a new password, read from standard input.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret, SecretString};

use super::credentials::{Opened, Place, RoleName, block_on};
use super::typed_secret;
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
    /// Sets a password, read from standard input so that no other user sees it.
    ///
    /// At a terminal it is typed twice and not shown.
    /// Whoever is logged in with the old one is logged out, within a second.
    #[command(after_long_help = "Example:
  printf '%s' \"$NEW\" | parlor password set --role admin")]
    Set {
        #[command(flatten)]
        place: Place,
        /// Whom the password makes of those who know it.
        #[arg(long, value_enum, default_value_t = RoleName::User)]
        role: RoleName,
    },
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Command::Set { place, role } = arguments.command;
    block_on(async move { set(place.open().await?, role).await })?;
    Ok(ExitCode::SUCCESS)
}

async fn set(opened: Opened, role: RoleName) -> anyhow::Result<()> {
    let password = read().await?;
    if let Some(why) = weakness(&password) {
        eprintln!("warning: {why}");
    }
    let passwords = vec![(role.into(), password)];
    set_passwords(&opened.store, &Clock::default(), &opened.tenant, passwords).await?;
    eprintln!("the password is set; sessions of the old one are over");
    opened.changed().await
}

async fn read() -> anyhow::Result<SecretString> {
    let password = if io::stdin().is_terminal() {
        typed_secret::ask("password").await?
    } else {
        typed_secret::read_line().context("the password could not be read")?
    };
    if password.expose_secret().trim().is_empty() {
        bail!("the password is blank");
    }
    Ok(password)
}
