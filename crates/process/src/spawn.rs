//! Starting a child under its supervisor, and ending it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use secrecy::{ExposeSecret, SecretString};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::user::User;

/// Exit code: the program cannot be executed. The same codes as of `env` and `nohup`.
pub const NOT_EXECUTABLE: i32 = 126;
/// Exit code: there is no such program.
pub const NOT_FOUND: i32 = 127;

/// How long a supervisor may take to end its child. It gives the child a second, kills it,
/// and reaps what is left.
const ENDING: Duration = Duration::from_secs(4);

/// How a supervisor is started.
#[derive(Debug, Clone)]
pub struct Supervisor {
    /// The program that can supervise: the server's own.
    pub executable: PathBuf,
    /// The arguments that make it supervise.
    pub arguments: Vec<String>,
}

/// A child to start.
#[derive(Debug, Clone)]
pub struct SpawnSpec {
    /// The program, looked up in the `PATH` of `environment`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Everything that its environment holds.
    pub environment: Vec<(String, SecretString)>,
    /// Where it runs; without one, where the server does.
    pub working_dir: Option<PathBuf>,
    /// As whom it runs; without one, as the server.
    pub user: Option<User>,
    /// What it may use.
    pub limits: Limits,
    /// Whether it is killed at once when its input is closed. Else it has a second to end by
    /// itself.
    pub dies_at_once: bool,
}

/// What a child may use. What is not set is as for the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Open files.
    pub open_files: Option<u64>,
    /// Address space, in bytes.
    pub memory: Option<u64>,
    /// Processes of the same user.
    pub processes: Option<u64>,
    /// Processor time, in seconds.
    pub cpu_seconds: Option<u64>,
}

/// A child with its pipes.
#[derive(Debug)]
pub struct Spawned {
    /// Its standard input, and its lifeline: closing it ends the child.
    pub stdin: ChildStdin,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// Its standard error.
    pub stderr: ChildStderr,
    /// The process itself.
    pub process: Process,
}

/// A supervised process. Dropping it ends the child without waiting for that.
pub struct Process {
    supervisor: Child,
}

impl Supervisor {
    /// Starts a child. A program that is not there is noticed by its exit code.
    pub fn spawn(&self, spec: &SpawnSpec) -> io::Result<Spawned> {
        let mut command = Command::new(&self.executable);
        command.args(&self.arguments).args(supervisor_arguments(spec));
        command.env_clear();
        for (name, value) in &spec.environment {
            command.env(name, value.expose_secret());
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        let mut supervisor = command.spawn()?;
        let no_pipe = || io::Error::other("the child has no pipe");
        Ok(Spawned {
            stdin: supervisor.stdin.take().ok_or_else(no_pipe)?,
            stdout: supervisor.stdout.take().ok_or_else(no_pipe)?,
            stderr: supervisor.stderr.take().ok_or_else(no_pipe)?,
            process: Process { supervisor },
        })
    }
}

impl Process {
    /// Waits until the child and everything that it left behind are gone.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.supervisor.wait().await
    }

    /// Ends the child now, and everything that it started.
    pub async fn end(self) -> io::Result<ExitStatus> {
        self.end_by(Signal::TERM).await
    }

    /// The same, without a moment for the child to do anything about it.
    pub async fn kill(self) -> io::Result<ExitStatus> {
        self.end_by(Signal::QUIT).await
    }

    async fn end_by(mut self, signal: Signal) -> io::Result<ExitStatus> {
        self.signal(signal);
        match timeout(ENDING, self.supervisor.wait()).await {
            Ok(status) => status,
            // The kernel still ends the child with its supervisor.
            Err(_) => {
                self.supervisor.start_kill()?;
                self.supervisor.wait().await
            }
        }
    }

    /// The supervisor was not waited for yet if it has an id, so the id is its own.
    fn signal(&self, signal: Signal) {
        let id = self.supervisor.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(id) = id {
            let _gone_already = kill_process(id, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::TERM);
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("supervisor", &self.supervisor.id()).finish()
    }
}

/// What `parlor supervise` is told. It is all in the arguments, so that the
/// environment is the child's own.
fn supervisor_arguments(spec: &SpawnSpec) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut add = |flag: &str, value: Option<String>| {
        arguments.extend(value.map(|value| format!("{flag}={value}")));
    };
    add("--user", spec.user.as_ref().map(|user| format!("{}:{}", user.uid, user.gid)));
    add("--working-dir", spec.working_dir.as_ref().map(|dir| dir.display().to_string()));
    add("--open-files", spec.limits.open_files.map(|n| n.to_string()));
    add("--memory", spec.limits.memory.map(|n| n.to_string()));
    add("--processes", spec.limits.processes.map(|n| n.to_string()));
    add("--cpu-seconds", spec.limits.cpu_seconds.map(|n| n.to_string()));
    arguments.extend(spec.dies_at_once.then(|| "--dies-at-once".to_owned()));
    arguments.push("--".to_owned());
    arguments.push(spec.program.clone());
    arguments.extend(spec.arguments.iter().cloned());
    arguments
}
