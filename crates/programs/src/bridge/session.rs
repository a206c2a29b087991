//! What holds a turn of a conversation: two channels to the task that keeps its
//! process.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use parlor_agent::{AgentError, AgentEvent, AgentSession, Reply, TurnEnd, TurnStart};
use parlor_protocol::ConversationId;
use tokio::sync::mpsc;

use super::Paused;
use super::keeper::{Begin, Command};
use super::pool::Pool;

/// Events that wait for whoever polls; the process waits with them.
const EVENTS: usize = 32;

/// A conversation with a program.
pub(super) struct BridgeSession {
    pool: Arc<Pool>,
    conversation: ConversationId,
    /// The turn that runs.
    turn: Option<Turn>,
    /// Who polled last; a turn may begin after that.
    waker: Option<Waker>,
}

struct Turn {
    commands: mpsc::Sender<Command>,
    events: mpsc::Receiver<AgentEvent>,
}

impl BridgeSession {
    pub(super) fn new(pool: Arc<Pool>, conversation: ConversationId) -> Self {
        Self { pool, conversation, turn: None, waker: None }
    }

    fn tell(&self, command: Command) {
        let Some(turn) = &self.turn else { return };
        // A task that takes nothing any more has ended, which is told by its events.
        if turn.commands.try_send(command).is_err() {
            tracing::warn!(conversation = %self.conversation, "the agent's task does not listen");
        }
    }
}

impl AgentSession for BridgeSession {
    fn begin(&mut self, start: TurnStart) {
        let unasked = matches!(start, TurnStart::Unasked(_));
        let (context, paused) = match start {
            TurnStart::Message(context) | TurnStart::Unasked(context) => (context, None),
            TurnStart::Resume(context, checkpoint) => (context, Paused::at(&checkpoint)),
        };
        let (sender, events) = mpsc::channel(EVENTS);
        let begin = Begin { context: Box::new(context), events: sender, unasked, paused };
        let commands = self.pool.begin(self.conversation, begin);
        self.turn = Some(Turn { commands, events });
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn answer(&mut self, id: &str, reply: Reply) {
        self.tell(Command::Answer(id.to_owned(), reply));
    }

    fn waits(&mut self, id: &str) {
        self.tell(Command::Waits(id.to_owned()));
    }

    fn stop(&mut self) {
        self.tell(Command::Stop);
    }
}

impl Stream for BridgeSession {
    type Item = AgentEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        let Some(turn) = &mut self.turn else {
            self.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let event = std::task::ready!(turn.events.poll_recv(cx)).unwrap_or_else(|| {
            let why = "its task has ended".to_owned();
            AgentEvent::Ended(TurnEnd::Failed(AgentError::Lost(why)))
        });
        if matches!(event, AgentEvent::Ended(_)) {
            self.turn = None;
        }
        Poll::Ready(Some(event))
    }
}
