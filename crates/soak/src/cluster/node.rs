//! One node: the real binary, with a data directory and a port that it keeps over restarts.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::process::Signal;

use crate::process::{Process, User, free_port};

const LONGEST_START: Duration = Duration::from_secs(60);
/// More than `shutdown_deadline`, and what tools and agents may take after it.
const LONGEST_STOP: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(20);
/// A node that exits at its start, because its database is away, is started again.
const RESTART: Duration = Duration::from_millis(300);

/// A server of the cluster.
pub(crate) struct Node {
    pub(crate) number: usize,
    pub(crate) port: u16,
    program: PathBuf,
    arguments: Vec<String>,
    variables: Vec<(&'static str, String)>,
    folder: PathBuf,
    client: reqwest::Client,
    process: Option<Process>,
}

impl Node {
    /// A node that does not run yet.
    pub(super) fn new(
        number: usize,
        folder: &Path,
        config: &Path,
        variables: Vec<(&'static str, String)>,
    ) -> anyhow::Result<Self> {
        let port = free_port()?;
        let data = folder.join(format!("node-{number}"));
        let path = |path: &Path| path.display().to_string();
        let arguments = vec![
            "serve".to_owned(),
            "--config".to_owned(),
            path(config),
            "--data-dir".to_owned(),
            path(&data),
            "--bind".to_owned(),
            format!("127.0.0.1:{port}"),
        ];
        Ok(Self {
            number,
            port,
            program: std::env::current_exe()?.with_file_name("parlor"),
            arguments,
            variables,
            folder: folder.to_owned(),
            client: reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0).build()?,
            process: None,
        })
    }

    /// Starts it, and waits until it responds.
    pub(crate) async fn start(&mut self) -> anyhow::Result<()> {
        let begin = Instant::now();
        while begin.elapsed() < LONGEST_START {
            let mut process = self.spawn()?;
            while process.status().is_none() && begin.elapsed() < LONGEST_START {
                if self.responds().await {
                    self.process = Some(process);
                    return Ok(());
                }
                tokio::time::sleep(POLL).await;
            }
            tokio::time::sleep(RESTART).await;
        }
        bail!("node {} does not start; see {}", self.number, self.log().display())
    }

    /// Kills it, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.process = None;
    }

    /// Stops it in good order.
    pub(crate) async fn terminate(&mut self) -> anyhow::Result<()> {
        let Some(mut process) = self.process.take() else { return Ok(()) };
        process.signal(Signal::TERM);
        let ended = process.ended(LONGEST_STOP).await;
        let status = ended.with_context(|| format!("node {} does not stop", self.number))?;
        ensure!(status.success(), "node {} was asked to stop and ended: {status}", self.number);
        Ok(())
    }

    /// Pauses or continues it. Its tools are other processes, and go on.
    pub(crate) fn pause(&self, paused: bool) {
        if let Some(process) = &self.process {
            process.signal(if paused { Signal::STOP } else { Signal::CONT });
        }
    }

    /// How it ended, if nobody asked it to.
    pub(crate) fn crashed(&mut self) -> Option<String> {
        let status = self.process.as_mut()?.status()?;
        Some(format!("node {} ended by itself: {status}", self.number))
    }

    /// Its process, if it runs.
    pub(crate) fn process(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    async fn responds(&self) -> bool {
        let url = format!("http://127.0.0.1:{}/healthz", self.port);
        let response = self.client.get(url).timeout(Duration::from_secs(2)).send().await;
        response.is_ok_and(|response| response.status().is_success())
    }

    fn spawn(&self) -> anyhow::Result<Process> {
        let prepare = |command: &mut std::process::Command| {
            command.args(&self.arguments).envs(self.variables.iter().cloned());
        };
        Process::start(&self.program, User::Same, &self.folder, &self.log(), prepare)
    }

    fn log(&self) -> PathBuf {
        self.folder.join(format!("node-{}.log", self.number))
    }
}
