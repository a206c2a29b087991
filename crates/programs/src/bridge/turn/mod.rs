//! One turn of a program, from its beginning to its end: carries out what `step` decides.
//!
//! 1. The next input is waited for: a line of the process, a command, a free slot, a
//!    timeout. Waiting is the same in every phase; without a process there are no lines.
//! 2. `step` takes it and adds effects.
//! 3. The effects are carried out in order. One that fails is the next input.
//!
//! Time counts only while nobody is asked.

mod deferred;
mod effect;
mod phase;
mod step;
#[cfg(test)]
mod tests;
mod wait;

use std::collections::VecDeque;
use std::time::Duration;

use parlor_agent::{AgentEvent, TurnContext};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use self::effect::{Effect, Input, Waits};
use self::step::TurnState;
use self::wait::Happened;
use super::child::Exit;
use super::command::{Begin, Command};
use super::line::Line;
use super::process::{ConversationProcess, HeldLine};
use super::slots::SlotRequest;
use crate::cli_session::{self, SuspendedTurn};
use crate::dialect::{DeferredCall, Output};

/// Takes a turn; gives back the turn that replaced it, if one did.
pub(super) async fn run(
    process: &mut ConversationProcess,
    commands: &mut mpsc::Receiver<Command>,
    stop: &CancellationToken,
    mut begin: Begin,
) -> Option<Begin> {
    let suspended = begin.suspended.take();
    let mut turn = Turn::new(process, begin);
    turn.begin(suspended).await;
    while let Some(waits) = turn.waits() {
        let happened = match waits {
            Waits::ForNothing => Happened::Input(Input::ProcessIsFree),
            Waits::ForProcess => turn.wait_for_process(commands, stop).await,
            Waits::WithoutProcess => turn.wait(commands, stop).await,
        };
        turn.handle(happened).await;
    }
    turn.finish().await
}

/// A turn that runs.
struct Turn<'p> {
    process: &'p mut ConversationProcess,
    context: Box<TurnContext>,
    events: mpsc::Sender<AgentEvent>,
    state: TurnState,
    effects: VecDeque<Effect>,
    /// The place in the queue for a process.
    slot_request: Option<SlotRequest>,
    time_left: Duration,
    /// When the program was interrupted.
    stopping_since: Option<Instant>,
    /// When a person was asked last.
    asking_since: Option<Instant>,
    /// The turn that begins instead.
    next: Option<Begin>,
}

impl<'p> Turn<'p> {
    fn new(process: &'p mut ConversationProcess, begin: Begin) -> Self {
        let limits = process.project.program.limits();
        Self {
            state: TurnState::new(begin.agent_initiated, limits.output_bytes),
            process,
            context: begin.context,
            events: begin.events,
            effects: VecDeque::new(),
            slot_request: None,
            time_left: limits.turn,
            stopping_since: None,
            asking_since: None,
            next: None,
        }
    }

    /// Continues the CLI session that is known, and begins with what the turn was suspended
    /// with, with the line that the program began a turn with, or with nothing.
    async fn begin(&mut self, suspended: Option<SuspendedTurn>) {
        if self.context.starts_over {
            // A process that runs was told something else; the history names the session to go on
            // with, if there is one.
            tracing::debug!(conversation = %self.process.conversation, "the program is begun anew");
            self.process.end().await;
            self.process.cli_session = None;
        }
        let known = cli_session::in_history(&self.context, self.process.project.program.kind());
        match self.process.cli_session.clone() {
            Some(id) if known.as_ref() != Some(&id) => self.write_cli_session(&id),
            Some(_) => {}
            None => self.process.cli_session = known,
        }
        if self.process.slot.as_ref().is_some_and(|slot| !slot.is_busy()) {
            // It was just asked to leave for another conversation.
            self.process.end().await;
        }
        if let Some(suspended) = suspended {
            self.process.end().await;
            self.resume(suspended);
        } else if let Some(HeldLine { line, length, .. }) = self.process.held_line.take() {
            self.read(Line::Message(line, length)).await;
        }
        self.carry_out().await;
    }

    /// Asks again about the call that the turn waited for when the server stopped.
    fn resume(&mut self, suspended: SuspendedTurn) {
        let limits = self.process.project.program.limits();
        let mut out = Vec::new();
        self.process.dialect(&self.context, &suspended.call).ask_again(&mut out);
        let asks = out.iter().any(|output| matches!(output, Output::Durable(_)));
        self.state = TurnState::resumed(suspended, limits.output_bytes);
        match asks {
            true => self.take(out),
            false => self.step(Input::Broken("its question is not known".to_owned())),
        }
    }

    /// What the turn waits for; nothing once it is over.
    fn waits(&self) -> Option<Waits> {
        let live = self.process.live.as_ref();
        self.state.waits(live.is_some_and(|live| live.dialect.is_busy()))
    }

    async fn handle(&mut self, happened: Happened) {
        match happened {
            Happened::Line(line) => self.read(line).await,
            Happened::Input(input) => {
                if matches!(input, Input::PersonAsked(_)) {
                    self.asking_since = Some(Instant::now());
                }
                self.step(input);
            }
            Happened::Quiet => {
                let Some(live) = &mut self.process.live else { return };
                let mut out = Vec::new();
                live.dialect.release(&mut out);
                self.take(out);
            }
        }
        self.carry_out().await;
    }

    fn step(&mut self, input: Input) {
        self.state.handle(input, &mut self.effects);
    }

    async fn read(&mut self, line: Line) {
        if let Line::Message(_, length) | Line::Skipped(_, length) = &line {
            self.step(Input::Wrote(*length));
            if self.waits().is_none() {
                return;
            }
        }
        match line {
            Line::Message(line, _) => {
                let Some(live) = &mut self.process.live else { return };
                let mut out = Vec::new();
                live.dialect.read(&line, &mut out);
                self.take(out);
            }
            Line::Skipped(..) => {}
            Line::Broken(why) => self.step(Input::Broken(why)),
            Line::End => self.exited().await,
        }
    }

    /// Takes what lines mean, in order.
    fn take(&mut self, out: Vec<Output>) {
        for output in out {
            if let Output::CliSession(id) = &output {
                let kind = self.process.project.program.kind();
                let known = cli_session::in_history(&self.context, kind);
                self.process.cli_session = Some(id.clone());
                if known.as_ref() != Some(id) {
                    self.write_cli_session(id);
                }
            }
            let replaces = matches!(output, Output::Deferred(_) | Output::NoSuchCliSession);
            self.step(Input::Output(output));
            if replaces {
                // The rest is of a process that is gone.
                return;
            }
        }
    }

    fn write_cli_session(&mut self, id: &str) {
        let events = cli_session::written(self.process.project.program.kind(), id);
        self.effects.extend(events.map(Effect::Emit));
    }

    async fn exited(&mut self) {
        let Some(mut live) = self.process.live.take() else { return };
        let mut out = Vec::new();
        live.dialect.give_up(&mut out);
        let has_spoken = live.child.has_spoken;
        let exit = live.child.exit().await;
        if let (true, Exit::Ended(why)) = (self.state.has_deferred_call(), &exit) {
            tracing::warn!(conversation = %self.process.conversation, why,
                "program exited before its deferred call was answered");
        }
        self.emit_events(out).await;
        self.step(Input::Exited { exit, has_spoken });
    }

    async fn carry_out(&mut self) {
        while let Some(effect) = self.effects.pop_front() {
            self.perform(effect).await;
        }
    }

    async fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Emit(event) => self.emit(event).await,
            Effect::Checkpoint(suspended) => {
                let id = self.process.cli_session.as_deref();
                let checkpoint = cli_session::checkpoint(id, suspended.as_ref());
                self.emit(AgentEvent::Checkpoint(checkpoint)).await;
            }
            Effect::Tell => self.tell(),
            Effect::Continue(call) => {
                self.start(Some(&call));
            }
            Effect::Send(line) => {
                if let Some(live) = &self.process.live {
                    live.child.send(&line);
                }
            }
            Effect::Answer { id, reply, person_asked } => {
                let Some(live) = &mut self.process.live else { return };
                if person_asked {
                    live.dialect.person_asked(&id);
                }
                let mut out = Vec::new();
                live.dialect.answer(&id, reply, &mut out);
                self.take(out);
            }
            Effect::PersonAsked(id) => {
                if let Some(live) = &mut self.process.live {
                    live.dialect.person_asked(&id);
                }
            }
            Effect::Interrupt => {
                self.stopping_since = Some(Instant::now());
                let Some(live) = &mut self.process.live else { return };
                let mut out = Vec::new();
                live.dialect.interrupt(&mut out);
                self.take(out);
            }
            Effect::EndProcess => self.process.end_keeping_slot().await,
            Effect::Suspend => self.process.suspend().await,
            Effect::ForgetCliSession => {
                tracing::warn!(conversation = %self.process.conversation,
                    "the CLI session is gone; the program begins another");
                self.process.cli_session = None;
            }
        }
    }

    /// Tells the message, to a new process if none runs.
    fn tell(&mut self) {
        if self.process.live.is_none() && !self.start(None) {
            return;
        }
        let Some(live) = &mut self.process.live else { return };
        let mut out = Vec::new();
        live.dialect.begin(&self.context, Uuid::now_v7(), &mut out);
        self.take(out);
    }

    /// Starts a process; false if it cannot be, or not yet.
    fn start(&mut self, deferred: Option<&DeferredCall>) -> bool {
        if let Some(request) = self.process.take_slot() {
            self.slot_request = Some(request);
            self.step(Input::NoSlot);
            return false;
        }
        let started = self.process.start(&self.context, deferred);
        let resumes = self.process.cli_session.is_some();
        let is_started = started.is_ok();
        self.step(match started {
            Ok(()) => Input::Started { resumes },
            Err(why) => Input::NotStarted(why),
        });
        is_started
    }

    /// The events of a process that is gone, as they are.
    async fn emit_events(&self, out: Vec<Output>) {
        for output in out {
            if let Output::Event(event) = output {
                self.send_event(event).await;
            }
        }
    }

    async fn emit(&self, event: AgentEvent) {
        let event = self.with_preview(event).await;
        self.send_event(event).await;
    }

    /// A runner that is gone is noticed while waiting.
    async fn send_event(&self, event: AgentEvent) {
        let _runner_gone = self.events.send(event).await;
    }

    /// Adds what a call would change, where files have to be read for it.
    async fn with_preview(&self, event: AgentEvent) -> AgentEvent {
        let AgentEvent::Proposes(mut call) = event else { return event };
        let (program, proposed) = (self.process.project.program.clone(), call.clone());
        let read = tokio::task::spawn_blocking(move || program.preview(&proposed)).await;
        // Files show more than the arguments alone.
        call.preview = read.ok().flatten().or(call.preview);
        AgentEvent::Proposes(call)
    }

    /// Ends the turn, and the process with it if it cannot be used any more.
    async fn finish(self) -> Option<Begin> {
        let Self { process, events, state, next, .. } = self;
        let (outcome, ends_process) = state.into_outcome();
        let mut last = Vec::new();
        if ends_process && let Some(live) = &mut process.live {
            live.dialect.give_up(&mut last);
        }
        let last = last.into_iter().filter_map(|output| match output {
            Output::Event(event) => Some(event),
            _ => None,
        });
        for event in last.chain([AgentEvent::Ended(outcome)]) {
            let _runner_gone = events.send(event).await;
        }
        if ends_process || process.live.is_none() {
            process.end().await;
        }
        next
    }
}
