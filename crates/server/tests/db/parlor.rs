//! The binary as an administrator uses it, and a server that runs beside it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use parlor_database::transfer::Component;
use parlor_database::{Connections, Database, Location};

/// What a command printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) text: String,
    pub(crate) code: i32,
}

/// Runs `parlor db …`.
pub(crate) fn db(arguments: &[&str]) -> Outcome {
    run(Command::new(env!("CARGO_BIN_EXE_parlor")).arg("db").args(arguments))
}

/// Runs `parlor db …` on the database of a URL, which the configuration names.
pub(crate) fn db_at(url: &str, arguments: &[&str]) -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    run(command.arg("db").args(arguments).env("PARLOR_STORAGE_URL", url))
}

fn run(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    Outcome { text: String::from_utf8(text).unwrap(), code: output.status.code().unwrap() }
}

/// Runs `parlor db COMMAND … --data-dir DIR`.
pub(crate) fn db_in(dir: &Path, arguments: &[&str]) -> Outcome {
    db(&[arguments, &["--data-dir", dir.to_str().unwrap()]].concat())
}

impl Outcome {
    /// The command succeeded.
    #[track_caller]
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.code, 0, "{}", self.text);
        self.text
    }

    /// The command failed and said why.
    #[track_caller]
    pub(crate) fn failed(self, why: &str) {
        assert_eq!(self.code, 1, "{}", self.text);
        assert!(self.text.contains(why), "{why:?} is not in:\n{}", self.text);
    }
}

/// A running server; it ends with the test.
pub(crate) struct Server(Child);

impl Server {
    /// Starts a server on a data directory and waits until it listens.
    pub(crate) fn start(dir: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
            .args(["serve", "--bind", "127.0.0.1:0", "--data-dir"])
            .arg(dir)
            .current_dir(dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("listening on")), "it did not start");
        Self(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _killed = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// The two files of a data directory.
pub(crate) fn files(dir: &Path) -> [PathBuf; 2] {
    ["parlor.db", "recipes.db"].map(|name| dir.join(name))
}

/// The URL of the databases of a data directory.
pub(crate) fn url(dir: &Path) -> String {
    format!("sqlite:{}", files(dir)[0].display())
}

/// The tables of all databases, in the order of [`files`].
pub(crate) fn components() -> [Component; 2] {
    [parlor_storage::component(), parlor_recipes::component()]
}

/// The schema of this version.
pub(crate) fn newest() -> i64 {
    components()[0].migrations.newest()
}

/// How many tables there are in all.
pub(crate) fn tables() -> usize {
    components().iter().map(|component| component.tables.len()).sum()
}

/// Makes a file as an earlier version left it.
pub(crate) async fn made_by_an_earlier_version(file: &Path, version: i64) {
    let earlier = Box::leak(Box::new(components()[0].migrations.up_to(version)));
    let component = Component { migrations: earlier, ..components()[0] };
    open(&Location::from(file), &component).await.close().await;
}

/// Opens a database as a server does.
pub(crate) async fn open(location: &Location, component: &Component) -> Database {
    let connections = Connections { sqlite_readers: 2, postgres: 4 };
    Database::open(location, component.migrations, connections).await.unwrap()
}
