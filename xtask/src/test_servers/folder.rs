//! The temporary folder of the servers. It is removed at the end, or else by the next run.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::users::{self, User};

/// Names of folders begin with it.
const PREFIX: &str = "parlor-services-";
/// The supervisor holds a lock on this file as long as it lives.
const LOCK: &str = "lock";

/// A folder that only the user of the servers may read.
pub(super) struct Folder {
    path: PathBuf,
    user: Option<User>,
    _lock: File,
}

impl Folder {
    /// Creates an empty one.
    pub(super) fn create() -> Result<Self, String> {
        let user = users::for_servers()?;
        let path = std::env::temp_dir().join(format!("{PREFIX}{}", random_hex(8)?));
        let failed = |error: io::Error| format!("{} cannot be used: {error}", path.display());
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        let lock = File::create(path.join(LOCK)).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let folder = Self { path: path.clone(), user, _lock: lock };
        folder.give_away(&path).map_err(failed)?;
        Ok(folder)
    }

    /// Removes the folders of supervisors that were killed.
    pub(super) fn remove_stale() {
        let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
        for entry in entries {
            let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
            if is_ours && is_stale(&entry.path()) {
                let _removed = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// The path of a file inside.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file that only the servers can read.
    pub(super) fn write(&self, name: &str, content: &str) -> Result<PathBuf, String> {
        let path = self.file(name);
        let written = fs::write(&path, content).and_then(|()| self.give_away(&path));
        written.map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        Ok(path)
    }

    /// A program that runs in the folder, as the user of the servers, with an environment of its own
    /// and none of the variables that change what PostgreSQL does.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.path).stdin(Stdio::null()).env_clear().env("LC_ALL", "C");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        if let Some(user) = self.user {
            command.uid(user.id).gid(user.group);
        }
        command
    }

    fn give_away(&self, path: &Path) -> io::Result<()> {
        self.user.map_or(Ok(()), |user| chown(path, Some(user.id), Some(user.group)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("xtask: {} cannot be removed: {error}", self.path.display());
        }
    }
}

/// Random bytes as hexadecimal digits.
pub(super) fn random_hex(bytes: usize) -> Result<String, String> {
    let mut random = vec![0; bytes];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut random))
        .map_err(|error| format!("no random numbers: {error}"))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A folder whose lock is free. One without a lock has only just been created.
fn is_stale(folder: &Path) -> bool {
    File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}
