//! What the server recorded: requests, connections, and clients that disconnected.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use crate::script::Script;

/// A request as it was received.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// The path.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
}

impl RecordedRequest {
    /// Whether it is in the format of chat completions, and not of the Messages API.
    pub(crate) fn is_chat_completions(&self) -> bool {
        self.path.split('?').next().is_some_and(|path| path.ends_with("/chat/completions"))
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
}

impl Record {
    pub(crate) fn new() -> Self {
        Self { inner: Mutex::default(), keeps: true, counts: watch::Sender::new(Counts::default()) }
    }

    /// One that keeps no requests.
    pub(crate) fn forgetful() -> Self {
        Self { keeps: false, ..Self::new() }
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
