//! A PostgreSQL cluster of this run.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use rustix::process::Signal;

use super::server::Server;
use super::{folder_of, password, program};
use crate::process::{Process, User, free_port, give_away};

const PROGRAM: &str = "TEST_POSTGRES_PROGRAM";
const USER: &str = "parlor";
const LONGEST_INIT: Duration = Duration::from_secs(60);

/// Processes are killed here, not machines: what a process wrote is there without `fsync`.
const SETTINGS: &[&str] = &[
    "listen_addresses=127.0.0.1", "max_connections=200", "fsync=off", "full_page_writes=off",
    "synchronous_commit=on", "unix_socket_directories=",
];

/// The database server.
pub(crate) struct Postgres {
    server: Server,
    pub(crate) url: String,
}

impl Postgres {
    /// Creates a cluster and starts it.
    pub(crate) async fn start(folder: &Path) -> anyhow::Result<Self> {
        let (program, folder, password) =
            (program(PROGRAM)?, folder_of(folder, "postgres")?, password());
        let data = folder.join("data");
        create_cluster(&program, &folder, &password).await?;
        let port = free_port()?;
        let mut arguments = vec!["-D".to_owned(), data.display().to_string()];
        for setting in
            SETTINGS.iter().map(|text| (*text).to_owned()).chain([format!("port={port}")])
        {
            arguments.extend(["-c".to_owned(), setting]);
        }
        let answers = Box::new(move || is_ready(&data));
        let mut server =
            Server { name: "postgres", program, arguments, folder, answers, process: None };
        server.start().await?;
        Ok(Self { server, url: format!("postgres://{USER}:{password}@127.0.0.1:{port}/postgres") })
    }

    /// Stops it: in good order, which ends all sessions, or as after a crash.
    pub(crate) async fn stop(&mut self, in_order: bool) {
        self.server.stop(if in_order { Signal::INT } else { Signal::QUIT }).await;
    }

    /// Starts it again.
    pub(crate) async fn start_again(&mut self) -> anyhow::Result<()> {
        self.server.start().await
    }

    /// Ends the sessions of all clients, as `pg_terminate_backend` does.
    pub(crate) fn cut(&self) {
        self.server.signal_children(Signal::TERM, |line| line.contains(&format!(": {USER} ")));
    }

    /// Stops or continues all of its processes.
    pub(crate) fn pause(&self, paused: bool) {
        self.server.signal(if paused { Signal::STOP } else { Signal::CONT });
    }
}

async fn create_cluster(program: &Path, folder: &Path, password: &str) -> anyhow::Result<()> {
    let file = folder.join("password");
    fs::write(&file, password)?;
    give_away(&file, User::Unprivileged)?;
    // Only the server may have a link in `PATH`.
    let initdb = fs::canonicalize(program)?.with_file_name("initdb");
    let prepare = |command: &mut Command| {
        command.args(["--username", USER, "--auth", "scram-sha-256", "--encoding", "UTF8"]);
        command.args(["--locale", "C", "--no-sync", "--no-instructions"]);
        command.arg("--pwfile").arg(&file).arg("--pgdata").arg(folder.join("data"));
    };
    let log = folder.with_file_name("initdb.log");
    let mut initdb = Process::start(&initdb, User::Unprivileged, folder, &log, prepare)?;
    let status = initdb.ended(LONGEST_INIT).await.context("initdb does not end")?;
    ensure!(status.success(), "initdb failed; see {}", log.display());
    Ok(())
}

/// The last line of this file is the state of the server; `pg_ctl` waits for the same.
fn is_ready(data: &Path) -> bool {
    let file = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
    file.lines().last().is_some_and(|state| state.trim() == "ready")
}
