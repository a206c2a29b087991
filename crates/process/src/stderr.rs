//! The standard error of a child: always read, so that the child never blocks on it, and
//! logged at `debug`, at most one line a second.
//!
//! It may hold secrets of the program. The last lines are kept for administrators, because they
//! often say why the program ended; whoever shows them masks them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::pace::{Budget, OncePerSecond};

/// The longest piece of a line that is logged.
const LONGEST_LINE: usize = 500;
/// What is read of it in a second; a program that writes more is slowed down.
const BYTES_PER_SECOND: usize = 1 << 20;

/// How many lines are kept, of this child and of those before it.
const KEPT_LINES: usize = 50;

/// A line of a child's standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StderrLine {
    /// When it was read.
    pub at: SystemTime,
    /// Its beginning, as the program wrote it.
    pub text: String,
}

/// Logs the standard error of a child.
#[derive(Debug, Default)]
pub struct StderrLog {
    gate: OncePerSecond,
    last: Mutex<Option<String>>,
    recent: Mutex<VecDeque<StderrLine>>,
    /// How many children are being read.
    readers: watch::Sender<usize>,
}

/// Counts a reader as long as it exists.
#[derive(Debug)]
struct Reading<'a>(&'a watch::Sender<usize>);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|readers| *readers = readers.saturating_sub(1));
    }
}

impl StderrLog {
    /// A new child is going to be read: forgets the last line of the one before.
    pub fn begin(&self) {
        self.set_last(None);
        self.readers.send_modify(|readers| *readers += 1);
    }

    /// The last line of the child, once it was read to its end. The wait is bounded, because
    /// other processes may hold its standard error open.
    pub async fn last_line(&self, within: Duration) -> Option<String> {
        let mut readers = self.readers.subscribe();
        let _late = timeout(within, readers.wait_for(|readers| *readers == 0)).await;
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The last lines of this child and of those before it, oldest first.
    pub fn recent(&self) -> Vec<StderrLine> {
        self.recent_lines().iter().cloned().collect()
    }

    fn recent_lines(&self) -> MutexGuard<'_, VecDeque<StderrLine>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, text: &str) {
        let mut recent = self.recent_lines();
        if recent.len() >= KEPT_LINES {
            recent.pop_front();
        }
        recent.push_back(StderrLine { at: SystemTime::now(), text: text.to_owned() });
    }

    fn set_last(&self, line: Option<String>) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }

    /// Reads to the end. `name` is the child's name in the log.
    pub async fn drain(&self, name: &str, mut stderr: impl AsyncRead + Unpin) {
        let _reading = Reading(&self.readers);
        let mut chunk = vec![0; 8 << 10];
        let mut line = Vec::new();
        let mut budget = Budget::new(BYTES_PER_SECOND);
        while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
            for piece in chunk[..read].split_inclusive(|byte| *byte == b'\n') {
                let room = LONGEST_LINE.saturating_sub(line.len());
                line.extend(piece.iter().take(room));
                if piece.ends_with(b"\n") {
                    self.log(name, &line);
                    line.clear();
                }
            }
            budget.take(read).await;
        }
        self.log(name, &line);
    }

    fn log(&self, name: &str, line: &[u8]) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let line = String::from_utf8_lossy(line);
        self.keep(&line);
        self.set_last(Some(line.escape_debug().to_string()));
        if !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        if let Some(left_out) = self.gate.pass() {
            tracing::debug!(child = name, left_out, "{}", line.escape_debug());
        }
    }
}
