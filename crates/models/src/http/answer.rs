//! An answer that streams over HTTP, whatever its wire format is.
//!
//! 1. The request is sent when the stream is first polled.
//! 2. The body is decoded piece by piece; a [`Reader`] says what each event means.
//! 3. It ends with the reader's end marker. A body that ends before it, an event
//!    or an answer over its limit, and silence are errors; unless the reader says
//!    that everything was there, and only the marker is missing.
//!
//! Everything happens in `poll_next`: dropping the stream drops the connection.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use parlor_agent::ModelError;
use parlor_http_client::describe;
use tokio::time::{Instant, Sleep, sleep_until};

use super::sse::{Oversized, SseDecoder};
use super::vendor_error::Refusal;
use crate::client::ModelEvent;

/// What one wire format makes of the events of a stream.
pub(crate) trait Reader: Send + Unpin {
    /// Takes the data of one event.
    fn read(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<(), ModelError>;

    /// Whether the end marker came.
    fn is_finished(&self) -> bool;

    /// Nothing comes any more, and the end marker is missing. If what came is a
    /// whole answer all the same, its end is added; otherwise it broke off.
    fn close(&mut self, _out: &mut VecDeque<ModelEvent>) -> bool {
        false
    }

    /// What an answer means that is no stream of events.
    fn refused(refusal: Refusal<'_>) -> ModelError;
}

/// What bounds an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The longest time without a byte.
    pub(crate) idle_timeout: Duration,
    /// The largest event.
    pub(crate) max_event_bytes: usize,
}

/// The largest answer. It only bounds memory: a model's own limit is far below.
const LARGEST_ANSWER: usize = 64 << 20;

/// The pieces of a body.
pub(crate) type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

/// What becomes the body of a good answer.
pub(crate) type Opening = Pin<Box<dyn Future<Output = Result<Body, ModelError>> + Send>>;

/// An answer, while it arrives.
pub(crate) struct HttpAnswer<R> {
    phase: Phase,
    decoder: SseDecoder,
    reader: R,
    events: VecDeque<ModelEvent>,
    received: usize,
    limits: Limits,
    idle: IdleTimer,
}

enum Phase {
    Opening(Opening),
    Reading(Body),
    Over,
}

impl<R: Reader> HttpAnswer<R> {
    /// An answer that begins with `opening`. Must be called within a tokio runtime.
    pub(crate) fn new(opening: Opening, reader: R, limits: Limits) -> Self {
        Self {
            phase: Phase::Opening(opening),
            decoder: SseDecoder::new(limits.max_event_bytes),
            reader,
            events: VecDeque::new(),
            received: 0,
            limits,
            idle: IdleTimer::new(limits.idle_timeout),
        }
    }

    /// Gets one step further: decodes an event, or waits for bytes.
    fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        match &mut self.phase {
            Phase::Over => Poll::Ready(Ok(())),
            Phase::Opening(opening) => {
                let Poll::Ready(body) = opening.as_mut().poll(cx) else {
                    return self.idle.poll_silence(cx);
                };
                self.idle.touch();
                self.phase = Phase::Reading(body?);
                Poll::Ready(Ok(()))
            }
            Phase::Reading(body) => match self.decoder.next() {
                Err(Oversized) => Poll::Ready(Err(self.limits.too_large())),
                Ok(Some(data)) => {
                    self.reader.read(data, &mut self.events)?;
                    if self.reader.is_finished() {
                        self.phase = Phase::Over;
                    }
                    Poll::Ready(Ok(()))
                }
                Ok(None) => match body.as_mut().poll_next(cx) {
                    Poll::Pending => {
                        let silence = ready!(self.idle.poll_silence(cx));
                        Poll::Ready(silence.or_else(|error| self.close(error)))
                    }
                    Poll::Ready(piece) => Poll::Ready(self.take(piece)),
                },
            },
        }
    }

    fn take(&mut self, piece: Option<reqwest::Result<Bytes>>) -> Result<(), ModelError> {
        let why = match piece {
            Some(Ok(piece)) => return self.push(piece),
            Some(Err(error)) => describe(error),
            None => "it ended without its end marker".to_owned(),
        };
        self.close(ModelError::Interrupted(why))
    }

    fn push(&mut self, piece: Bytes) -> Result<(), ModelError> {
        self.idle.touch();
        self.received += piece.len();
        if self.received > LARGEST_ANSWER {
            return Err(ModelError::TooLarge { limit: LARGEST_ANSWER });
        }
        self.decoder.push(piece);
        Ok(())
    }

    /// Nothing comes any more: that is this error, if the answer is not whole.
    fn close(&mut self, error: ModelError) -> Result<(), ModelError> {
        if !self.reader.close(&mut self.events) {
            return Err(error);
        }
        self.phase = Phase::Over;
        Ok(())
    }
}

impl Limits {
    fn too_large(&self) -> ModelError {
        ModelError::TooLarge { limit: self.max_event_bytes }
    }
}

impl<R: Reader> Stream for HttpAnswer<R> {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if matches!(self.phase, Phase::Over) {
                return Poll::Ready(None);
            }
            if let Err(error) = ready!(self.poll_step(cx)) {
                self.phase = Phase::Over;
                return Poll::Ready(Some(Err(error)));
            }
        }
    }
}

/// Watches for silence. A byte only notes the time; the alarm itself is set
/// again when it rings, not for every token.
struct IdleTimer {
    after: Duration,
    last: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl IdleTimer {
    fn new(after: Duration) -> Self {
        let now = Instant::now();
        Self { after, last: now, alarm: Box::pin(sleep_until(now + after)) }
    }

    fn touch(&mut self) {
        self.last = Instant::now();
    }

    /// Pending until nothing came for too long.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        loop {
            ready!(self.alarm.as_mut().poll(cx));
            let deadline = self.last + self.after;
            if deadline <= Instant::now() {
                return Poll::Ready(Err(ModelError::Silent { after: self.after }));
            }
            self.alarm.as_mut().reset(deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt as _, stream};
    use tokio::time::sleep;

    use super::*;
    use crate::anthropic::answer::AnswerReader;

    const LIMITS: Limits =
        Limits { idle_timeout: Duration::from_secs(60), max_event_bytes: 1 << 20 };

    /// The first event of an answer that sends a ping in every `pause`, and ends.
    async fn first_event(pause: Duration) -> Result<ModelEvent, ModelError> {
        let pings = (0..10).map(|_| "data: {\"type\":\"ping\"}\n\n");
        let pieces = pings.chain(["data: {\"type\":\"message_stop\"}\n\n"]);
        let body = stream::iter(pieces).then(move |piece| async move {
            sleep(pause).await;
            Ok(Bytes::from(piece))
        });
        let body: Body = Box::pin(body);
        let opening = Box::pin(std::future::ready(Ok(body)));
        HttpAnswer::new(opening, AnswerReader::default(), LIMITS).next().await.unwrap()
    }

    /// A model that thinks for ten minutes is alive as long as bytes come.
    #[tokio::test(start_paused = true)]
    async fn only_a_pause_between_bytes_is_silence() {
        let patient = first_event(Duration::from_secs(59)).await;
        assert_eq!(patient, Ok(ModelEvent::Stop(crate::client::StopReason::EndTurn)));
        let silent = first_event(Duration::from_secs(61)).await;
        assert_eq!(silent, Err(ModelError::Silent { after: LIMITS.idle_timeout }));
    }
}
