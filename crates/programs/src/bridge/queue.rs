//! A turn that needs a process, and waits until it may start one ([`super::slots`]).
//!
//! The person is told that the turn waits. A stop, a conversation that is gone and a
//! server that goes down leave the queue, and nothing was started.

use parlor_agent::{AgentError, AgentEvent, TurnEnd};

use super::keeper::{Command, Keeper};
use super::slots::SlotRequest;
use super::turn::Turn;

/// A turn in the queue.
pub(super) struct Queued {
    request: SlotRequest,
    start: Start,
    /// Whether the person was told.
    told: bool,
}

/// What the process is started for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start {
    /// For the person's message.
    Message,
    /// For a call that was put off.
    Parked,
}

impl Keeper {
    /// Whether a process may be started now. If not, the turn is in the queue, and the
    /// process is started when it may be.
    pub(super) fn may_start(&mut self, turn: &mut Turn, start: Start) -> bool {
        if self.slot.is_none() {
            let mut request = self.pool.slots.request();
            self.slot = request.at_once();
            if self.slot.is_none() {
                tracing::info!(conversation = %self.conversation, "a turn waits until fewer \
                    agents run");
                turn.queued = Some(Queued { request, start, told: false });
            }
        }
        self.slot.is_some()
    }

    /// Waits in the queue.
    pub(super) async fn wait_for_slot(&mut self, turn: &mut Turn, mut queued: Queued) {
        if !std::mem::replace(&mut queued.told, true) {
            turn.emit(AgentEvent::Queued).await;
        }
        let events = turn.events.clone();
        let command = tokio::select! {
            biased;
            () = self.stop.cancelled() => {
                return turn.fail(AgentError::Lost("the server is stopping".to_owned()));
            }
            command = self.queue.recv() => command,
            () = events.closed() => None,
            slot = queued.request.granted() => {
                self.slot = Some(slot);
                return match queued.start {
                    Start::Message => self.say(turn),
                    Start::Parked => self.start_parked(turn),
                };
            }
        };
        match command {
            Some(Command::Begin(begin)) => {
                turn.next = Some(begin);
                turn.over = Some(TurnEnd::Stopped);
            }
            Some(Command::Stop) | None => turn.over = Some(TurnEnd::Stopped),
            // Nothing is asked in the queue.
            Some(Command::Answer(..) | Command::Waits(_)) => turn.queued = Some(queued),
        }
    }
}
