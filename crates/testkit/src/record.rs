//! What the server recorded: requests, connections, and clients that disconnected.
//!
//! Requests beside the conversation (`side.rs`) are kept apart: they take no script, and
//! are not counted.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use crate::format::{Format, STREAMED_BY_PATH};
use crate::script::Script;

/// A request as it was received.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// The method.
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
}

impl RecordedRequest {
    /// The wire format that it is in.
    pub(crate) fn format(&self) -> Format {
        Format::of(&self.path)
    }

    /// Whether the client wants a stream.
    pub(crate) fn is_streamed(&self) -> bool {
        self.body["stream"] == true || self.path.contains(STREAMED_BY_PATH)
    }
}

/// Counters that a test may wait for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) requests: usize,
    pub(crate) accepted: usize,
    pub(crate) open: usize,
    pub(crate) left: usize,
}

/// The state that all connections of a server share.
pub(crate) struct Record {
    inner: Mutex<Inner>,
    /// Whether requests are kept.
    keeps: bool,
    /// Whether the clients are agent CLIs, which also ask beside their conversation.
    pub(crate) for_agents: bool,
    pub(crate) counts: watch::Sender<Counts>,
}

/// Makes the script for a request.
pub(crate) type Maker = Box<dyn FnOnce(&Value) -> Script + Send>;

/// Makes the script for every request that has none of its own.
pub(crate) type Rule = Arc<dyn Fn(&Value) -> Script + Send + Sync>;

#[derive(Default)]
struct Inner {
    scripts: VecDeque<Maker>,
    always: Option<Rule>,
    requests: Vec<RecordedRequest>,
    side_requests: Vec<RecordedRequest>,
}

impl Record {
    pub(crate) fn new() -> Self {
        let counts = watch::Sender::new(Counts::default());
        Self { inner: Mutex::default(), keeps: true, for_agents: false, counts }
    }

    /// One that keeps no requests.
    pub(crate) fn forgetful() -> Self {
        Self { keeps: false, ..Self::new() }
    }

    /// One for agent CLIs.
    pub(crate) fn for_agents() -> Self {
        Self { for_agents: true, ..Self::new() }
    }

    pub(crate) fn push(&self, make: Maker) {
        self.inner().scripts.push_back(make);
    }

    pub(crate) fn always(&self, rule: Rule) {
        self.inner().always = Some(rule);
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.inner().requests.clone()
    }

    pub(crate) fn side_requests(&self) -> Vec<RecordedRequest> {
        self.inner().side_requests.clone()
    }

    /// Records a request beside the conversation.
    pub(crate) fn note(&self, request: RecordedRequest) {
        if self.keeps {
            self.inner().side_requests.push(request);
        }
    }

    /// Records a request and returns the script for it.
    pub(crate) fn take(&self, request: RecordedRequest) -> Script {
        let mut inner = self.inner();
        let (make, always) = (inner.scripts.pop_front(), inner.always.clone());
        drop(inner);
        let next = match (make, always) {
            (Some(make), _) => Some(make(&request.body)),
            (None, Some(rule)) => Some(rule(&request.body)),
            (None, None) => None,
        };
        if self.keeps {
            self.inner().requests.push(request);
        }
        self.counts.send_modify(|counts| counts.requests += 1);
        let none = || Script::failure_saying(400, "invalid_request_error", "no script is left");
        next.unwrap_or_else(none)
    }

    /// A panic while the lock was held must not hide its cause.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
