//! The process of a conversation: lines in, lines out, and how it ends.

use std::sync::Arc;
use std::time::Duration;

use parlor_process::{
    LineReader, LineWriter, NOT_EXECUTABLE, NOT_FOUND, Process, SpawnSpec, StderrLog, Supervisor,
};
use serde_json::Value;
use tokio::process::ChildStdout;
use tokio::time::timeout;

use super::line::Line;
use super::skipped_lines::SkippedLineLog;

/// How long a process that closed its output may take to exit by itself.
const EXIT: Duration = Duration::from_secs(2);
/// Exit codes above this one stand for signals.
const SIGNALS: i32 = 128;
/// Lines that wait for a program that is slow to read.
const WAITING: usize = 64;

/// A process that runs.
#[derive(Debug)]
pub(super) struct Child {
    lines: LineReader<ChildStdout>,
    writer: LineWriter,
    process: Process,
    program: String,
    skipped: SkippedLineLog,
    /// Whether a message came from it.
    pub(super) has_spoken: bool,
}

/// How a process exited.
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
        let skipped = SkippedLineLog::new(name, &spec.environment);
        let (log, name) = (Arc::new(StderrLog::default()), name.to_owned());
        let stderr = spawned.stderr;
        tokio::spawn(async move { log.drain(&name, stderr).await });
        Ok(Self {
            lines: LineReader::new(spawned.stdout, longest_line),
            writer: LineWriter::new(spawned.stdin, WAITING),
            process: spawned.process,
            program: spec.program.clone(),
            skipped,
            has_spoken: false,
        })
    }

    /// Sends a line. A process that does not take it has ended, or runs into a timeout.
    pub(super) fn send(&self, line: &Value) {
        if !self.writer.try_send(line.to_string().into_bytes()) {
            tracing::debug!("a process does not read its input");
        }
    }

    /// The next line that is not empty. Cancel-safe.
    pub(super) async fn next(&mut self) -> Line {
        let line = loop {
            match self.lines.next().await {
                Ok(Some(line)) => match Line::parse(&line) {
                    Some(line) => break line,
                    None => continue,
                },
                Ok(None) => break Line::End,
                Err(error) => break Line::Broken(error.to_string()),
            }
        };
        self.has_spoken |= matches!(line, Line::Message(..));
        if let Line::Skipped(beginning, length) = &line {
            self.skipped.log(beginning, *length);
        }
        line
    }

    /// Ends it, and everything that it started.
    pub(super) async fn end(self) {
        let _gone = self.process.end().await;
    }

    /// Ends it before it can do anything else: its question stays unanswered.
    pub(super) async fn kill(self) {
        let _gone = self.process.kill().await;
    }

    /// Waits for a process that closed its output, and ends whatever it left behind.
    pub(super) async fn exit(mut self) -> Exit {
        let Ok(Ok(status)) = timeout(EXIT, self.process.wait()).await else {
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
                "it ended with code {code}; its standard error is in the log at level debug"
            )),
            None => Exit::Ended("it was killed".to_owned()),
        }
    }
}
