//! What goes into the packages.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::{Result, copy, run};
use crate::root;

/// The documents of every package, by their place in the project.
pub(super) const DOCUMENTS: [&str; 5] =
    ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "parlor.example.toml"];

/// The files, and the names that they are packed under.
pub(super) struct Layout {
    pub(super) version: String,
    pub(super) is_static: bool,
    /// Where packages go.
    pub(super) out: PathBuf,
    /// The binary, without what a debugger needs.
    pub(super) binary: PathBuf,
}

impl Layout {
    pub(super) fn new(binary: &Path, is_static: bool, out: PathBuf) -> Result<Self> {
        let version = version()?;
        let stripped = out.join("files/parlor");
        copy(binary, &stripped)?;
        // Where there is no strip, the binary is larger and works as well.
        let _done = Command::new("strip").arg(&stripped).status();
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&stripped, mode).map_err(|error| error.to_string())?;
        Ok(Self { version, is_static, binary: stripped, out })
    }

    /// As names of packages have it: `linux-x86_64`, and `musl` if it needs no C library.
    pub(super) fn platform(&self) -> String {
        let library = if self.is_static { "musl" } else { "gnu" };
        format!("{}-{}-{library}", env::consts::ARCH, env::consts::OS)
    }

    /// A new folder below the packages.
    pub(super) fn staging(&self, name: &str) -> PathBuf {
        self.out.join("files").join(name)
    }

    /// Copies a file of the project.
    pub(super) fn put(file: &str, to: &Path) -> Result<()> {
        copy(&root().join(file), to)
    }
}

/// The version of the workspace.
fn version() -> Result<String> {
    let file = root().join("Cargo.toml");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let line = text.lines().find_map(|line| line.strip_prefix("version = \""));
    let version = line.and_then(|line| line.split('"').next());
    version.map(str::to_owned).ok_or_else(|| "Cargo.toml has no version".to_owned())
}

/// `tar`, so that the same files make the same bytes.
pub(super) fn tar(archive: &Path, folder: &Path, entry: &str) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"]);
    run(tar
        .arg("--gzip")
        .arg("--create")
        .arg("--file")
        .arg(archive)
        .arg("-C")
        .arg(folder)
        .arg(entry))
}
