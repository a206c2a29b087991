//! Builds the web interface with Node, before the server embeds it.
//!
//! Only what is out of date is done: packages are fetched if the lock file is newer, and the
//! interface is built if a source is newer than the build. Without Node the server still builds and
//! serves its plain page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::SystemTime;

/// The inputs of a build.
const SOURCES: &[&str] =
    &["src", "index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"];

/// Builds the interface if Node is installed and something changed.
pub(crate) fn build_if_possible() {
    if !has_node() {
        println!(
            "== web: Node is not installed, so the plain page is served (/chat?plain).\n   \
             The full interface needs Node 20 or later: https://nodejs.org"
        );
    } else if !build() {
        println!(
            "== web: the interface could not be built; an earlier build is served if there is one"
        );
    }
}

/// Fetches what is missing and builds what changed.
pub(crate) fn build() -> bool {
    if !fetch_packages() {
        return false;
    }
    if is_built() {
        println!("== web: up to date");
        return true;
    }
    npm(&["run", "build"])
}

/// Whether `node` and `npm` are installed.
pub(crate) fn has_node() -> bool {
    let runs = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    runs("node") && runs("npm")
}

/// Fetches the packages of the lock file, if they are out of date.
pub(crate) fn fetch_packages() -> bool {
    has_packages() || npm(&["ci"])
}

/// The same in the background; `None` if there is nothing to do.
pub(crate) fn fetching_packages() -> Option<Child> {
    if has_packages() { None } else { command(&["ci"]).spawn().ok() }
}

/// Runs npm in the folder of the interface.
pub(crate) fn npm(arguments: &[&str]) -> bool {
    match command(arguments).status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("xtask: npm could not be started: {error}");
            false
        }
    }
}

/// An npm command in the folder of the interface.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(folder());
    command
}

fn has_packages() -> bool {
    let fetched = changed(&folder().join("node_modules/.package-lock.json"));
    fetched.is_some() && fetched >= changed(&folder().join("package-lock.json"))
}

fn is_built() -> bool {
    let built = changed(&folder().join("dist/index.html"));
    let newest = SOURCES.iter().filter_map(|name| newest_in(&folder().join(name))).max();
    built.is_some() && built >= newest
}

fn newest_in(path: &Path) -> Option<SystemTime> {
    if !path.is_dir() {
        return changed(path);
    }
    let entries = fs::read_dir(path).ok()?;
    entries.filter_map(|entry| newest_in(&entry.ok()?.path())).max()
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web")
}
