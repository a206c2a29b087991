//! A stream of events to one reader.
//!
//! Whatever is new goes out in one write. The stream ends with the turn that it
//! belongs to, with its session, with the conversation, or with the server,
//! which says when to come back. A reader that does not read is not written to:
//! what it missed it gets from the log when it returns. It costs one piece of what
//! it did not read, also of an event that is larger.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use hyper::body::Frame;
use parlor_chat::{LargePieces, Piece, PolledBatch, Reader};
use parlor_protocol::{EventBody, TurnId};
use parlor_storage::Logged;
use parlor_wake::{Alarm, Listener, Speaker, word};
use tokio::time::Instant;
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

impl Until {
    fn is(self, event: &EventBody) -> bool {
        match (self, event) {
            (Self::Done(turn), EventBody::Done { turn_id, .. }) => turn == *turn_id,
            _ => false,
        }
    }
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
    let mut response = Response::new(Body::new(feed));
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
    ends: Listener<End>,
    _watch: AbortOnDropHandle<()>,
    period: Duration,
    keep_alive: Alarm,
    /// What is new, while it is written.
    events: Vec<Logged>,
    /// The next piece of an event that is too large to be written at once.
    large: Option<NextPiece>,
    /// Given away with each write: a quiet stream holds none.
    buffer: BytesMut,
    over: bool,
}

/// Boxed: a stream that waits should not carry the room for a query.
type NextPiece = Pin<Box<dyn Future<Output = (LargePieces, Option<Piece>)> + Send>>;

#[derive(Debug, Clone, Copy)]
enum End {
    Session,
    Server,
}

impl Feed {
    fn new(app: &App, visitor: &Visitor, line: Line, reader: Reader, until: Until) -> Self {
        let period = app.config.server.limits.keep_alive;
        let session = visitor.session.clone();
        let (speaker, ends) = word();
        let watch = tokio::spawn(watch(session.ended.clone(), app.stopping.clone(), speaker));
        Self {
            reader,
            until,
            _on_line: line.stream(session.clone()),
            session,
            ends,
            _watch: AbortOnDropHandle::new(watch),
            period,
            keep_alive: Alarm::new(Instant::now() + period),
            events: Vec::new(),
            large: None,
            buffer: BytesMut::new(),
            over: false,
        }
    }

    /// Fills the buffer; false at the end.
    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        if self.over {
            return Poll::Ready(false);
        }
        if self.large.is_some() {
            return self.poll_large(cx);
        }
        if let Poll::Ready(new) = self.reader.poll_next(cx, &mut self.events) {
            // Asked for everything that goes out: nothing does after the end.
            if self.session.ended.is_cancelled() {
                return Poll::Ready(false);
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
                    self.over = bodies.iter().any(|body| self.until.is(body.get()));
                    Poll::Ready(true)
                }
                PolledBatch::Gone => Poll::Ready(false),
            };
        }
        match self.ends.poll(cx) {
            Poll::Ready(End::Server) => {
                sse::come_back(&mut self.buffer);
                self.over = true;
                return Poll::Ready(true);
            }
            Poll::Ready(End::Session) => return Poll::Ready(false),
            Poll::Pending => {}
        }
        ready!(self.keep_alive.poll(cx));
        self.keep_alive.set(Instant::now() + self.period);
        sse::keep_alive(&mut self.buffer);
        Poll::Ready(true)
    }

    /// Fills the buffer with the next piece of a large event. If it is no longer what
    /// it was, the stream ends, and the reader comes back for it.
    fn poll_large(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        let Some(next) = &mut self.large else { return Poll::Ready(true) };
        let (pieces, piece) = ready!(next.as_mut().poll(cx));
        let piece = piece.filter(|_| !self.session.ended.is_cancelled());
        let Some(piece) = piece else { return Poll::Ready(false) };
        self.large = (!piece.is_last).then(|| next_piece(pieces));
        self.buffer = BytesMut::from(Bytes::from(piece.bytes));
        Poll::Ready(true)
    }

    fn write(&mut self) {
        for event in self.events.drain(..) {
            sse::write(&event, &mut self.buffer);
            if self.until.is(event.body.get()) {
                self.over = true;
                return;
            }
        }
        // Room for a page of the past is not kept.
        self.events.shrink_to(1);
    }
}

/// The next write, or the end.
impl HttpBody for Feed {
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

async fn watch(session: CancellationToken, server: CancellationToken, says: Speaker<End>) {
    says.say(tokio::select! {
        () = session.cancelled() => End::Session,
        () = server.cancelled() => End::Server,
    });
}
