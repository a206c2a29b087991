//! A stream of events to one reader.
//!
//! Whatever is new goes out in one write. The stream ends with the turn that it
//! belongs to, with its session, with the conversation, or with the server,
//! which says when to come back. A reader that does not read is not written to:
//! what it missed it gets from the log when it returns.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::stream::Stream;
use parlor_chat::Reader;
use parlor_protocol::{EventBody, TurnId};
use parlor_storage::Logged;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::line::{Line, OnLine};
use crate::app::App;
use crate::auth::{Session, Visitor};
use crate::dialects::sse;

/// Where a stream ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// After the `done` of a turn.
    Done(TurnId),
    /// When the conversation is gone.
    TheEnd,
}

/// The answer that carries the stream.
pub(super) fn stream(
    app: &App,
    visitor: &Visitor,
    line: Line,
    reader: Reader,
    until: Until,
) -> Response {
    let feed = Feed::new(app, visitor, line, reader, until);
    let mut response = Response::new(Body::from_stream(feed));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // A proxy must not wait until it has a page full.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct Feed {
    reader: Reader,
    until: Until,
    session: Arc<Session>,
    /// Ends the connection with the session if the reader does not read.
    _on_line: OnLine,
    /// What ends it from outside. It waits in a task of its own: thousands of
    /// streams share what it waits for, and this is asked after every event.
    ends: AbortOnDropHandle<End>,
    keep_alive: Interval,
    /// Given away with each write: a quiet stream holds none.
    buffer: BytesMut,
    over: bool,
}

enum End {
    Session,
    Server,
}

impl Feed {
    fn new(app: &App, visitor: &Visitor, line: Line, reader: Reader, until: Until) -> Self {
        let period = app.config.server.limits.keep_alive;
        let mut keep_alive = interval_at(Instant::now() + period, period);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let session = visitor.session.clone();
        let ends = tokio::spawn(end(session.ended.clone(), app.stopping.clone()));
        Self {
            reader,
            until,
            _on_line: line.stream(session.clone()),
            session,
            ends: AbortOnDropHandle::new(ends),
            keep_alive,
            buffer: BytesMut::new(),
            over: false,
        }
    }

    /// Fills the buffer; false at the end.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        if self.over || self.session.ended.is_cancelled() {
            return Poll::Ready(false);
        }
        if let Poll::Ready(events) = self.reader.poll_next(cx) {
            return Poll::Ready(events.map(|events| self.write(&events)).is_some());
        }
        match Pin::new(&mut self.ends).poll(cx) {
            Poll::Ready(Ok(End::Server)) => {
                sse::come_back(&mut self.buffer);
                self.over = true;
                return Poll::Ready(true);
            }
            Poll::Ready(Ok(End::Session) | Err(_)) => return Poll::Ready(false),
            Poll::Pending => {}
        }
        ready!(self.keep_alive.poll_tick(cx));
        sse::keep_alive(&mut self.buffer);
        Poll::Ready(true)
    }

    fn write(&mut self, events: &[Logged]) {
        for event in events {
            sse::write(event, &mut self.buffer);
            if self.ends_with(event) {
                self.over = true;
                return;
            }
        }
    }

    fn ends_with(&self, event: &Logged) -> bool {
        match (self.until, event.body.get()) {
            (Until::Done(turn), EventBody::Done { turn_id, .. }) => turn == *turn_id,
            _ => false,
        }
    }
}

/// The next write, or the end.
impl Stream for Feed {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let more = ready!(self.poll_fill(cx));
        Poll::Ready(more.then(|| Ok(std::mem::take(&mut self.buffer).freeze())))
    }
}

async fn end(session: CancellationToken, server: CancellationToken) -> End {
    tokio::select! {
        () = session.cancelled() => End::Session,
        () = server.cancelled() => End::Server,
    }
}
