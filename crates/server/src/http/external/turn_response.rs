//! A response to an external client: a part of the log of one conversation, in its dialect.
//!
//! 1. [`Part`] says which: a turn from its beginning, or what follows the end of a prompt.
//! 2. Everything before it is told to the dialect and not written.
//! 3. The response ends when the turn is over, or when a prompt opens that the turn waits for and
//!    that is still open (for some dialects: answered or not). The turn lives on; the response to
//!    the answer carries the rest.
//!
//! A client that goes away ends nothing. One that asks again gets the same part again.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use parlor_chat::{Accepted, Caller, EventBatch, Reader};
use parlor_metrics::InUse;
use parlor_protocol::{ConversationId, EventBody, EventId, PromptId, TurnId};
use parlor_storage::{PromptView, Served};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::app::App;
use crate::auth::Principal;
use crate::dialects::turn_dialect::{End, TurnDialect, Wants};
use crate::http::errors::ApiError;
use crate::http::stream_end::{ConnectionGuard, StreamGuard};

/// How long reading what there is may take.
const SO_FAR: Duration = Duration::from_secs(5);

/// Which part of the log a response carries.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// The turn to read from, from its beginning.
    pub(crate) turn: Accepted,
    /// The response begins after the end of this prompt.
    pub(crate) after_prompt: Option<PromptId>,
}

/// A response, while it is written.
pub(crate) struct TurnResponse<D> {
    app: Arc<App>,
    caller: Caller,
    dialect: D,
    reader: Reader,
    guard: StreamGuard,
    conversation: ConversationId,
    /// The turn that the events are part of, and whether it is over.
    turn: TurnId,
    is_turn_over: bool,
    /// The turn with whose end the response ends; without one, the first that ends.
    through: Option<TurnId>,
    /// The prompt whose end is waited for before anything is written.
    after_prompt: Option<PromptId>,
    has_begun: bool,
    /// The last event that was read, and the last one that is wanted.
    position: EventId,
    until: Option<EventId>,
    keep_alive: Interval,
    /// Stops the turn if the client goes away.
    stop: Option<StopOnDrop>,
    _counted: InUse,
}

/// Whether more follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    More,
    Over,
}

impl<D: TurnDialect> TurnResponse<D> {
    pub(crate) fn new(
        app: &Arc<App>,
        principal: &Principal,
        connection: ConnectionGuard,
        part: Part,
        dialect: D,
    ) -> Self {
        let period = app.config.server.limits.keep_alive;
        let mut keep_alive = interval_at(Instant::now() + period, period);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            reader: app.chat.follow(&principal.caller, &part.turn),
            app: Arc::clone(app),
            caller: principal.caller.clone(),
            dialect,
            guard: connection.begin_stream(principal.session.clone()),
            conversation: part.turn.conversation_id,
            turn: part.turn.turn_id,
            is_turn_over: false,
            through: None,
            after_prompt: part.after_prompt,
            has_begun: false,
            position: part.turn.after,
            until: None,
            keep_alive,
            stop: None,
            _counted: app.metrics.external_streams.begin(),
        }
    }

    /// The turn is stopped if the client goes away before the response ends.
    pub(crate) fn stop_on_disconnect(mut self) -> Self {
        let turn = (Arc::clone(&self.app), self.caller.clone(), self.conversation);
        self.stop = Some(StopOnDrop(Some(turn)));
        self
    }

    /// Goes on to the end of this turn, past those before it.
    pub(crate) fn through(self, turn: TurnId) -> Self {
        Self { through: Some(turn), ..self }
    }

    /// The response as a stream of server-sent events.
    pub(crate) fn stream(self) -> Response {
        self.stream_after(BytesMut::new())
    }

    /// The same after what is written already.
    pub(crate) fn stream_after(self, written: BytesMut) -> Response {
        let writes = stream::unfold(Some((self, written)), |state| async {
            let (mut state, mut to) = state?;
            if !to.is_empty() {
                let written = std::mem::take(&mut to).freeze();
                return Some((Ok::<Bytes, Infallible>(written), Some((state, to))));
            }
            let progress = state.next_write(&mut to).await?;
            let next = (progress == Progress::More).then(|| (state, BytesMut::new()));
            Some((Ok(to.freeze()), next))
        });
        event_stream(Body::from_stream(writes))
    }

    /// Reads the response to its end, for a client that wants all of it at once.
    pub(crate) async fn whole(mut self) -> Result<(D, BytesMut), ApiError> {
        let mut to = BytesMut::new();
        loop {
            match self.next_write(&mut to).await {
                None => return Err(ApiError::unauthorized()),
                Some(Progress::Over) => return Ok((self.dialect, to)),
                Some(Progress::More) => {}
            }
        }
    }

    /// Reads the response as far as it is, up to this event.
    pub(crate) async fn so_far(mut self, until: EventId) -> Result<D, ApiError> {
        self.until = Some(until);
        let mut to = BytesMut::new();
        let reading = async {
            while self.position < until {
                match self.next_write(&mut to).await {
                    None => return Err(ApiError::unauthorized()),
                    Some(Progress::Over) => break,
                    Some(Progress::More) => {}
                }
            }
            Ok(())
        };
        match tokio::time::timeout(SO_FAR, reading).await {
            Ok(read) => read?,
            Err(_) => tracing::warn!("failed to read a response as far as it is, in time"),
        }
        Ok(self.dialect)
    }

    /// Waits for the next events and writes them; `None` once the session has ended.
    async fn next_write(&mut self, to: &mut BytesMut) -> Option<Progress> {
        while (to.is_empty() || !self.has_begun) && !self.has_all() {
            if !self.has_begun && self.after_prompt.is_none() {
                self.begin(to);
            }
            let batch = tokio::select! {
                biased;
                batch = self.reader.next() => batch,
                _ends = poll_fn(|cx| self.guard.poll_end(cx)) => None,
                _tick = self.keep_alive.tick() => {
                    self.dialect.keep_alive(to);
                    return Some(Progress::More);
                }
            };
            // Checked before every write: nothing goes out after the end of the session.
            if self.guard.is_session_ended() {
                return None;
            }
            let progress = match batch {
                Some(batch) => self.write(batch, to).await,
                None => Err(End::Lost),
            };
            if let Err(end) = progress {
                self.begin(to);
                self.dialect.end(&end, to);
                if let Some(StopOnDrop(turn)) = &mut self.stop {
                    *turn = None;
                }
                return Some(Progress::Over);
            }
        }
        Some(Progress::More)
    }

    fn has_all(&self) -> bool {
        self.until.is_some_and(|until| self.position >= until)
    }

    fn begin(&mut self, to: &mut BytesMut) {
        if !self.has_begun {
            self.has_begun = true;
            self.dialect.begin(to);
        }
    }

    /// Writes events; the error is the end of the response.
    async fn write(&mut self, batch: EventBatch, to: &mut BytesMut) -> Result<(), End> {
        match batch {
            EventBatch::Events(events) => {
                for event in events {
                    self.position = event.id;
                    self.write_event(&event.body, to).await?;
                }
            }
            EventBatch::Large(event) => {
                self.position = event.id();
                let whole = event.whole().await.map_err(|error| {
                    tracing::warn!(%error, "failed to read a large event");
                    End::Lost
                })?;
                if let Some(event) = whole {
                    self.write_event(&event.body, to).await?;
                }
            }
            EventBatch::Live(bodies) => {
                for body in bodies {
                    self.write_event(&body, to).await?;
                }
            }
        }
        Ok(())
    }

    async fn write_event(
        &mut self,
        event: &Served<EventBody>,
        to: &mut BytesMut,
    ) -> Result<(), End> {
        if let EventBody::Start { turn_id, .. } = event.get() {
            self.turn = *turn_id;
            self.is_turn_over = false;
        }
        if let Some(prompt) = self.after_prompt {
            return self.skip(prompt, event, to);
        }
        if self.dialect.event(event, to) == Wants::Conversation {
            let view = self.app.chat.conversation(&self.caller, self.conversation).await;
            self.dialect.conversation(&view.map_err(|_| End::Lost)?, to);
        }
        match event.get() {
            EventBody::UserPrompt(prompt) => {
                if self.waits_for(prompt.id).await? {
                    return Err(End::Waits(self.open_prompts().await?));
                }
                Ok(())
            }
            EventBody::Done { turn_id, reason, tokens_used, .. }
                if *turn_id == self.through.unwrap_or(self.turn) =>
            {
                let (reason, tokens_used) = (*reason, *tokens_used);
                Err(End::Done { reason, tokens_used, open: self.open_prompts().await? })
            }
            _ => Ok(()),
        }
    }

    /// Tells the dialect an event that comes before the response.
    fn skip(
        &mut self,
        prompt: PromptId,
        event: &Served<EventBody>,
        to: &mut BytesMut,
    ) -> Result<(), End> {
        self.dialect.earlier(event);
        match event.get() {
            EventBody::Done { .. } => self.is_turn_over = true,
            EventBody::UserPromptClosed(closed) if closed.id == prompt => {
                self.after_prompt = None;
                self.begin(to);
                // It was refused, and no turn waited for it.
                if self.is_turn_over {
                    return Err(End::Nothing);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a turn waits for this prompt. One that was answered since is passed, unless the
    /// dialect ends at it anyway.
    async fn waits_for(&mut self, id: PromptId) -> Result<bool, End> {
        let prompt = self.app.chat.prompt(&self.caller, id).await.map_err(|_| End::Lost)?;
        let ends_here = prompt.closed.is_none() || self.dialect.ends_at_answered_prompts();
        Ok(prompt.turn_waits && ends_here)
    }

    async fn open_prompts(&mut self) -> Result<Vec<PromptView>, End> {
        let open = self.app.chat.open_prompts(&self.caller, self.conversation).await;
        open.map_err(|_| End::Lost)
    }
}

/// Stops the running turn of a conversation when it is dropped.
struct StopOnDrop(Option<(Arc<App>, Caller, ConversationId)>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        let Some((app, caller, conversation)) = self.0.take() else { return };
        tokio::spawn(async move {
            if let Err(error) = app.chat.stop(&caller, conversation).await {
                tracing::warn!(%error, "failed to stop the turn of a client that went away");
            }
        });
    }
}

/// A response that says which prompts are open, and nothing else.
pub(crate) fn open_prompts(mut dialect: impl TurnDialect, open: Vec<PromptView>) -> Response {
    let mut to = BytesMut::new();
    dialect.begin(&mut to);
    dialect.end(&End::Waits(open), &mut to);
    event_stream(Body::from(to.freeze()))
}

/// A response of server-sent events.
pub(crate) fn event_stream(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // A proxy must not buffer the stream.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
