//! `parlor db backup`: a copy of the SQLite files, beside a running server.
//!
//! The chat first, then the recipes: a change of a recipe that falls in between is in the
//! recipes, and its tool run is still under way in the chat, as after a crash. The other way
//! round the chat would tell of a change that is lost.

use std::fs::{self, File};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use parlor_database::transfer::Component;
use parlor_database::{Database, Location};

use super::databases::Databases;
use super::in_use::directory;
use super::use_tools_of_postgres;
use crate::config::{CHAT, RECIPES};
use crate::start;

pub(super) async fn back_up(databases: &Databases, to: &Path) -> anyhow::Result<ExitCode> {
    if databases.chat.is_server() {
        return Ok(use_tools_of_postgres(databases));
    }
    if to.exists() {
        bail!("{} exists; name a new directory", to.display());
    }
    // It gets its name when it is complete.
    let mut partial = to.as_os_str().to_owned();
    partial.push(".partial");
    let partial = Path::new(&partial);
    clear(partial)?;
    start::make_directory(partial)?;
    for ((_, from, component), name) in databases.each().into_iter().zip(names()) {
        let copy = partial.join(name);
        write(from, &copy).await.with_context(|| format!("{from} cannot be backed up"))?;
        inspect(&copy, &component).await?;
        sync(&copy)?;
    }
    sync(partial)?;
    fs::rename(partial, to).with_context(|| format!("{} cannot be written", to.display()))?;
    sync(&directory(to))?;
    println!("{} holds {}; verified", to.display(), names().join(" and "));
    Ok(ExitCode::SUCCESS)
}

/// The names of the files of a backup.
pub(super) fn names() -> [&'static str; 2] {
    [CHAT, RECIPES]
}

/// Refuses a file of a backup that is damaged or that this version cannot use.
pub(super) async fn inspect(file: &Path, component: &Component) -> anyhow::Result<()> {
    let database = Database::open_as_is(&Location::from(file)).await?;
    let found = database.schema_version(component.migrations).await?;
    let mut wrong = database.damage().await?;
    match found {
        None => wrong.push("it is not a database of Parlor".to_owned()),
        Some(found) if found > component.version() => {
            wrong.push("a newer version of Parlor wrote it; run that version".to_owned());
        }
        Some(found) if found == component.version() => {
            wrong.extend(component.broken_rules(&database).await?);
        }
        Some(_) => {}
    }
    database.close().await;
    match wrong.is_empty() {
        true => Ok(()),
        false => bail!("{}: {}", file.display(), wrong.join("; ")),
    }
}

/// Writes a file, or the entries of a directory, to the disk.
pub(super) fn sync(path: &Path) -> anyhow::Result<()> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.with_context(|| format!("{} cannot be written to the disk", path.display()))
}

/// Removes what an interrupted command left.
pub(super) fn clear(directory: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", directory.display()))
        }
        _ => Ok(()),
    }
}

async fn write(from: &Location, to: &Path) -> anyhow::Result<()> {
    let database = Database::open_as_is(from).await?;
    let written = database.back_up(to).await;
    database.close().await;
    Ok(written?)
}
