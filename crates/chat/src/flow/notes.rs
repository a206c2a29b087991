//! What would have been asked, while a project only watches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use parlor_protocol::Timestamp;
use serde::Serialize;

/// How many of the last notes are kept.
const KEPT: usize = 20;

/// What a project that watches would have asked since the server was started.
#[derive(Debug, Default)]
pub struct FlowNotes {
    count: AtomicU64,
    last: Mutex<Vec<FlowNote>>,
}

/// A call that would have been asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlowNote {
    /// When.
    pub at: Timestamp,
    /// The tool that was called.
    pub tool: String,
    /// The tool whose result was read before.
    pub read: String,
}

impl FlowNotes {
    /// How many calls would have been asked about.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The last of them, the newest first.
    pub fn last(&self) -> Vec<FlowNote> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).iter().rev().cloned().collect()
    }

    pub(crate) fn add(&self, note: FlowNote) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() == KEPT {
            last.remove(0);
        }
        last.push(note);
    }
}
