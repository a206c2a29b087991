//! One server as a process that can be started again: on the same port, with the same data.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rustix::process::Signal;

use crate::process::{Process, User};

const LONGEST_START: Duration = Duration::from_secs(60);
const LONGEST_STOP: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);

/// Whether a server answers.
type Probe = Box<dyn Fn() -> bool + Send + Sync>;

/// A server that runs as a user without rights.
pub(super) struct Server {
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    pub(super) folder: PathBuf,
    pub(super) answers: Probe,
    pub(super) process: Option<Process>,
}

impl Server {
    /// Starts it and waits until it answers. It may have to be started several times: what a killed
    /// server left behind takes a moment to go away.
    pub(super) async fn start(&mut self) -> anyhow::Result<()> {
        let begin = Instant::now();
        while begin.elapsed() < LONGEST_START {
            let mut process = self.spawn()?;
            while process.status().is_none() && begin.elapsed() < LONGEST_START {
                if (self.answers)() {
                    self.process = Some(process);
                    return Ok(());
                }
                tokio::time::sleep(POLL).await;
            }
        }
        bail!("{} does not start; see {}", self.name, self.log().display())
    }

    /// Stops it by a signal.
    pub(super) async fn stop(&mut self, signal: Signal) {
        let Some(mut process) = self.process.take() else { return };
        process.signal(signal);
        // Whoever does not stop in time is killed.
        let _stopped = process.ended(LONGEST_STOP).await;
    }

    /// Sends a signal to it and to its children.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(process) = &self.process {
            process.signal_family(signal);
        }
    }

    /// Sends a signal to those of its children whose command line is meant.
    pub(super) fn signal_children(&self, signal: Signal, is_meant: impl Fn(&str) -> bool) {
        if let Some(process) = &self.process {
            process.signal_children(signal, is_meant);
        }
    }

    fn spawn(&self) -> anyhow::Result<Process> {
        let prepare = |command: &mut std::process::Command| {
            command.env_clear().env("LC_ALL", "C").args(&self.arguments);
            command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        };
        Process::start(&self.program, User::Unprivileged, &self.folder, &self.log(), prepare)
            .with_context(|| format!("{} cannot be started", self.name))
    }

    fn log(&self) -> PathBuf {
        let beside = self.folder.parent().unwrap_or(Path::new("."));
        beside.join(format!("{}.log", self.name))
    }
}
