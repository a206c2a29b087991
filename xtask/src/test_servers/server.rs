//! One server as a child process: started on a free port of loopback, waited for, and stopped.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use super::folder::Folder;

/// A port that was free can be taken before the server has it; then another one is tried.
const ATTEMPTS: usize = 3;
const LONGEST_START: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(10);

/// A server that runs until this is dropped.
pub(super) struct Server {
    child: Child,
    stop: Option<Command>,
}

/// How a server is started.
pub(super) struct Start<'s> {
    pub(super) program: &'s Path,
    /// Its arguments on a port.
    pub(super) arguments: &'s dyn Fn(u16) -> Result<Vec<String>, String>,
    /// Whether it answers on that port.
    pub(super) answers: &'s dyn Fn(u16) -> bool,
    /// What stops it in good order; without one, it is killed.
    pub(super) stop: Option<Command>,
}

impl Server {
    /// Starts a server and waits until it answers; returns its port.
    pub(super) fn start(start: Start<'_>, folder: &Folder) -> Result<(Self, u16), String> {
        let mut failed = String::new();
        for _ in 0..ATTEMPTS {
            let port = free_port()?;
            let log = folder.file(&format!("{port}.log"));
            let child = spawn(&start, port, &log, folder)?;
            let mut server = Self { child, stop: None };
            match server.wait(&|| (start.answers)(port)) {
                Ok(()) => {
                    server.stop = start.stop;
                    return Ok((server, port));
                }
                Err(why) => failed = format!("{why}: {}", last_lines(&log)),
            }
        }
        Err(failed)
    }

    fn wait(&mut self, answers: &dyn Fn() -> bool) -> Result<(), String> {
        let begin = Instant::now();
        while begin.elapsed() < LONGEST_START {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(format!("the server ended ({status})"));
            }
            if answers() {
                return Ok(());
            }
            thread::sleep(POLL);
        }
        Err("the server does not answer".to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = &mut self.stop {
            let _stopped = stop.output();
        }
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// `setpriv` asks the kernel to kill the server at the death of this process. A gentler signal may be
/// ignored: shells start what they run in the background so.
fn spawn(start: &Start<'_>, port: u16, log: &Path, folder: &Folder) -> Result<Child, String> {
    let mut command = folder.command(Path::new("setpriv"));
    command.args(["--pdeathsig", "KILL", "--"]).arg(start.program).args((start.arguments)(port)?);
    let log = File::create(log).map_err(|error| format!("no log can be written: {error}"))?;
    let errors = log.try_clone().map_err(|error| format!("no log can be written: {error}"))?;
    let spawned = command.stdout(log).stderr(errors).process_group(0).spawn();
    spawned.map_err(|error| format!("setpriv (util-linux) cannot be started: {error}"))
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|bound| bound.local_addr());
    listener.map(|address| address.port()).map_err(|error| format!("no free port: {error}"))
}

fn last_lines(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().rev().take(3).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" / ")
}
