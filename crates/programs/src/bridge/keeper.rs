//! The task of a conversation: it keeps the process between turns.
//!
//! Between turns a process is read on: it may have background work, and speak up by
//! itself when that is done. The line with which it does is held, nothing more is read,
//! and a turn is asked for ([`Initiative`]). Whichever turn begins next takes it: the
//! one that was asked for, or that of a person who was faster.

use std::sync::Arc;

use parlor_agent::{AgentEvent, Initiative, Reply, TurnContext};
use parlor_protocol::ConversationId;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::child::Child;
use super::lines::Line;
use super::pool::Pool;
use super::slots::Slot;
use super::{Dialect, Output, Paused};

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
    /// Whether nobody asked for it: the program spoke up by itself.
    pub(super) unasked: bool,
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
    /// The right to run one.
    pub(super) slot: Option<Slot>,
    /// What the program calls its session.
    pub(super) session: Option<String>,
    /// The line with which the program spoke up by itself, until a turn takes it.
    pub(super) unasked: Option<Unasked>,
}

/// A process, and what it means.
pub(super) struct Live {
    pub(super) child: Child,
    pub(super) dialect: Box<dyn Dialect>,
}

/// A line that waits for a turn.
pub(super) struct Unasked {
    pub(super) line: Value,
    pub(super) length: usize,
    /// As long as it is there, the turn is wanted.
    _wanted: Arc<()>,
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
        let (live, slot, session, unasked) = (None, None, None, None);
        Self { pool, conversation, queue, stop, live, slot, session, unasked }
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
        self.end_process().await;
    }

    /// Ends the process, if one runs, and lets another conversation have one.
    pub(super) async fn end_process(&mut self) {
        self.leave_process().await;
        self.slot = None;
    }

    /// Ends the process, if one runs; another one of this conversation follows.
    pub(super) async fn leave_process(&mut self) {
        if self.unasked.take().is_some() {
            tracing::warn!(conversation = %self.conversation, "an agent was ended before it could \
                say what it wanted to");
        }
        if let Some(live) = self.live.take() {
            live.child.end().await;
        }
    }

    async fn pause(&mut self) -> Next {
        let limits = self.pool.program.limits();
        let mut since = Instant::now();
        loop {
            let (Some(live), Some(slot)) = (&mut self.live, &self.slot) else {
                // Nothing is kept that would be worth a task.
                match self.queue.try_recv() {
                    Ok(Command::Begin(begin)) => return Next::Turn(begin),
                    Ok(Command::Answer(..) | Command::Waits(_) | Command::Stop) => continue,
                    Err(mpsc::error::TryRecvError::Empty) => return Next::Nobody,
                    Err(mpsc::error::TryRecvError::Disconnected) => return Next::Gone,
                }
            };
            let speaks = self.unasked.is_some();
            match speaks || live.dialect.works_in_background() {
                // If it is too late for that, it is ended below.
                true => drop(slot.is_busy()),
                false => slot.is_idle(),
            }
            let patience = if speaks { limits.turn } else { limits.idle };
            tokio::select! {
                biased;
                command = self.queue.recv() => match command {
                    Some(Command::Begin(begin)) => return Next::Turn(begin),
                    // They came too late for their turn.
                    Some(Command::Answer(..) | Command::Waits(_) | Command::Stop) => {}
                    None => return Next::Gone,
                },
                () = slot.asked_to_leave() => {
                    tracing::debug!(conversation = %self.conversation, "an idle agent makes room");
                    self.end_process().await;
                }
                line = live.child.next(), if !speaks => {
                    since = Instant::now();
                    self.idle_line(line).await;
                }
                () = sleep_until(since + patience) => {
                    tracing::debug!(conversation = %self.conversation, "an idle agent is ended");
                    self.end_process().await;
                }
            }
        }
    }

    /// A line between turns.
    async fn idle_line(&mut self, line: Line) {
        let Some(live) = &mut self.live else { return };
        match line {
            Line::Json(line, length) if live.dialect.speaks_up(&line) => {
                self.wants_turn(line, length).await;
            }
            Line::Json(line, _) => {
                let mut out = Vec::new();
                live.dialect.read(&line, &mut out);
                for output in out {
                    match output {
                        Output::Send(line) => live.child.send(&line),
                        Output::Session(id) => self.session = Some(id),
                        other => tracing::debug!(?other, "happened between turns"),
                    }
                }
            }
            Line::Noise(..) => {}
            Line::End | Line::Broken(_) => {
                tracing::info!(conversation = %self.conversation, "an idle agent has ended");
                self.end_process().await;
            }
        }
    }

    /// Holds a line until there is a turn for it.
    async fn wants_turn(&mut self, line: Value, length: usize) {
        let wanted = Arc::new(());
        let initiative = Initiative::new(self.conversation, Arc::downgrade(&wanted));
        self.unasked = Some(Unasked { line, length, _wanted: wanted });
        if !self.pool.asks_for_turn(initiative) {
            self.end_process().await;
        }
    }
}
