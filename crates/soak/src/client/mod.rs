//! Clients: people with a browser, as far as a server can tell.
//!
//! 1. A [`room`] has one conversation after the other, and three clients in each: one reads a stream
//!    of events, one a WebSocket, one asks for the page again and again.
//! 2. The reader of a client breaks its connection now and then and continues where it was, through
//!    the proxy and so on any node ([`sse`], [`socket`], [`polling`]).
//! 3. The hands of a client act on what the reader learned ([`hands`]): they send, answer, refuse,
//!    extend and stop, and send again what was not acknowledged ([`sending`]).
//!
//! All choices come from the seed.

pub(crate) mod api;
mod hands;
mod knowledge;
mod polling;
mod room;
mod sending;
mod socket;
mod sse;
pub(crate) mod stream;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use fastrand::Rng;
use tokio::sync::watch;

use self::api::Api;
use self::knowledge::Knowledge;
pub(crate) use self::room::Room;
use crate::calm::Calm;
use crate::event::Event;
use crate::evidence::Record;
use crate::seen::Seen;

/// How long one waits before a request is sent again.
const RETRY: Duration = Duration::from_millis(200);

/// How far a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Clients send, leave and come back.
    Busy,
    /// Nothing is sent any more; prompts are still answered. Readers stay.
    Closing,
    /// Everybody goes on to another conversation.
    Left,
    /// The run is over, and everybody who is here stayed until then.
    Over,
}

/// One client in one conversation.
#[derive(Debug)]
struct Client {
    name: String,
    conversation: String,
    api: Api,
    record: Record,
    calm: Arc<Calm>,
    stage: watch::Receiver<Stage>,
    knowledge: Knowledge,
    /// The number of the next message of the room.
    next_message: Arc<AtomicU64>,
    room: usize,
}

impl Client {
    fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    /// Waits for a time, or until the stage is reached.
    async fn pause(&self, time: Duration, until: Stage) {
        let mut stage = self.stage.clone();
        let reached = stage.wait_for(|now| *now >= until);
        // The sender lives longer than the clients.
        drop(tokio::time::timeout(time, reached).await);
    }

    /// Stays away for a while, now and then.
    async fn stay_away(&self, rng: &mut Rng) {
        if rng.u32(0..3) == 0 {
            let time = within(rng, 0..3_000);
            self.pause(time, Stage::Closing).await;
        }
    }

    /// The end, for a reader that waits for something else.
    async fn left(&self) {
        let mut stage = self.stage.clone();
        drop(stage.wait_for(|now| *now >= Stage::Left).await);
    }

    /// A connection begins.
    fn connected(&self, seen: &mut Seen) {
        seen.connected();
        self.knowledge.connected();
    }

    /// Learns from an event, and notes how long a stopped turn ran on.
    fn take(&self, seen: &mut Seen, event: &Event) {
        let now = self.calm.period();
        seen.take(event, now.is_some());
        if let Some((after, period)) = self.knowledge.learn(&self.conversation, event)
            && now == Some(period)
        {
            self.record.stopped_after(after);
        }
    }
}

/// A random time in milliseconds.
fn within(rng: &mut Rng, milliseconds: std::ops::Range<u64>) -> Duration {
    Duration::from_millis(rng.u64(milliseconds))
}
