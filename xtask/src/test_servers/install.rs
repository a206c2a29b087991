//! Installs packages of Debian and its relatives, without starting their daemons.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::users::is_root;

/// Debian's scripts ask this program before they start a daemon.
const DAEMON_POLICY: &str = "/usr/sbin/policy-rc.d";
/// Settings for the cluster that the package of PostgreSQL would create; ours is another.
const CLUSTER_SETTINGS: &str = "/etc/postgresql-common/createcluster.d/parlor-tests.conf";

const OPTIONS: &[&str] = &[
    "-qq", "--yes", "-oDPkg::Lock::Timeout=300", "-oAcquire::Retries=2",
    "-oAcquire::http::Timeout=30",
];

/// Whether packages can be installed here.
pub(super) fn is_possible() -> bool {
    let has_apt = || Command::new("apt-get").arg("--version").output().is_ok();
    is_root() && has_apt()
}

/// Installs the first of these packages that the distribution has.
pub(super) fn any_of(packages: &[&str]) -> Result<(), String> {
    let _files = [no_daemons(), no_cluster()];
    // The lists of packages may be missing or old.
    first_of(packages).or_else(|_| apt(&["update"]).and_then(|()| first_of(packages)))
}

fn first_of(packages: &[&str]) -> Result<(), String> {
    let failed = Err("there is nothing to install".to_owned());
    packages.iter().fold(failed, |before, package| before.or_else(|_| apt(&install(package))))
}

fn install(package: &str) -> [&str; 3] {
    ["install", "--no-install-recommends", package]
}

fn apt(arguments: &[&str]) -> Result<(), String> {
    let mut apt = Command::new("apt-get");
    apt.args(OPTIONS).args(arguments);
    apt.env("DEBIAN_FRONTEND", "noninteractive").env("NEEDRESTART_SUSPEND", "1");
    let output = apt.output().map_err(|error| format!("apt-get cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    Err(format!("apt-get {} failed: {last}", arguments.join(" ")))
}

/// A file that is there while packages are installed.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    /// `None` if somebody else wrote it, or if it cannot be written: then a daemon is started.
    fn create(path: &str, mode: u32, content: &str) -> Option<Self> {
        let path = Path::new(path);
        if path.exists() {
            return None;
        }
        fs::create_dir_all(path.parent()?).ok()?;
        fs::write(path, content).ok()?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).ok()?;
        Some(Self(path.to_owned()))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _removed = fs::remove_file(&self.0);
    }
}

/// It forbids nothing any more if this process was killed and could not remove it.
fn no_daemons() -> Option<TemporaryFile> {
    let us = std::process::id();
    let script = format!("#!/bin/sh\n# Of `cargo xtask`.\n[ -d /proc/{us} ] && exit 101\nexit 0\n");
    TemporaryFile::create(DAEMON_POLICY, 0o755, &script)
}

fn no_cluster() -> Option<TemporaryFile> {
    TemporaryFile::create(CLUSTER_SETTINGS, 0o644, "create_main_cluster = false\n")
}
