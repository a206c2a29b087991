//! The process of a conversation: lines in, lines out, and its end.

use std::sync::Arc;
use std::time::Duration;

use parlor_process::{NOT_EXECUTABLE, NOT_FOUND, Process, SpawnSpec, StderrLog, Supervisor};
use serde_json::Value;
use tokio::process::ChildStdout;
use tokio::time::timeout;

use super::lines::{Line, LineWriter, Lines};
use super::noise::NoiseLog;

/// How long a process that closed its output may take to end by itself.
const FAREWELL: Duration = Duration::from_secs(2);
/// Exit codes above this one stand for signals.
const SIGNALS: i32 = 128;

/// A process that runs.
#[derive(Debug)]
pub(super) struct Child {
    lines: Lines<ChildStdout>,
    writer: LineWriter,
    process: Process,
    program: String,
    noise: NoiseLog,
    /// Whether it has said anything yet.
    pub(super) has_spoken: bool,
}

/// How a process ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// It never ran: its program is not there, or cannot be run.
    NotRun(String),
    /// It ran, and ended.
    Ended(String),
}

impl Child {
    /// Starts it. `name` is for the log.
    pub(super) fn start(
        supervisor: &Supervisor,
        spec: &SpawnSpec,
        longest_line: usize,
        name: &str,
    ) -> Result<Self, String> {
        let spawned = supervisor.spawn(spec).map_err(|error| error.to_string())?;
        let noise = NoiseLog::new(name, &spec.environment);
        let (log, name) = (Arc::new(StderrLog::default()), name.to_owned());
        let stderr = spawned.stderr;
        tokio::spawn(async move { log.drain(&name, stderr).await });
        Ok(Self {
            lines: Lines::new(spawned.stdout, longest_line),
            writer: LineWriter::new(spawned.stdin),
            process: spawned.process,
            program: spec.program.clone(),
            noise,
            has_spoken: false,
        })
    }

    /// Says something.
    pub(super) fn send(&self, line: &Value) {
        self.writer.send(line);
    }

    /// The next line. Who is dropped in between goes on later where it was.
    pub(super) async fn next(&mut self) -> Line {
        let line = self.lines.next().await;
        self.has_spoken |= matches!(line, Line::Json(..));
        if let Line::Noise(beginning, length) = &line {
            self.noise.skipped(beginning, *length);
        }
        line
    }

    /// Ends it, and everything that it started.
    pub(super) async fn end(self) {
        let _gone = self.process.end().await;
    }

    /// Ends it before it can do anything else: what it asked stays unanswered.
    pub(super) async fn kill(self) {
        let _gone = self.process.kill().await;
    }

    /// It said that nothing comes any more: how it ended. What it left behind is
    /// ended too.
    pub(super) async fn farewell(mut self) -> Exit {
        let Ok(Ok(status)) = timeout(FAREWELL, self.process.wait()).await else {
            self.end().await;
            return Exit::Ended("it closed its output".to_owned());
        };
        let program = &self.program;
        match status.code() {
            Some(NOT_FOUND) => Exit::NotRun(format!("there is no program '{program}'")),
            Some(NOT_EXECUTABLE) => {
                Exit::NotRun(format!("the program '{program}' cannot be run as configured"))
            }
            Some(code) if code > SIGNALS => {
                Exit::Ended(format!("it was ended by signal {}", code - SIGNALS))
            }
            Some(code) => Exit::Ended(format!(
                "it ended with code {code}; what it said on standard error is in the log at debug"
            )),
            None => Exit::Ended("it was killed".to_owned()),
        }
    }
}
