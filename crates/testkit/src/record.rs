//! What the server saw: requests, connections, and clients that left.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

use crate::script::Script;

/// A request as it came.
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

/// How many there are of everything that a test may wait for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) requests: usize,
    pub(crate) accepted: usize,
    pub(crate) open: usize,
    pub(crate) left: usize,
}

/// What all connections of a server know.
pub(crate) struct Record {
    inner: Mutex<Inner>,
    pub(crate) counts: watch::Sender<Counts>,
}

/// A script that is made when the request is there.
pub(crate) type Maker = Box<dyn FnOnce(&Value) -> Script + Send>;

#[derive(Default)]
struct Inner {
    scripts: VecDeque<Maker>,
    always: Option<Script>,
    requests: Vec<RecordedRequest>,
}

impl Record {
    pub(crate) fn new() -> Self {
        Self { inner: Mutex::default(), counts: watch::Sender::new(Counts::default()) }
    }

    pub(crate) fn push(&self, make: Maker) {
        self.inner().scripts.push_back(make);
    }

    pub(crate) fn always(&self, script: Script) {
        self.inner().always = Some(script);
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.inner().requests.clone()
    }

    /// Writes a request down and gives the script for it.
    pub(crate) fn take(&self, request: RecordedRequest) -> Script {
        let mut inner = self.inner();
        let (make, always) = (inner.scripts.pop_front(), inner.always.clone());
        drop(inner);
        let next = make.map(|make| make(&request.body)).or(always);
        self.inner().requests.push(request);
        self.counts.send_modify(|counts| counts.requests += 1);
        let none = || Script::failure_saying(400, "invalid_request_error", "no script is left");
        next.unwrap_or_else(none)
    }

    /// A test that failed while it held the lock must not hide why.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
