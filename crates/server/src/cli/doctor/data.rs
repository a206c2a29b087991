//! The data directory, the disk, the databases, and the channel to other nodes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use parlor_database::transfer::Component;
use parlor_database::{Database, Location};
use parlor_storage::Store;

use super::finding::Finding;
use crate::config::Config;
use crate::membership::fanout;

/// Below this a disk is soon full, and below that it is.
const LITTLE: u64 = 1 << 30;
const TOO_LITTLE: u64 = 100 << 20;
/// How long the channel to other nodes may take to be heard.
const HEARING: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// What only its owner may read.
const SECRET_FILES: &[&str] = &["secret.key", "parlor.db", "recipes.db"];

pub(super) async fn look(config: &Config, file: Option<&Path>) -> Vec<Finding> {
    let dir = &config.server.data_dir;
    let mut findings = vec![directory(dir)];
    findings.extend(readable_by_others(dir, file));
    findings.extend(disk(dir));
    for (name, location, component) in [
        ("database of conversations", config.storage.chat(dir), parlor_storage::component()),
        ("database of recipes", config.storage.recipes(dir), parlor_recipes::component()),
    ] {
        findings.push(database(name, &location, &component).await);
    }
    findings.extend(channel(config).await);
    findings
}

fn directory(dir: &Path) -> Finding {
    let about = "data directory";
    match fs::metadata(dir) {
        Err(_) if !dir.exists() => Finding::warning(
            about,
            format_args!("{} does not exist yet", dir.display()),
            "the first start of `parlor serve` creates it; if a server ran before, server.data_dir names another",
        ),
        Err(error) => Finding::wrong(
            about,
            format_args!("{}: {error}", dir.display()),
            "run this as the user of the server",
        ),
        Ok(found) if !found.is_dir() => Finding::wrong(
            about,
            format_args!("{} is not a directory", dir.display()),
            "set server.data_dir to a directory",
        ),
        Ok(_) if rustix::fs::access(dir, rustix::fs::Access::WRITE_OK).is_err() => Finding::wrong(
            about,
            format_args!("{} cannot be written", dir.display()),
            "give it to the user of the server, or run this as that user",
        ),
        Ok(_) => Finding::good(about, dir.display()),
    }
}

/// Files that others on this machine can read although they hold secrets.
fn readable_by_others(dir: &Path, file: Option<&Path>) -> Vec<Finding> {
    let secret = SECRET_FILES.iter().map(|name| dir.join(name));
    let found = [dir.to_owned()].into_iter().chain(secret).filter(|path| is_open(path));
    let wrong = |path: std::path::PathBuf| {
        let what = format!("others can read {}", path.display());
        Finding::wrong("permissions", what, format_args!("chmod go-rwx {}", path.display()))
    };
    let mut findings: Vec<Finding> = if is_open(dir) {
        found.map(wrong).collect()
    } else {
        // Nobody else gets into the directory, so what is in it is safe.
        Vec::new()
    };
    if let Some(file) = file.filter(|file| is_open(file) && names_a_password(file)) {
        let what = format!("others can read {}, which holds a password", file.display());
        let to_do = "chmod go-rwx it, or set the URL as an environment variable";
        findings.push(Finding::wrong("permissions", what, to_do));
    }
    if findings.is_empty() {
        findings.push(Finding::good("permissions", "others cannot read what is secret"));
    }
    findings
}

fn is_open(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// A URL with a password in it: `scheme://user:password@host`.
fn names_a_password(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with('#')).any(|line| {
        let rest = line.split_once("://").map(|(_, rest)| rest);
        let user = rest.and_then(|rest| rest.split_once('@')).map(|(user, _)| user);
        user.is_some_and(|user| user.contains(':') && !user.contains('/'))
    })
}

fn disk(dir: &Path) -> Option<Finding> {
    let existing = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new("."));
    let found = rustix::fs::statvfs(existing).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let what = format!("{} MB are free", free >> 20);
    let to_do = "make room; a server with a full disk refuses new messages and loses none";
    Some(match free {
        free if free < TOO_LITTLE => Finding::wrong("disk", what, to_do),
        free if free < LITTLE => Finding::warning("disk", what, to_do),
        _ => Finding::good("disk", what),
    })
}

async fn database(about: &str, location: &Location, component: &Component) -> Finding {
    if let Location::File(path) = location
        && !path.exists()
    {
        let what = format!("{} does not exist yet", path.display());
        return Finding::warning(about, what, "the first start of `parlor serve` creates it");
    }
    let opened = match Database::open_as_is(location).await {
        Ok(opened) => opened,
        Err(error) => {
            let to_do = "correct storage.url (PARLOR_STORAGE_URL), or start the database server";
            return Finding::wrong(about, error, to_do);
        }
    };
    let found = state_of(&opened, about, component).await;
    opened.close().await;
    found.unwrap_or_else(|fault| {
        Finding::wrong(about, fault, "`parlor db check` says more; a backup can be restored")
    })
}

async fn state_of(
    database: &Database,
    about: &str,
    component: &Component,
) -> Result<Finding, parlor_database::Fault> {
    let engine = database.engine().await?;
    let (found, known) =
        (database.schema_version(component.migrations).await?, component.version());
    database.check().await?;
    Ok(match found {
        Some(found) if found > known => Finding::wrong(
            about,
            format_args!("{engine}, schema {found}; this version knows {known}"),
            "run the newer version of Parlor that wrote it",
        ),
        Some(found) if found == known => Finding::good(
            about,
            format_args!("{engine}, schema {found}; it can be read and written"),
        ),
        _ => Finding::warning(
            about,
            format_args!("{engine}; its tables are those of an older version, or missing"),
            "the next start of a server, or `parlor db migrate`, brings them up to date",
        ),
    })
}

/// Only servers on PostgreSQL have one.
async fn channel(config: &Config) -> Option<Finding> {
    let about = "channel between nodes";
    let dir = &config.server.data_dir;
    let Location::Server(_) = config.storage.chat(dir) else { return None };
    let store = Store::connect(&config.storage.chat(dir), 2).await.ok()?;
    let channel = fanout(&config.nodes, &config.storage, &store).await.ok()?;
    let since = std::time::Instant::now();
    let mut health = channel.health();
    while !health.heard && since.elapsed() < HEARING {
        tokio::time::sleep(LOOK_AGAIN).await;
        health = channel.health();
    }
    channel.close().await;
    store.close().await;
    Some(match (health.heard, health.problem) {
        (true, _) => Finding::good(about, format_args!("hints arrive over {}", health.kind)),
        (false, problem) => Finding::warning(
            about,
            format_args!(
                "nothing is heard over {}: {}",
                health.kind,
                problem.as_deref().unwrap_or("no reason is known")
            ),
            "everything works meanwhile, but slower; correct fanout.url or storage.direct_url",
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-2, X-3: a password in a file that others can read is found, one in a comment is none.
    #[test]
    fn a_password_that_others_can_read_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("parlor.toml");
        let finds = |text: &str| {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            let found = readable_by_others(&dir.path().join("none"), Some(&file));
            found[0].to_string().contains("holds a password")
        };
        assert!(finds("[storage]\nurl = \"postgres://parlor:secret@db/parlor\"\n"));
        assert!(!finds("#url = \"postgres://parlor:secret@db/parlor\"\n"));
        assert!(!finds("public_url = \"https://chat.example.org:8443\"\n"));
    }

    /// O-2: a directory that others can read is found with each secret in it.
    #[test]
    fn an_open_directory_is_found() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("secret.key"), "x").unwrap();
        let mode = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(&dir.path().join("secret.key"), 0o644);
        mode(dir.path(), 0o700);
        assert_eq!(
            readable_by_others(dir.path(), None)[0].state,
            super::super::finding::State::Good
        );
        mode(dir.path(), 0o755);
        assert_eq!(readable_by_others(dir.path(), None).len(), 2);
    }
}
