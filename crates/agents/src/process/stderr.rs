//! The standard error of a child: always read, so that the child never waits for
//! us, and logged at `debug`, a line a second at the most.
//!
//! It goes nowhere else: what a program says there may hold its secrets.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::pace::{Budget, OncePerSecond};

/// The longest piece of a line that is logged.
const LONGEST_LINE: usize = 500;
/// What is read of it in a second; a program that writes more is slowed down.
const BYTES_PER_SECOND: usize = 1 << 20;

/// Logs what a child says on its standard error.
#[derive(Debug, Default)]
pub struct StderrLog {
    gate: OncePerSecond,
}

impl StderrLog {
    /// Reads to the end. `name` is the child's name in the log.
    pub async fn drain(&self, name: &str, mut stderr: impl AsyncRead + Unpin) {
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
        if line.is_empty() || !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        if let Some(left_out) = self.gate.pass() {
            let line = String::from_utf8_lossy(line);
            tracing::debug!(child = name, left_out, "{}", line.escape_debug());
        }
    }
}
