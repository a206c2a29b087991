//! How streams end, over server-sent events and over WebSockets alike.
//!
//! A stream ends although its client is still there when its session ends, when the
//! server stops, or when its conversation is deleted or hidden from it ([`StreamEnd`]). The reader of a
//! conversation reports the last of these itself. For the others:
//!
//! 1. The accept loop makes a [`ConnectionGuard`] for each connection. Its watcher
//!    task waits for the server to stop, and for the end of the session that has a
//!    stream on this connection.
//! 2. A stream holds a [`StreamGuard`] for as long as it lasts.
//! 3. The watcher stores the reason and wakes the connection's task, which polls the
//!    guard after its other work. The stream ends as its dialect does.
//! 4. A client that does not read is not written to, so its stream may not be polled
//!    at all. The accept loop therefore polls the guard too, and closes the
//!    connection shortly after the end of the session, read or not.
//!
//! Only the watcher touches what all streams share. A stream is polled for every
//! event, and pays for two atomic operations on memory of its own connection: 13 ns.
//! To poll a `CancellationToken` that all streams share took 27 ns on one thread and
//! 55 ns on two, and twice that if the future was made anew in a `select!`
//! (`parlor-bench poll-cost`).

use std::future::{pending, poll_fn};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use futures_util::task::AtomicWaker;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::auth::Session;

/// Why a stream ends although its client is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// The session or key was revoked or has expired.
    SessionEnded,
    /// The server stops: the client should reconnect.
    ServerStopping,
    /// The conversation was deleted, or the client no longer sees it.
    ConversationGone,
}

/// Ends the streams of one connection. Requests on a connection come one after the
/// other, so it carries one stream at a time. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionGuard(Arc<Guard>);

/// A stream on a connection, registered until this is dropped.
#[derive(Debug)]
pub(super) struct StreamGuard {
    connection: ConnectionGuard,
    session: Arc<Session>,
}

#[derive(Debug)]
struct Guard {
    // Dropped first: the watcher must not see the sender go.
    _watcher: AbortOnDropHandle<()>,
    /// The session of the stream on this connection.
    streaming: watch::Sender<Option<Arc<Session>>>,
    signal: Arc<EndSignal>,
}

/// A one-shot signal to the task that owns the connection.
#[derive(Debug, Default)]
struct EndSignal {
    end: OnceLock<StreamEnd>,
    waker: AtomicWaker,
}

impl ConnectionGuard {
    /// Guards a connection, until the last clone is dropped.
    pub(crate) fn new(stopping: CancellationToken) -> Self {
        let (streaming, sessions) = watch::channel(None);
        let signal = Arc::<EndSignal>::default();
        let watcher = tokio::spawn(watch(sessions, stopping, Arc::clone(&signal)));
        Self(Arc::new(Guard { _watcher: AbortOnDropHandle::new(watcher), streaming, signal }))
    }

    /// Registers the stream that begins on this connection.
    pub(super) fn begin_stream(self, session: Arc<Session>) -> StreamGuard {
        self.0.streaming.send_replace(Some(Arc::clone(&session)));
        StreamGuard { connection: self, session }
    }

    /// Waits until the streams of this connection have to end.
    pub(crate) async fn end(&self) -> StreamEnd {
        poll_fn(|cx| self.0.signal.poll(cx)).await
    }
}

impl StreamGuard {
    /// Whether the session has ended: then nothing more is sent. One atomic load.
    pub(super) fn is_session_ended(&self) -> bool {
        self.session.is_ended()
    }

    /// Ready when the stream has to end, and from then on.
    pub(super) fn poll_end(&self, cx: &mut Context<'_>) -> Poll<StreamEnd> {
        self.connection.0.signal.poll(cx)
    }

    /// Waits until the session has ended. Other reasons leave a request running.
    pub(super) async fn session_end(&self) {
        poll_fn(|cx| match self.poll_end(cx) {
            Poll::Ready(StreamEnd::SessionEnded) => Poll::Ready(()),
            Poll::Ready(_) | Poll::Pending => Poll::Pending,
        })
        .await;
    }
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        self.connection.0.streaming.send_replace(None);
    }
}

impl EndSignal {
    /// Stores the reason; the first one counts.
    fn send(&self, end: StreamEnd) {
        if self.end.set(end).is_ok() {
            self.waker.wake();
        }
    }

    /// The connection and its stream are polled by one task, so one waker is enough.
    fn poll(&self, cx: &Context<'_>) -> Poll<StreamEnd> {
        if self.end.get().is_none() {
            self.waker.register(cx.waker());
        }
        // Read after registering, so that a signal in between is not lost.
        self.end.get().copied().map_or(Poll::Pending, Poll::Ready)
    }
}

async fn watch(
    mut sessions: watch::Receiver<Option<Arc<Session>>>,
    stopping: CancellationToken,
    signal: Arc<EndSignal>,
) {
    signal.send(tokio::select! {
        () = streaming_session_end(&mut sessions) => StreamEnd::SessionEnded,
        () = stopping.cancelled() => StreamEnd::ServerStopping,
    });
}

/// Waits for the end of a session that has a stream on the connection.
async fn streaming_session_end(sessions: &mut watch::Receiver<Option<Arc<Session>>>) {
    loop {
        let session = sessions.borrow_and_update().clone();
        let changed = match session {
            Some(session) => tokio::select! {
                // First: a stream that ended with its session may be gone already.
                biased;
                () = session.wait_for_end() => return,
                changed = sessions.changed() => changed,
            },
            None => sessions.changed().await,
        };
        if changed.is_err() {
            // Without a sender there are no streams any more.
            return pending().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use futures_util::task::noop_waker_ref;

    use super::*;

    fn session() -> Arc<Session> {
        Arc::new(Session::of_environment("home".parse().unwrap()))
    }

    /// Lets the watcher run until it waits again.
    async fn settle() {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_stream_ends_with_its_session_and_not_with_another() {
        let guard = ConnectionGuard::new(CancellationToken::new());
        let (first, second) = (session(), session());
        drop(guard.clone().begin_stream(first.clone()));
        let stream = guard.clone().begin_stream(second.clone());
        settle().await;
        first.end();
        settle().await;
        assert_eq!(guard.end().now_or_never(), None, "its stream is over");
        assert!(!stream.is_session_ended());
        second.end();
        assert!(stream.is_session_ended(), "at once");
        assert_eq!(guard.end().await, StreamEnd::SessionEnded);
        stream.session_end().await;
    }

    /// The watcher may run only after the stream has noticed by itself.
    #[tokio::test]
    async fn the_end_of_a_session_counts_also_if_its_stream_is_gone_by_then() {
        let guard = ConnectionGuard::new(CancellationToken::new());
        let session = session();
        let stream = guard.clone().begin_stream(session.clone());
        settle().await;
        session.end();
        drop(stream);
        assert_eq!(guard.end().await, StreamEnd::SessionEnded);
    }

    #[tokio::test]
    async fn a_stopping_server_ends_streams_and_no_request() {
        let stopping = CancellationToken::new();
        let guard = ConnectionGuard::new(stopping.clone());
        let stream = guard.clone().begin_stream(session());
        stopping.cancel();
        assert_eq!(guard.end().await, StreamEnd::ServerStopping);
        assert_eq!(guard.end().await, StreamEnd::ServerStopping, "it stays so");
        assert_eq!(stream.session_end().now_or_never(), None);
    }

    /// A task is woken also if another one polled before.
    #[tokio::test]
    async fn the_task_that_polled_last_is_woken() {
        let stopping = CancellationToken::new();
        let guard = ConnectionGuard::new(stopping.clone());
        let stream = guard.begin_stream(session());
        assert!(stream.poll_end(&mut Context::from_waker(noop_waker_ref())).is_pending());
        let (polled, mut polls) = tokio::sync::mpsc::unbounded_channel();
        let waiting = tokio::spawn(async move {
            poll_fn(|cx| {
                polled.send(()).unwrap();
                stream.poll_end(cx)
            })
            .await
        });
        polls.recv().await.unwrap();
        stopping.cancel();
        assert_eq!(waiting.await.unwrap(), StreamEnd::ServerStopping);
    }
}
