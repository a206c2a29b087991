//! The connection of a request, as far as a stream on it needs to know.
//!
//! A stream asks whether its session is over whenever it may write. A reader
//! that does not read is not written to, so that stream is never asked: the
//! connection itself waits for the end of the session, and is cut.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::auth::Session;

/// How long a stream may take to end by itself after its session has.
const GRACE: Duration = Duration::from_millis(500);

/// The connection of a request. Requests on it come one after the other, so it
/// carries one stream at a time.
#[derive(Debug, Clone)]
pub(crate) struct Line(Arc<watch::Sender<Option<Arc<Session>>>>);

/// A stream that goes on until this is dropped.
#[derive(Debug)]
pub(super) struct OnLine(Line);

impl Line {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }

    /// Ready when a stream has outlived its session.
    pub(crate) async fn outlived(&self) {
        let mut streams = self.0.subscribe();
        loop {
            let session = streams.borrow_and_update().clone();
            let Some(session) = session else {
                // The sender is ours, so it is there.
                let _stream = streams.changed().await;
                continue;
            };
            tokio::select! {
                () = session.ended.cancelled() => {
                    if tokio::time::timeout(GRACE, streams.changed()).await.is_err() {
                        return;
                    }
                }
                _stream = streams.changed() => {}
            }
        }
    }

    /// Notes that a stream begins for a session.
    pub(super) fn stream(self, session: Arc<Session>) -> OnLine {
        self.0.send_replace(Some(session));
        OnLine(self)
    }
}

impl Drop for OnLine {
    fn drop(&mut self) {
        self.0.0.send_replace(None);
    }
}
