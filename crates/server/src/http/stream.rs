//! A stream of events to one reader.
//!
//! Whatever is new goes out in one write. The stream ends with the turn that it
//! belongs to, with its session, with the conversation, or with the server,
//! which says when to come back. A reader that does not read is not written to:
//! what it missed it gets from the log when it returns.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::stream::unfold;
use parlor_chat::Reader;
use parlor_protocol::{EventBody, TurnId};
use parlor_storage::Logged;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

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
    let mut response = Response::new(Body::from_stream(unfold(feed, Feed::next)));
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
    stopping: CancellationToken,
    keep_alive: Interval,
    /// Given away with each write: a quiet stream holds none.
    buffer: BytesMut,
    over: bool,
}

impl Feed {
    fn new(app: &App, visitor: &Visitor, line: Line, reader: Reader, until: Until) -> Self {
        let period = app.config.server.limits.keep_alive;
        let mut keep_alive = interval_at(Instant::now() + period, period);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            reader,
            until,
            session: visitor.session.clone(),
            _on_line: line.stream(visitor.session.clone()),
            stopping: app.stopping.clone(),
            keep_alive,
            buffer: BytesMut::new(),
            over: false,
        }
    }

    /// The next write, or the end.
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if self.over {
            return None;
        }
        tokio::select! {
            biased;
            () = self.session.ended.cancelled() => return None,
            () = self.stopping.cancelled() => {
                sse::come_back(&mut self.buffer);
                self.over = true;
            }
            events = self.reader.next() => self.write(&events?),
            _ = self.keep_alive.tick() => sse::keep_alive(&mut self.buffer),
        }
        Some((Ok(std::mem::take(&mut self.buffer).freeze()), self))
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
