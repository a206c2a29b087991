//! The turn runner of a conversation: two channels to its process task.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use parlor_agent::{AgentError, AgentEvent, Reply, TurnOutcome, TurnRunner, TurnStart};
use parlor_protocol::ConversationId;
use tokio::sync::mpsc;

use super::command::{Begin, Command};
use super::pool::Pool;
use crate::cli_session;

/// Events that wait to be polled; the process waits with them.
const EVENTS: usize = 32;

/// Takes the turns of a conversation with a program.
pub(super) struct BridgeRunner {
    pool: Arc<Pool>,
    conversation: ConversationId,
    /// The turn that runs.
    turn: Option<Turn>,
    /// Polled last; a turn may begin after that.
    waker: Option<Waker>,
}

struct Turn {
    commands: mpsc::Sender<Command>,
    events: mpsc::Receiver<AgentEvent>,
}

impl BridgeRunner {
    pub(super) fn new(pool: Arc<Pool>, conversation: ConversationId) -> Self {
        Self { pool, conversation, turn: None, waker: None }
    }

    fn send(&self, command: Command) {
        let Some(turn) = &self.turn else { return };
        // A task that takes no commands has ended: its events say so.
        if turn.commands.try_send(command).is_err() {
            tracing::warn!(conversation = %self.conversation, "a process task takes no commands");
        }
    }
}

impl TurnRunner for BridgeRunner {
    fn begin(&mut self, start: TurnStart) {
        let agent_initiated = matches!(start, TurnStart::AgentInitiated(_));
        let (context, suspended) = match start {
            TurnStart::Message(context) | TurnStart::AgentInitiated(context) => (context, None),
            TurnStart::Resume(context, checkpoint) => {
                (context, cli_session::suspended_turn(&checkpoint))
            }
        };
        let (sender, events) = mpsc::channel(EVENTS);
        let context = Box::new(context);
        // It is begun within the turn, whose lines in the log say so.
        let span = tracing::Span::current();
        let begin = Begin { context, events: sender, agent_initiated, suspended, span };
        let commands = self.pool.begin(self.conversation, begin);
        self.turn = Some(Turn { commands, events });
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn answer(&mut self, id: &str, reply: Reply) {
        self.send(Command::Answer(id.to_owned(), reply));
    }

    fn waits(&mut self, id: &str) {
        self.send(Command::PersonAsked(id.to_owned()));
    }

    fn stop(&mut self) {
        self.send(Command::Stop);
    }
}

impl Stream for BridgeRunner {
    type Item = AgentEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        let Some(turn) = &mut self.turn else {
            self.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let event = std::task::ready!(turn.events.poll_recv(cx)).unwrap_or_else(|| {
            let why = "its task has ended".to_owned();
            AgentEvent::Ended(TurnOutcome::Failed(AgentError::Lost(why)))
        });
        if matches!(event, AgentEvent::Ended(_)) {
            self.turn = None;
        }
        Poll::Ready(Some(event))
    }
}
