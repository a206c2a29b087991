//! Third-party programs from npm: installed once below `target`, exactly as their lock file says,
//! by the first test that needs one.
//!
//! Without npm, or without access to the registry, those tests fail: a test that did not run must
//! not look like one that passed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

/// A timeout that only turns a hang into a failure.
const INSTALL: Duration = Duration::from_secs(480);
const LOCK_FILE: &str = "package-lock.json";

/// Installs the package in this folder beside the tests, and returns its directory. An existing
/// installation is used if the lock file is still the same.
pub(crate) async fn install(folder: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e").join(folder);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder.replace('/', "-"));
    fs::create_dir_all(&place).unwrap();
    let _mine = alone(place.join("lock")).await;
    for file in fs::read_dir(&source).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), place.join(file.file_name())).unwrap();
    }
    let (wanted, mark) = (fs::read(place.join(LOCK_FILE)).unwrap(), place.join("installed.json"));
    if fs::read(&mark).ok().as_ref() != Some(&wanted) {
        let mut npm = Command::new("npm");
        // Warnings about the version of Node are hidden, and install scripts are not run.
        npm.args(["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"]);
        npm.args(["--loglevel", "error"]);
        output(npm.current_dir(&place), "npm ci").await;
        fs::write(&mark, &wanted).unwrap();
    }
    place
}

/// Runs a program to its end, and returns its output.
pub(crate) async fn output(command: &mut Command, what: &str) -> String {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let ended = timeout(INSTALL, command.output()).await.unwrap_or_else(|_| panic!("{what} hangs"));
    let ended = ended.unwrap_or_else(|error| {
        panic!("{what} cannot be run ({error}); the tests need Node.js 20 or newer with npm")
    });
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{what}: {}\n{said}", ended.status);
    String::from_utf8(ended.stdout).unwrap()
}

/// Takes a lock that also excludes other processes.
async fn alone(file: PathBuf) -> File {
    let lock = move || {
        let file = File::create(file).unwrap();
        file.lock().unwrap();
        file
    };
    tokio::task::spawn_blocking(lock).await.unwrap()
}
