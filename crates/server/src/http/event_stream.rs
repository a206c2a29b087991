//! A stream of server-sent events to one reader.
//!
//! All new events go out in one write. The stream ends after the turn that it belongs
//! to, or for one of the reasons in [`super::stream_end`]. A reader that does
//! not read is not written to: it gets what it missed from the log when it reconnects.
//! Until then it costs at most one piece of memory, also if an event is larger.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use hyper::body::Frame;
use parlor_chat::{LargePieces, Piece, PolledBatch, Reader};
use parlor_metrics::InUse;
use parlor_protocol::{EventBody, TurnId};
use parlor_storage::Logged;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::stream_end::{ConnectionGuard, StreamEnd, StreamGuard};
use crate::app::App;
use crate::auth::Principal;
use crate::dialects::sse;

/// When a stream ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// After the `done` of a turn.
    Done(TurnId),
    /// When the conversation is deleted.
    ConversationGone,
}

impl Until {
    fn is_reached_by(self, event: &EventBody) -> bool {
        match (self, event) {
            (Self::Done(turn), EventBody::Done { turn_id, .. }) => turn == *turn_id,
            _ => false,
        }
    }
}

/// The response that carries the stream.
pub(super) fn stream(
    app: &App,
    principal: &Principal,
    connection: ConnectionGuard,
    reader: Reader,
    until: Until,
) -> Response {
    let body = EventStream::new(app, principal, connection, reader, until);
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // A proxy must not buffer the stream.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

struct EventStream {
    reader: Reader,
    until: Until,
    guard: StreamGuard,
    keep_alive: Interval,
    /// New events, while they are written.
    events: Vec<Logged>,
    /// The next piece of an event that is too large to be written at once.
    large: Option<NextPiece>,
    /// Handed over with each write: a quiet stream holds no buffer.
    buffer: BytesMut,
    is_over: bool,
    _counted: InUse,
}

/// Boxed: a waiting stream should not carry the memory for a query.
type NextPiece = Pin<Box<dyn Future<Output = (LargePieces, Option<Piece>)> + Send>>;

impl EventStream {
    fn new(
        app: &App,
        principal: &Principal,
        connection: ConnectionGuard,
        reader: Reader,
        until: Until,
    ) -> Self {
        let period = app.config.server.limits.keep_alive;
        let mut keep_alive = interval_at(Instant::now() + period, period);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            reader,
            until,
            guard: connection.begin_stream(principal.session.clone()),
            keep_alive,
            events: Vec::new(),
            large: None,
            buffer: BytesMut::new(),
            is_over: false,
            _counted: app.metrics.event_streams.begin(),
        }
    }

    /// Fills the buffer; false at the end.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        if self.is_over {
            return Poll::Ready(false);
        }
        if self.large.is_some() {
            return self.poll_large(cx);
        }
        if let Poll::Ready(new) = self.reader.poll_next(cx, &mut self.events) {
            // Checked before every write: nothing goes out after the end of the session.
            if self.guard.is_session_ended() {
                return self.end(StreamEnd::SessionEnded);
            }
            return match new {
                PolledBatch::Events => {
                    self.write();
                    Poll::Ready(true)
                }
                PolledBatch::Large(event) => {
                    self.large = Some(next_piece(event.pieces("sse", sse::whole)));
                    self.poll_large(cx)
                }
                PolledBatch::Live(bodies) => {
                    bodies.iter().for_each(|body| sse::write_live(body, &mut self.buffer));
                    self.is_over = bodies.iter().any(|body| self.until.is_reached_by(body.get()));
                    Poll::Ready(true)
                }
                PolledBatch::Gone => self.end(StreamEnd::ConversationGone),
            };
        }
        if let Poll::Ready(end) = self.guard.poll_end(cx) {
            return self.end(end);
        }
        ready!(self.keep_alive.poll_tick(cx));
        sse::keep_alive(&mut self.buffer);
        Poll::Ready(true)
    }

    /// Fills the buffer with the next piece of a large event. If the event has changed
    /// meanwhile, the stream ends, and the reader reconnects for it.
    fn poll_large(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        let Some(next) = &mut self.large else { return Poll::Ready(true) };
        let (pieces, piece) = ready!(next.as_mut().poll(cx));
        let piece = piece.filter(|_| !self.guard.is_session_ended());
        let Some(piece) = piece else { return Poll::Ready(false) };
        self.large = (!piece.is_last).then(|| next_piece(pieces));
        self.buffer = BytesMut::from(Bytes::from(piece.bytes));
        Poll::Ready(true)
    }

    /// Ends the stream, with a last write if the reader should reconnect.
    fn end(&mut self, end: StreamEnd) -> Poll<bool> {
        self.is_over = true;
        match end {
            StreamEnd::ServerStopping => {
                sse::reconnect(&mut self.buffer);
                Poll::Ready(true)
            }
            StreamEnd::SessionEnded | StreamEnd::ConversationGone => Poll::Ready(false),
        }
    }

    fn write(&mut self) {
        for event in self.events.drain(..) {
            sse::write(&event, &mut self.buffer);
            if self.until.is_reached_by(event.body.get()) {
                self.is_over = true;
                return;
            }
        }
        // The capacity for a page of the past is not kept.
        self.events.shrink_to(1);
    }
}

/// The next write, or the end.
impl HttpBody for EventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let more = ready!(self.poll_fill(cx));
        Poll::Ready(more.then(|| Ok(Frame::data(std::mem::take(&mut self.buffer).freeze()))))
    }
}

fn next_piece(mut pieces: LargePieces) -> NextPiece {
    Box::pin(async move {
        let piece = pieces.next().await;
        (pieces, piece)
    })
}
