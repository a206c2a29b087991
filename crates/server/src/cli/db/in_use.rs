//! Keeps servers away while a command must be alone.
//!
//! A running server locks its data directory, and its database on a PostgreSQL server. A
//! command takes the same locks: it is refused while a server runs, and no server starts
//! while it works.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use parlor_database::{Database, Location, Lock, LockKind};

use crate::start;

/// No server uses the database until this is dropped.
pub(super) struct Alone {
    _directory: Option<File>,
    _server: Option<(Database, Lock)>,
}

/// Refuses a database on which a server runs.
pub(super) async fn be_alone(location: &Location) -> anyhow::Result<Alone> {
    match location {
        Location::File(path) => {
            let directory = directory(path);
            let lock = start::lock(&directory).context("the database must not be in use")?;
            Ok(Alone { _directory: Some(lock), _server: None })
        }
        Location::Server(_) => {
            let database = Database::open_as_is(location).await?;
            let Some(lock) = database.lock(LockKind::Command).await? else {
                bail!("a server of Parlor runs on {location}; stop all of them first");
            };
            Ok(Alone { _directory: None, _server: Some((database, lock)) })
        }
    }
}

/// The directory of a file.
pub(super) fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
