//! `parlor db restore`: puts the files of a backup in place.
//!
//! 1. Copy them into a directory beside the data, and check them there.
//! 2. Move the files that are there into another one, which stays.
//! 3. Move the new files in place.
//!
//! If it is interrupted, the same command does all of it again; no file is ever deleted.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use parlor_database::Location;

use super::backup::{clear, inspect, names, sync};
use super::databases::Databases;
use super::in_use::{be_alone, directory};
use super::use_tools_of_postgres;
use crate::start;

/// Where the new files are checked.
const STAGING: &str = "restoring";

pub(super) async fn restore(
    databases: &Databases,
    from: &Path,
    force: bool,
) -> anyhow::Result<ExitCode> {
    let (Location::File(chat), Location::File(recipes)) = (&databases.chat, &databases.recipes)
    else {
        return Ok(use_tools_of_postgres(databases));
    };
    let data = directory(chat);
    start::make_directory(&data)?;
    let _alone = be_alone(&databases.chat).await?;
    let old = files_of([chat, recipes]);
    if !old.is_empty() && !force {
        bail!(
            "{} holds databases; with --force they are replaced, and kept beside the new ones",
            data.display()
        );
    }
    let staging = data.join(STAGING);
    stage(databases, from, &staging).await?;
    if let Some(kept) = keep(&data, &old)? {
        println!("the files that were there are in {}", kept.display());
    }
    for (name, to) in names().into_iter().zip([chat, recipes]) {
        let placed = fs::rename(staging.join(name), to);
        placed.with_context(|| format!("{} cannot be written", to.display()))?;
    }
    sync(&data)?;
    clear(&staging)?;
    println!("restored {} from {}", names().join(" and "), from.display());
    Ok(ExitCode::SUCCESS)
}

/// Copies the files of a backup and checks the copies.
async fn stage(databases: &Databases, from: &Path, staging: &Path) -> anyhow::Result<()> {
    clear(staging)?;
    start::make_directory(staging)?;
    for ((_, _, component), name) in databases.each().into_iter().zip(names()) {
        let (from, to) = (from.join(name), staging.join(name));
        let copied = fs::copy(&from, &to);
        copied.with_context(|| format!("{} cannot be copied", from.display()))?;
        inspect(&to, &component).await?;
        sync(&to)?;
    }
    sync(staging)
}

/// Moves files into a new directory beside them.
fn keep(data: &Path, files: &[PathBuf]) -> anyhow::Result<Option<PathBuf>> {
    if files.is_empty() {
        return Ok(None);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let kept = data.join(format!("replaced-{now}"));
    start::make_directory(&kept)?;
    for file in files {
        let moved = fs::rename(file, kept.join(file.file_name().unwrap_or_default()));
        moved.with_context(|| format!("{} cannot be moved", file.display()))?;
    }
    sync(&kept)?;
    sync(data)?;
    Ok(Some(kept))
}

/// The files of databases that exist: a database's WAL belongs to it.
fn files_of(databases: [&PathBuf; 2]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for database in databases {
        for end in ["", "-wal", "-shm"] {
            let mut file: OsString = database.clone().into_os_string();
            file.push(end);
            files.push(PathBuf::from(file));
        }
    }
    files.retain(|file| file.exists());
    files
}
