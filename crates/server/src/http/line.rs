//! The connection of a request, as far as a stream on it needs to know.
//!
//! A stream asks whether its session is over whenever it may write. A reader
//! that does not read is not written to, so that stream may never be asked, or its
//! last bytes wait in a buffer: the connection itself waits for the end of the
//! session, and is closed after a moment, read or not.

use std::sync::Arc;

use tokio::sync::watch;

use crate::auth::Session;

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

    /// Ready when a session ends that has a stream here.
    pub(crate) async fn session_ended(&self) {
        let mut streams = self.0.subscribe();
        loop {
            let session = streams.borrow_and_update().clone();
            let Some(session) = session else {
                // The sender is ours, so it is there.
                let _stream = streams.changed().await;
                continue;
            };
            tokio::select! {
                // First: a stream that ends with its session may be gone already.
                biased;
                () = session.ended.cancelled() => return,
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
