//! What a runner tells the process task of its conversation.

use parlor_agent::{AgentEvent, Reply, TurnContext};
use tokio::sync::mpsc;
use tracing::Span;

use crate::cli_session::SuspendedTurn;

/// A command to the process task.
#[derive(Debug)]
pub(super) enum Command {
    /// A turn begins.
    Begin(Begin),
    /// The reply to the question with this id.
    Answer(String, Reply),
    /// A person is asked the question with this id.
    PersonAsked(String),
    /// The turn is to stop.
    Stop,
}

/// A turn that begins.
#[derive(Debug)]
pub(super) struct Begin {
    pub(super) context: Box<TurnContext>,
    pub(super) events: mpsc::Sender<AgentEvent>,
    /// Whether the program began it by itself: there is no message.
    pub(super) agent_initiated: bool,
    /// What the turn is resumed with, if it was suspended when the server stopped.
    pub(super) suspended: Option<SuspendedTurn>,
    /// What the lines of the turn in the log name.
    pub(super) span: Span,
}
