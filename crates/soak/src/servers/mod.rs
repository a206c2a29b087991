//! The servers of other projects that nodes need: PostgreSQL, Redis and nginx. They are of this run
//! alone, so that they can be stopped, paused and started again with what they had.
//!
//! `cargo xtask soak` finds or installs the programs, and says by environment variables where they
//! are.

mod nginx;
mod postgres;
mod redis;
mod server;

use std::path::{Path, PathBuf};

use anyhow::Context as _;

pub(crate) use nginx::Proxy;
pub(crate) use postgres::Postgres;
pub(crate) use redis::Redis;

/// The program that a variable names.
fn program(variable: &str) -> anyhow::Result<PathBuf> {
    let path = std::env::var_os(variable);
    path.map(PathBuf::from)
        .with_context(|| format!("{variable} is not set: start this program by `cargo xtask soak`"))
}

/// A folder of one server, inside that of the run.
fn folder_of(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    use crate::process::{User, make_folder};
    let folder = folder.join(name);
    make_folder(&folder, User::Unprivileged)
        .with_context(|| format!("{} cannot be created", folder.display()))?;
    Ok(folder)
}

/// A password that nobody has to type.
fn password() -> String {
    std::iter::repeat_with(fastrand::alphanumeric).take(24).collect()
}
