//! The task of a conversation: it keeps the process between turns.
//!
//! Between turns a process is read on: it may have background work, and begin a
//! turn by itself when that is done. Nobody's turn runs then, so nobody can be
//! asked: what such a turn wants to do is refused, with the reason. What it says
//! is kept, as much as is reasonable, and comes first in the person's next turn.

use std::sync::Arc;

use parlor_protocol::ConversationId;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::child::Child;
use super::lines::Line;
use super::pool::Pool;
use super::{Dialect, Output, Paused};
use crate::agent::{AgentEvent, TurnContext};
use crate::ask::{Answer, Reply};

/// The most that is kept of what was said while nobody was there, in bytes.
const MOST_UNASKED: usize = 64 << 10;
const NOBODY_THERE: &str = "Nobody is there to be asked right now, so it was not run. Tell what \
                            you wanted to do when the person writes again.";

/// What a session tells the task.
#[derive(Debug)]
pub(super) enum Command {
    /// A turn begins.
    Begin(Begin),
    /// The reply to what was asked.
    Answer(String, Reply),
    /// A person is asked.
    Waits(String),
    /// The turn is to stop.
    Stop,
}

/// A turn that begins.
#[derive(Debug)]
pub(super) struct Begin {
    pub(super) context: Box<TurnContext>,
    pub(super) events: mpsc::Sender<AgentEvent>,
    /// The call that the turn was left with, if it goes on after a crash.
    pub(super) paused: Option<Paused>,
}

/// Keeps the process of a conversation.
pub(super) struct Keeper {
    pub(super) pool: Arc<Pool>,
    pub(super) conversation: ConversationId,
    pub(super) queue: mpsc::Receiver<Command>,
    pub(super) stop: CancellationToken,
    /// The process, if one runs.
    pub(super) live: Option<Live>,
    /// What the program calls its session.
    pub(super) session: Option<String>,
    /// What happened while nobody was there.
    pub(super) unasked: Vec<AgentEvent>,
}

/// A process, and what it means.
pub(super) struct Live {
    pub(super) child: Child,
    pub(super) dialect: Box<dyn Dialect>,
}

/// What comes after a pause.
enum Next {
    Turn(Begin),
    /// Nobody came for a while.
    Nobody,
    /// Nobody can come any more.
    Gone,
}

impl Keeper {
    pub(super) fn new(
        pool: Arc<Pool>,
        conversation: ConversationId,
        queue: mpsc::Receiver<Command>,
        stop: CancellationToken,
    ) -> Self {
        let unasked = Vec::new();
        Self { pool, conversation, queue, stop, live: None, session: None, unasked }
    }

    /// Takes turns until nobody comes for a while.
    pub(super) async fn run(mut self) {
        let stop = self.stop.clone();
        loop {
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => Next::Gone,
                next = self.pause() => next,
            };
            match next {
                Next::Turn(begin) => {
                    let mut next = Some(begin);
                    while let Some(begin) = next {
                        next = self.turn(begin).await;
                    }
                }
                Next::Nobody if !self.pool.retire(self.conversation, &self.queue) => {}
                Next::Nobody | Next::Gone => break,
            }
        }
        if !self.unasked.is_empty() {
            tracing::info!(conversation = %self.conversation, "what an agent said by itself was \
                not shown: nobody wrote to it in time");
        }
        self.end_process().await;
    }

    /// Ends the process, if one runs.
    pub(super) async fn end_process(&mut self) {
        if let Some(live) = self.live.take() {
            live.child.end().await;
        }
    }

    async fn pause(&mut self) -> Next {
        let limits = self.pool.program.limits();
        let mut since = Instant::now();
        loop {
            let Some(live) = &mut self.live else {
                // Nothing is kept that would be worth a task.
                match self.queue.try_recv() {
                    Ok(Command::Begin(begin)) => return Next::Turn(begin),
                    Ok(Command::Answer(..) | Command::Waits(_) | Command::Stop) => continue,
                    Err(mpsc::error::TryRecvError::Empty) => return Next::Nobody,
                    Err(mpsc::error::TryRecvError::Disconnected) => return Next::Gone,
                }
            };
            let patience = if live.dialect.is_busy() { limits.turn } else { limits.idle };
            tokio::select! {
                biased;
                command = self.queue.recv() => match command {
                    Some(Command::Begin(begin)) => return Next::Turn(begin),
                    // They came too late for their turn.
                    Some(Command::Answer(..) | Command::Waits(_) | Command::Stop) => {}
                    None => return Next::Gone,
                },
                line = live.child.next() => {
                    since = Instant::now();
                    self.unasked_line(line).await;
                }
                () = sleep_until(since + patience) => {
                    tracing::debug!(conversation = %self.conversation, "an idle agent is ended");
                    self.end_process().await;
                }
            }
        }
    }

    /// A line that nobody waits for.
    async fn unasked_line(&mut self, line: Line) {
        let Some(live) = &mut self.live else { return };
        let mut out = Vec::new();
        match line {
            Line::Json(line, _) => live.dialect.read(&line, &mut out),
            Line::End | Line::Broken(_) => {
                tracing::info!(conversation = %self.conversation, "an idle agent has ended");
                return self.end_process().await;
            }
        }
        let mut at = 0;
        while let Some(output) = out.get(at).cloned() {
            at += 1;
            match output {
                Output::Event(event) => self.unasked_event(event, &mut out),
                Output::Send(line) => {
                    if let Some(live) = &self.live {
                        live.child.send(&line);
                    }
                }
                Output::Session(id) => self.session = Some(id),
                // Calls are put off in turns of people only.
                Output::Deferred(_) | Output::Durable(_) => {}
                Output::NoSuchSession | Output::Over(_) => {}
            }
        }
    }

    fn unasked_event(&mut self, event: AgentEvent, out: &mut Vec<Output>) {
        let Some(live) = &mut self.live else { return };
        match event {
            AgentEvent::Proposes(call) => {
                tracing::info!(conversation = %self.conversation, tool = %call.name,
                    "a call that nobody can be asked about was refused");
                live.dialect.answer(&call.id, Reply::not_run(NOBODY_THERE), out);
            }
            AgentEvent::Asks(ask) => {
                live.dialect.answer(&ask.id, Reply::Answer(Answer::Expired), out);
            }
            AgentEvent::Text(text) => {
                if unasked_bytes(&self.unasked) + text.len() <= MOST_UNASKED {
                    self.unasked.push(AgentEvent::Text(text));
                }
            }
            kept @ (AgentEvent::BlockEnd | AgentEvent::Usage(_)) => self.unasked.push(kept),
            kept @ (AgentEvent::AssistantMessage(_) | AgentEvent::ToolMessage(_))
                if self.unasked.len() < MOST_UNASKED / 64 =>
            {
                self.unasked.push(kept);
            }
            dropped => tracing::debug!(?dropped, "happened while nobody was there"),
        }
    }
}

fn unasked_bytes(events: &[AgentEvent]) -> usize {
    let length = |event: &AgentEvent| match event {
        AgentEvent::Text(text) => text.len(),
        _ => 0,
    };
    events.iter().map(length).sum()
}
