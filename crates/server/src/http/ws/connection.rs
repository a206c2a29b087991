//! One WebSocket after its handshake: one task, which waits for whatever is ready
//! first.
//!
//! - The conversation is read only when all frames before have been written: a slow
//!   client costs at most one piece of memory, and continues from the log. An event
//!   that is larger than a piece goes out in parts. Pings may go out between them;
//!   replies to the client wait for the last part.
//! - Nothing is read from a client that sends too fast, or that does not read the
//!   replies to its own frames ([`FrameRateLimit`], [`MAX_QUEUED_REPLIES`]).
//! - A client is alive if it completes a frame, or reads after its buffer was full.
//!   It is pinged now and then, and dropped if nothing comes back.
//! - A quiet connection holds no buffers.
//! - It ends for one of the reasons in [`crate::http::stream_end`], and the
//!   close frame says which.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use parlor_metrics::InUse;
use parlor_protocol::ErrorCode;
use tokio::net::TcpStream;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until, timeout};

use super::frame_rate::FrameRateLimit;
use super::rfc6455::{
    Decoder, Incoming, Violation, close_code, put_close, put_part, put_ping, put_pong, put_text,
};
use super::subscriber::{Outgoing, Subscriber};
use crate::app::App;
use crate::dialects::ws::InReplyTo;
use crate::http::errors::ApiError;
use crate::http::stream_end::{ConnectionGuard, StreamEnd, StreamGuard};
use crate::limits::connections::ConnectionPermit;

/// How many bytes are read at once.
const READ: usize = 8 << 10;
/// How many bytes of replies to its own frames may wait for a client.
const MAX_QUEUED_REPLIES: usize = 16 << 10;
/// How long the closing handshake may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A connected client.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    subscriber: Subscriber,
    app: Arc<App>,
    guard: StreamGuard,
    decoder: Decoder,
    /// Bytes that were read and not decoded yet.
    received: BytesMut,
    /// Frames to be written.
    outbox: BytesMut,
    /// Replies that wait for the last part of a large event.
    deferred: BytesMut,
    /// How many bytes of both are replies.
    queued_replies: usize,
    /// Whether the client must read before more can be written.
    is_full: bool,
    frame_rate: FrameRateLimit,
    keep_alive: Interval,
    /// When the client last gave a sign of life.
    alive_at: Instant,
    /// Counts as a connection until the end.
    _permit: ConnectionPermit,
    _counted: InUse,
}

/// What is ready first.
enum Ready {
    End(StreamEnd),
    Writable,
    Readable,
    Input,
    PauseOver,
    Outgoing(Option<Outgoing>),
    KeepAlive,
}

/// Why a connection ends.
#[derive(Debug)]
enum End {
    /// The connection is lost: no close frame can be sent.
    Lost,
    /// The client closed it.
    ClosedByClient(Option<u16>),
    /// The client violated the protocol.
    ProtocolViolation(Violation),
    /// The stream ends.
    Stream(StreamEnd),
}

impl Connection {
    /// `received` is what was read along with the handshake.
    pub(super) fn new(
        stream: TcpStream,
        received: BytesMut,
        subscriber: Subscriber,
        guard: ConnectionGuard,
        permit: ConnectionPermit,
    ) -> Self {
        let now = Instant::now();
        let counted = subscriber.app.metrics.websockets.begin();
        let limits = &subscriber.app.config.server.limits;
        let mut keep_alive = interval_at(now + limits.keep_alive, limits.keep_alive);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            decoder: Decoder::new(limits.frame),
            app: subscriber.app.clone(),
            guard: guard.begin_stream(subscriber.principal.session.clone()),
            stream,
            subscriber,
            received,
            outbox: BytesMut::new(),
            deferred: BytesMut::new(),
            queued_replies: 0,
            is_full: false,
            frame_rate: FrameRateLimit::new(now),
            keep_alive,
            alive_at: now,
            _permit: permit,
            _counted: counted,
        }
    }

    /// Serves the client until the end.
    pub(super) async fn run(mut self) {
        let end = loop {
            // A client that always sends must not have a worker thread for itself.
            tokio::task::coop::consume_budget().await;
            let ready = self.ready().await;
            if let Err(end) = self.handle(ready).await {
                break end;
            }
        };
        tracing::debug!(?end, "closing WebSocket");
        let _in_time = timeout(CLOSE_TIMEOUT, self.close(end)).await;
    }

    async fn ready(&mut self) -> Ready {
        let paused_until = self.frame_rate.paused_until(Instant::now());
        let may_read = paused_until.is_none() && self.queued_replies < MAX_QUEUED_REPLIES;
        let (has_input, has_output) = (!self.received.is_empty(), !self.outbox.is_empty());
        tokio::select! {
            biased;
            end = poll_fn(|cx| self.guard.poll_end(cx)) => Ready::End(end),
            _ = self.keep_alive.tick() => Ready::KeepAlive,
            _ = self.stream.writable(), if has_output => Ready::Writable,
            () = std::future::ready(()), if has_input && may_read => Ready::Input,
            _ = self.stream.readable(), if !has_input && may_read => Ready::Readable,
            next = self.subscriber.next(), if !has_output => Ready::Outgoing(next),
            () = sleep_until(paused_until.unwrap_or(self.alive_at)), if paused_until.is_some() => {
                Ready::PauseOver
            }
        }
    }

    async fn handle(&mut self, ready: Ready) -> Result<(), End> {
        match ready {
            Ready::End(end) => return Err(End::Stream(end)),
            Ready::Writable => self.write()?,
            Ready::Readable => self.read()?,
            Ready::Input => self.handle_input().await?,
            Ready::PauseOver => {}
            Ready::Outgoing(Some(outgoing)) => self.send(outgoing)?,
            Ready::Outgoing(None) => return Err(End::Stream(StreamEnd::ConversationGone)),
            Ready::KeepAlive => self.check_client()?,
        }
        Ok(())
    }

    fn send(&mut self, outgoing: Outgoing) -> Result<(), End> {
        match outgoing {
            Outgoing::Frames(frames) => {
                for frame in frames {
                    put_text(&frame, &mut self.outbox);
                }
            }
            Outgoing::Part(part) => {
                put_part(&part.bytes, part.is_first, part.is_last, &mut self.outbox);
                if part.is_last {
                    self.outbox.unsplit(std::mem::take(&mut self.deferred));
                }
            }
            Outgoing::Broken => return Err(End::Lost),
        }
        Ok(())
    }

    /// Writes as much as the socket accepts.
    fn write(&mut self) -> Result<(), End> {
        match self.stream.try_write(&self.outbox) {
            Ok(count) => {
                // The socket was full and no longer is: the client has read.
                if self.is_full {
                    self.alive_at = Instant::now();
                }
                self.outbox.advance(count);
                self.is_full = !self.outbox.is_empty();
                if self.outbox.is_empty() {
                    self.outbox = BytesMut::new();
                    self.queued_replies = self.deferred.len();
                }
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.is_full = true;
                Ok(())
            }
            Err(_) => Err(End::Lost),
        }
    }

    /// Reads what is available.
    fn read(&mut self) -> Result<(), End> {
        let mut buffer = BytesMut::with_capacity(READ);
        match self.stream.try_read_buf(&mut buffer) {
            Ok(0) => Err(End::Lost),
            Ok(_) => {
                self.received = buffer;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(_) => Err(End::Lost),
        }
    }

    /// Decodes and handles the next frame of what was read.
    async fn handle_input(&mut self) -> Result<(), End> {
        let incoming = self.decoder.next(&mut self.received).map_err(End::ProtocolViolation)?;
        if self.received.is_empty() {
            self.received = BytesMut::new();
        }
        let Some(incoming) = incoming else { return Ok(()) };
        self.alive_at = Instant::now();
        self.frame_rate.count(self.alive_at);
        match incoming {
            Incoming::Text(text) => self.handle_frame(&text).await?,
            Incoming::TooLarge => {
                let limit = self.app.config.server.limits.frame;
                let message = format!("The frame is larger than {limit} bytes.");
                self.refuse(ApiError::new(ErrorCode::TooLarge, message));
            }
            Incoming::Binary => {
                self.refuse(ApiError::malformed("A frame must be text: a JSON object."));
            }
            Incoming::Ping(payload) => self.reply(|outbox| put_pong(&payload, outbox)),
            Incoming::Pong => {}
            Incoming::Close(code) => return Err(End::ClosedByClient(code)),
        }
        Ok(())
    }

    /// Carries out a frame's request, unless the session ends meanwhile.
    async fn handle_frame(&mut self, text: &str) -> Result<(), End> {
        let handled = tokio::select! {
            biased;
            () = self.guard.session_end() => return Err(End::Stream(StreamEnd::SessionEnded)),
            // Boxed: a waiting connection should not carry the memory for it.
            handled = Box::pin(self.subscriber.handle_frame(text)) => handled,
        };
        // Nothing was read meanwhile, so the client had no way to show that it is alive.
        self.alive_at = Instant::now();
        if let Err(refusal) = handled {
            self.reply(|outbox| put_text(&refusal, outbox));
        }
        Ok(())
    }

    fn refuse(&mut self, error: ApiError) {
        let refusal = self.subscriber.refusal(error, &InReplyTo::Nothing);
        self.reply(|outbox| put_text(&refusal, outbox));
    }

    fn reply(&mut self, put: impl FnOnce(&mut BytesMut)) {
        let is_inside = self.subscriber.is_inside_frame();
        let to = if is_inside { &mut self.deferred } else { &mut self.outbox };
        let before = to.len();
        put(to);
        self.queued_replies += to.len() - before;
    }

    /// Pings the client; one without a sign of life for two and a half periods is lost.
    fn check_client(&mut self) -> Result<(), End> {
        if self.alive_at.elapsed() >= self.keep_alive.period() * 5 / 2 {
            return Err(End::Lost);
        }
        // A client that must read first shows by reading that it is alive.
        if !self.is_full {
            put_ping(&mut self.outbox);
        }
        Ok(())
    }

    /// Sends the close frame and completes the closing handshake.
    async fn close(&mut self, end: End) {
        let (code, reason) = match end {
            End::Lost => return,
            End::ClosedByClient(code) => (code, ""),
            End::ProtocolViolation(violation) => (Some(violation.code), violation.reason),
            End::Stream(StreamEnd::SessionEnded) => {
                (Some(close_code::POLICY), "The session has ended.")
            }
            End::Stream(StreamEnd::ServerStopping) => {
                (Some(close_code::RESTART), "The server restarts.")
            }
            End::Stream(StreamEnd::ConversationGone) => {
                (Some(close_code::NORMAL), "The conversation was deleted, or is no longer shared.")
            }
        };
        put_close(code, reason, &mut self.outbox);
        while !self.outbox.is_empty() {
            if self.stream.writable().await.is_err() || self.write().is_err() {
                return;
            }
        }
        if !matches!(end, End::ClosedByClient(_)) {
            self.await_close().await;
        }
    }

    /// Reads until the client closes. A socket that is closed while bytes are unread
    /// resets the connection, and the client would lose the close frame.
    async fn await_close(&mut self) {
        let mut is_valid = true;
        loop {
            tokio::task::coop::consume_budget().await;
            while is_valid && !self.received.is_empty() {
                match self.decoder.next(&mut self.received) {
                    Ok(Some(Incoming::Close(_))) => return,
                    Ok(_) => {}
                    Err(_) => is_valid = false,
                }
            }
            if self.stream.readable().await.is_err() || self.read().is_err() {
                return;
            }
        }
    }
}
