//! One WebSocket, from its handshake to its end: one task, which waits for
//! whatever comes first.
//!
//! - Nothing new is asked of the conversation while frames are still on their
//!   way: a slow reader costs what it has not read of one piece, and reads on
//!   from the log. What is larger than a piece goes out in parts, between which a
//!   client can still be asked whether it is there; answers to it wait.
//! - Nothing more is read from a client that sends too fast, or that does not
//!   read what it is answered ([`Pace`], [`MOST_OWED`]).
//! - A client is there if it completes a frame, or reads what it was slow to
//!   read. It is asked now and then; one that is silent is dropped.
//! - A quiet connection holds no buffers.
//! - It ends with its session, with the conversation, or with the server, and
//!   says which.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use parlor_protocol::ErrorCode;
use tokio::net::TcpStream;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until, timeout};

use super::pace::Pace;
use super::rfc6455::{
    Decoder, Incoming, Violation, close_code, put_close, put_part, put_ping, put_pong, put_text,
};
use super::room::{Outgoing, Room};
use crate::app::App;
use crate::auth::Session;
use crate::connections::ConnectionPermit;
use crate::dialects::ws::About;
use crate::http::errors::ApiError;

/// How much is read at once.
const READ: usize = 8 << 10;
/// How much a client may be owed in answers to its own frames.
const MOST_OWED: usize = 16 << 10;
/// How long a client may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// A client that is connected.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    room: Room,
    app: Arc<App>,
    session: Arc<Session>,
    decoder: Decoder,
    /// What has come and was not looked at yet.
    received: BytesMut,
    /// Frames on their way.
    outbox: BytesMut,
    /// Answers that wait for the last part of a text.
    held: BytesMut,
    /// How much of what is on its way or waits are answers.
    owed: usize,
    /// Whether the client has to read before more can be written.
    is_full: bool,
    pace: Pace,
    keep_alive: Interval,
    /// When it was last certain that the client is there.
    heard_at: Instant,
    /// Counted by the accept loop until the end.
    _permit: ConnectionPermit,
}

/// What came first.
enum Happening {
    SessionOver,
    ServerStops,
    CanWrite,
    CanRead,
    HasInput,
    PaceIsOver,
    News(Option<Outgoing>),
    Tick,
}

/// Why a connection ends.
#[derive(Debug)]
enum End {
    /// There is nobody to say goodbye to.
    Lost,
    /// The client said goodbye.
    Left(Option<u16>),
    /// The client broke the protocol.
    Broken(Violation),
    SessionOver,
    ServerStops,
    ConversationGone,
}

impl Connection {
    /// `received` is what has come already.
    pub(super) fn new(
        stream: TcpStream,
        received: BytesMut,
        room: Room,
        permit: ConnectionPermit,
    ) -> Self {
        let now = Instant::now();
        let limits = &room.app.config.server.limits;
        let mut keep_alive = interval_at(now + limits.keep_alive, limits.keep_alive);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            decoder: Decoder::new(limits.frame),
            app: room.app.clone(),
            session: room.visitor.session.clone(),
            stream,
            room,
            received,
            outbox: BytesMut::new(),
            held: BytesMut::new(),
            owed: 0,
            is_full: false,
            pace: Pace::new(now),
            keep_alive,
            heard_at: now,
            _permit: permit,
        }
    }

    /// Serves the client until the end.
    pub(super) async fn run(mut self) {
        let end = loop {
            // A client that always has something must not have a thread for itself.
            tokio::task::coop::consume_budget().await;
            let happening = self.happening().await;
            if let Err(end) = self.react(happening).await {
                break end;
            }
        };
        tracing::debug!(?end, "a WebSocket ends");
        let _in_time = timeout(GOODBYE, self.say_goodbye(end)).await;
    }

    async fn happening(&mut self) -> Happening {
        let resumes_at = self.pace.resumes_at(Instant::now());
        let listens = resumes_at.is_none() && self.owed < MOST_OWED;
        let (has_input, has_output) = (!self.received.is_empty(), !self.outbox.is_empty());
        tokio::select! {
            biased;
            () = self.session.ended.cancelled() => Happening::SessionOver,
            () = self.app.stopping.cancelled() => Happening::ServerStops,
            _ = self.keep_alive.tick() => Happening::Tick,
            _ = self.stream.writable(), if has_output => Happening::CanWrite,
            () = std::future::ready(()), if has_input && listens => Happening::HasInput,
            _ = self.stream.readable(), if !has_input && listens => Happening::CanRead,
            news = self.room.next(), if !has_output => Happening::News(news),
            () = sleep_until(resumes_at.unwrap_or(self.heard_at)), if resumes_at.is_some() => {
                Happening::PaceIsOver
            }
        }
    }

    async fn react(&mut self, happening: Happening) -> Result<(), End> {
        match happening {
            Happening::SessionOver => return Err(End::SessionOver),
            Happening::ServerStops => return Err(End::ServerStops),
            Happening::CanWrite => self.write()?,
            Happening::CanRead => self.read()?,
            Happening::HasInput => self.listen().await?,
            Happening::PaceIsOver => {}
            Happening::News(news) => self.send(news.ok_or(End::ConversationGone)?)?,
            Happening::Tick => self.look_after_the_client()?,
        }
        Ok(())
    }

    fn send(&mut self, news: Outgoing) -> Result<(), End> {
        match news {
            Outgoing::Frames(frames) => {
                for frame in frames {
                    put_text(&frame, &mut self.outbox);
                }
            }
            Outgoing::Part(part) => {
                put_part(&part.bytes, part.is_first, part.is_last, &mut self.outbox);
                if part.is_last {
                    self.outbox.unsplit(std::mem::take(&mut self.held));
                }
            }
            Outgoing::Broken => return Err(End::Lost),
        }
        Ok(())
    }

    /// Writes what the system takes.
    fn write(&mut self) -> Result<(), End> {
        match self.stream.try_write(&self.outbox) {
            Ok(count) => {
                // There was no room, and now there is: the client has read.
                if self.is_full {
                    self.heard_at = Instant::now();
                }
                self.outbox.advance(count);
                self.is_full = !self.outbox.is_empty();
                if self.outbox.is_empty() {
                    self.outbox = BytesMut::new();
                    self.owed = self.held.len();
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

    /// Reads what there is.
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

    /// Looks at the next frame of what has come.
    async fn listen(&mut self) -> Result<(), End> {
        let incoming = self.decoder.next(&mut self.received).map_err(End::Broken)?;
        if self.received.is_empty() {
            self.received = BytesMut::new();
        }
        let Some(incoming) = incoming else { return Ok(()) };
        self.heard_at = Instant::now();
        self.pace.count(self.heard_at);
        match incoming {
            Incoming::Text(text) => self.take(&text).await?,
            Incoming::TooLarge => {
                let limit = self.app.config.server.limits.frame;
                let words = format!("The frame is larger than {limit} bytes.");
                self.refuse(ApiError::new(ErrorCode::TooLarge, words));
            }
            Incoming::Binary => {
                self.refuse(ApiError::malformed("A frame must be text: a JSON object."));
            }
            Incoming::Ping(payload) => self.answer(|outbox| put_pong(&payload, outbox)),
            Incoming::Pong => {}
            Incoming::Close(code) => return Err(End::Left(code)),
        }
        Ok(())
    }

    /// Does what a frame asks for, unless the session ends over it.
    async fn take(&mut self, text: &str) -> Result<(), End> {
        let session = self.session.clone();
        let done = tokio::select! {
            biased;
            () = session.ended.cancelled() => return Err(End::SessionOver),
            // Boxed: a connection that waits should not carry the room for it.
            done = Box::pin(self.room.take(text)) => done,
        };
        // Nobody could have been heard meanwhile.
        self.heard_at = Instant::now();
        if let Err(refusal) = done {
            self.answer(|outbox| put_text(&refusal, outbox));
        }
        Ok(())
    }

    fn refuse(&mut self, error: ApiError) {
        let refusal = self.room.refusal(error, &About::Nothing);
        self.answer(|outbox| put_text(&refusal, outbox));
    }

    fn answer(&mut self, put: impl FnOnce(&mut BytesMut)) {
        let inside = self.room.is_inside_frame();
        let to = if inside { &mut self.held } else { &mut self.outbox };
        let before = to.len();
        put(to);
        self.owed += to.len() - before;
    }

    /// Two pings and a half without a sign of life: the client is gone.
    fn look_after_the_client(&mut self) -> Result<(), End> {
        if self.heard_at.elapsed() >= self.keep_alive.period() * 5 / 2 {
            return Err(End::Lost);
        }
        // One that has to read first gives its sign by reading.
        if !self.is_full {
            put_ping(&mut self.outbox);
        }
        Ok(())
    }

    async fn say_goodbye(&mut self, end: End) {
        let (code, reason) = match end {
            End::Lost => return,
            End::Left(code) => (code, ""),
            // The reason goes with the code: nothing more is said to whoever does not
            // speak the protocol.
            End::Broken(violation) => (Some(violation.code), violation.reason),
            End::SessionOver => (Some(close_code::POLICY), "The session has ended."),
            End::ServerStops => (Some(close_code::RESTART), "The server restarts."),
            End::ConversationGone => (Some(close_code::NORMAL), "The conversation was deleted."),
        };
        put_close(code, reason, &mut self.outbox);
        while !self.outbox.is_empty() {
            if self.stream.writable().await.is_err() || self.write().is_err() {
                return;
            }
        }
        if !matches!(end, End::Left(_)) {
            self.hear_goodbye().await;
        }
    }

    /// A connection that is closed over unread bytes takes its last words along:
    /// so what comes is read, until the client has heard them.
    async fn hear_goodbye(&mut self) {
        let mut can_be_read = true;
        loop {
            tokio::task::coop::consume_budget().await;
            while can_be_read && !self.received.is_empty() {
                match self.decoder.next(&mut self.received) {
                    Ok(Some(Incoming::Close(_))) => return,
                    Ok(_) => {}
                    Err(_) => can_be_read = false,
                }
            }
            if self.stream.readable().await.is_err() || self.read().is_err() {
                return;
            }
        }
    }
}
