//! The process task of a conversation: it owns the process between turns.
//!
//! Between turns the process is read on: background work may end, and the program may begin
//! a turn by itself. The line that begins it is held, nothing more is read, and a turn is
//! requested ([`AgentInitiatedTurn`]). Whichever turn begins next takes the line: the requested one,
//! or that of a person who was faster.

use std::sync::Arc;

use parlor_agent::AgentInitiatedTurn;
use parlor_protocol::ConversationId;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::command::{Begin, Command};
use super::line::Line;
use super::process::{ConversationProcess, HeldLine};
use super::project::Project;
use super::turn;
use crate::dialect::Output;

/// Owns the process of a conversation.
pub(super) struct ProcessTask {
    process: ConversationProcess,
    commands: mpsc::Receiver<Command>,
    stop: CancellationToken,
}

/// What comes after the time between turns.
enum Next {
    Turn(Begin),
    /// No turn came for a while.
    Idle,
    /// No turn can come any more.
    Gone,
}

impl ProcessTask {
    pub(super) fn new(
        project: Arc<Project>,
        conversation: ConversationId,
        commands: mpsc::Receiver<Command>,
        stop: CancellationToken,
    ) -> Self {
        Self { process: ConversationProcess::new(project, conversation), commands, stop }
    }

    /// Takes turns until none comes for a while.
    pub(super) async fn run(mut self) {
        let stop = self.stop.clone();
        loop {
            let next = tokio::select! {
                biased;
                () = stop.cancelled() => Next::Gone,
                next = self.between_turns() => next,
            };
            match next {
                Next::Turn(begin) => {
                    let mut next = Some(begin);
                    while let Some(begin) = next {
                        let span = begin.span.clone();
                        let turn = turn::run(&mut self.process, &mut self.commands, &stop, begin);
                        next = turn.instrument(span).await;
                    }
                }
                Next::Idle => {
                    let tasks = &self.process.project.tasks;
                    if tasks.retire(self.process.conversation, &self.commands) {
                        break;
                    }
                }
                Next::Gone => break,
            }
        }
        self.process.end().await;
    }

    async fn between_turns(&mut self) -> Next {
        let limits = self.process.project.program.limits();
        let conversation = self.process.conversation;
        let mut since = Instant::now();
        loop {
            let (Some(live), Some(slot)) = (&mut self.process.live, &self.process.slot) else {
                // Without a process there is nothing to keep the task for.
                match self.commands.try_recv() {
                    Ok(Command::Begin(begin)) => return Next::Turn(begin),
                    Ok(Command::Answer(..) | Command::PersonAsked(_) | Command::Stop) => continue,
                    Err(mpsc::error::TryRecvError::Empty) => return Next::Idle,
                    Err(mpsc::error::TryRecvError::Disconnected) => return Next::Gone,
                }
            };
            let wants_turn = self.process.held_line.is_some();
            match wants_turn || live.dialect.works_in_background() {
                // A process that was asked to leave before is ended below.
                true => drop(slot.is_busy()),
                false => slot.is_idle(),
            }
            let patience = if wants_turn { limits.turn } else { limits.idle };
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(Command::Begin(begin)) => return Next::Turn(begin),
                    // They came too late for their turn.
                    Some(Command::Answer(..) | Command::PersonAsked(_) | Command::Stop) => {}
                    None => return Next::Gone,
                },
                () = slot.asked_to_leave() => {
                    tracing::debug!(%conversation, "idle program ended for another conversation");
                    self.process.end().await;
                }
                line = live.child.next(), if !wants_turn => {
                    since = Instant::now();
                    self.read(line).await;
                }
                () = sleep_until(since + patience) => {
                    tracing::debug!(%conversation, "idle program ended");
                    self.process.end().await;
                }
            }
        }
    }

    /// Reads a line between turns.
    async fn read(&mut self, line: Line) {
        let Some(live) = &mut self.process.live else { return };
        match line {
            Line::Message(line, length) if live.dialect.begins_turn(&line) => {
                self.request_turn(line, length).await;
            }
            Line::Message(line, _) => {
                let mut out = Vec::new();
                live.dialect.read(&line, &mut out);
                for output in out {
                    match output {
                        Output::Send(line) => live.child.send(&line),
                        Output::CliSession(id) => self.process.cli_session = Some(id),
                        other => tracing::debug!(?other, "ignored between turns"),
                    }
                }
            }
            Line::Skipped(..) => {}
            Line::End | Line::Broken(_) => {
                let conversation = self.process.conversation;
                tracing::info!(%conversation, "idle program has exited");
                self.process.end().await;
            }
        }
    }

    /// Holds a line until there is a turn for it.
    async fn request_turn(&mut self, line: Value, length: usize) {
        let wanted = Arc::new(());
        let turn = AgentInitiatedTurn::new(self.process.conversation, Arc::downgrade(&wanted));
        self.process.held_line = Some(HeldLine { line, length, _wanted: wanted });
        if self.process.project.agent_initiated.try_send(turn).is_err() {
            self.process.end().await;
        }
    }
}
