//! What to do next in a turn of a program. Pure: inputs in, effects out.
//!
//! The path of a turn through its [`Phase`]s:
//! 1. `Unprompted`: the program finishes what it began by itself, so that one message has
//!    one end. An agent-initiated turn consists of that alone.
//! 2. `Told`: the program works on the person's message. A process that does not know its
//!    CLI session is replaced once, by one that begins another.
//! 3. `Continuing`: the program deferred a call, and another process continues with it: it
//!    makes the call by its own rules, or asks about it.
//! 4. `Suspended`: it asked, and was killed before anyone saw the question. Nothing is left
//!    that could die, or that takes memory for hours. What it asked is in a checkpoint, and
//!    whether the message is still to be told: from here on any process can continue, of
//!    this server or the next.
//! 5. The answer starts another process (`Continuing`), which asks again and gets the
//!    answer. One that dies before that is replaced, a few times. One that has the answer
//!    cannot be replaced: its progress is unknown.
//! 6. `Stopping`: the program was interrupted, and gets a moment to end the turn by itself.
//! 7. `Over`. Whatever goes wrong ends the process with the turn; the next turn starts
//!    another one.
//!
//! A program that cannot defer calls, but can be told an answer later, asks with its process
//! alive (`Asking`). A reply that comes at once goes to that process. If a person is asked and
//! takes more than a moment, the process is killed (4), and the next one is told the answer (5).
//!
//! Where a process is needed and too many run, the turn is `Queued` in between. After a
//! restart of the server a turn begins with 4, so a hundred suspended turns start nothing
//! until somebody answers.

use std::collections::VecDeque;

use parlor_agent::{AgentError, AgentEvent, Reply, TurnOutcome};

use super::deferred::{Deferred, Stage, ends_with_process};
use super::effect::{Effect, Input, Timeout, Waits};
use super::phase::{Phase, Start};
use crate::bridge::child::Exit;
use crate::cli_session::SuspendedTurn;
use crate::dialect::{DeferredCall, Output};

/// The state of a turn.
#[derive(Debug)]
pub(super) struct TurnState {
    phase: Phase,
    /// The program is still to be told the person's message. In an agent-initiated turn
    /// there is none.
    message_pending: bool,
    /// How many bytes the program may still write.
    bytes_left: usize,
    most_bytes: usize,
}

impl TurnState {
    pub(super) fn new(agent_initiated: bool, most_bytes: usize) -> Self {
        Self {
            phase: Phase::Unprompted,
            message_pending: !agent_initiated,
            bytes_left: most_bytes,
            most_bytes,
        }
    }

    /// A turn that is resumed. The outputs that ask about its deferred call again have to
    /// follow.
    pub(super) fn resumed(suspended: SuspendedTurn, most_bytes: usize) -> Self {
        let SuspendedTurn { call, message_pending } = suspended;
        let deferred = Deferred { person_asked: true, ..Deferred::new(call) };
        let phase = Phase::Continuing(deferred);
        Self { phase, message_pending, ..Self::new(false, most_bytes) }
    }

    /// What comes next; nothing once the turn is over. `is_busy`: the process works on
    /// something.
    pub(super) fn waits(&self, is_busy: bool) -> Option<Waits> {
        Some(match &self.phase {
            Phase::Unprompted if !is_busy => Waits::ForNothing,
            Phase::Unprompted
            | Phase::Told { .. }
            | Phase::Continuing(_)
            | Phase::Asking(_)
            | Phase::Stopping { .. } => Waits::ForProcess,
            Phase::Queued(_) | Phase::Suspended(_) => Waits::WithoutProcess,
            Phase::Over { .. } => return None,
        })
    }

    pub(super) fn is_stopping(&self) -> bool {
        matches!(self.phase, Phase::Stopping { .. })
    }

    /// Whether the process was started to continue with a deferred call.
    pub(super) fn has_deferred_call(&self) -> bool {
        matches!(self.phase, Phase::Continuing(_) | Phase::Stopping { deferred: Some(_), .. })
    }

    /// Whether a process waits for a person's answer that another one could be told.
    pub(super) fn asks_person(&self) -> bool {
        matches!(&self.phase, Phase::Asking(deferred) if deferred.person_asked)
    }

    /// How the turn ended, and whether its process has to end with it.
    pub(super) fn into_outcome(self) -> (TurnOutcome, bool) {
        match self.phase {
            Phase::Over { outcome, ends_process } => (outcome, ends_process),
            _ => (TurnOutcome::Stopped, true),
        }
    }

    /// Takes what happened, and adds what has to be done.
    pub(super) fn handle(&mut self, input: Input, effects: &mut VecDeque<Effect>) {
        match input {
            Input::ProcessIsFree => self.process_is_free(effects),
            Input::Started { resumes } => self.started(resumes),
            Input::NotStarted(why) => self.fail(AgentError::NotStarted(why)),
            Input::NoSlot => self.queue(effects),
            Input::SlotGranted => self.leave_queue(effects),
            Input::Wrote(bytes) => self.wrote(bytes),
            Input::Output(output) => self.output(output, effects),
            Input::Broken(why) => self.fail(AgentError::Lost(why)),
            Input::Exited { exit, has_spoken } => self.exited(exit, has_spoken, effects),
            Input::TimedOut(timeout) => self.timed_out(timeout, effects),
            Input::Answer(id, reply) => self.answer(id, reply, effects),
            Input::PersonAsked(id) => self.person_asked(id, effects),
            Input::Stop => self.stop(effects),
            Input::RunnerGone => {
                let waits = matches!(self.phase, Phase::Queued(_) | Phase::Suspended(_));
                self.end(TurnOutcome::Stopped, !waits);
            }
            Input::ServerStops => {
                self.fail(AgentError::Lost("the server is stopping".to_owned()));
            }
        }
    }

    fn process_is_free(&mut self, effects: &mut VecDeque<Effect>) {
        match self.message_pending {
            true => self.tell(effects),
            false => self.end(TurnOutcome::Complete { cut_off: false }, false),
        }
    }

    fn tell(&mut self, effects: &mut VecDeque<Effect>) {
        self.phase = Phase::Told { resumes: false };
        self.message_pending = false;
        effects.push_back(Effect::Tell);
    }

    fn continue_with(&mut self, deferred: Deferred, effects: &mut VecDeque<Effect>) {
        effects.push_back(Effect::Continue(deferred.call.clone()));
        self.phase = Phase::Continuing(deferred);
    }

    fn started(&mut self, with_cli_session: bool) {
        match &mut self.phase {
            Phase::Told { resumes } => *resumes = with_cli_session,
            Phase::Continuing(deferred) => deferred.starts += 1,
            _ => {}
        }
    }

    fn queue(&mut self, effects: &mut VecDeque<Effect>) {
        let start = match self.phase.take_deferred() {
            Some(deferred) => Start::Deferred(deferred),
            None => Start::Message,
        };
        self.phase = Phase::Queued(start);
        effects.push_back(Effect::Emit(AgentEvent::Queued));
    }

    fn leave_queue(&mut self, effects: &mut VecDeque<Effect>) {
        let Phase::Queued(start) = std::mem::replace(&mut self.phase, Phase::Unprompted) else {
            return;
        };
        match start {
            Start::Message => self.tell(effects),
            Start::Deferred(deferred) => self.continue_with(deferred, effects),
        }
    }

    fn wrote(&mut self, bytes: usize) {
        match self.bytes_left.checked_sub(bytes) {
            Some(left) => self.bytes_left = left,
            None => {
                let why = format!("it wrote more than {} bytes in one turn", self.most_bytes);
                self.fail(AgentError::Lost(why));
            }
        }
    }

    fn output(&mut self, output: Output, effects: &mut VecDeque<Effect>) {
        match output {
            Output::Event(event) => self.event(event, effects),
            Output::Send(line) => effects.push_back(Effect::Send(line)),
            Output::Deferred(call) => {
                // It is asked to end, so that it writes down what the session has cost.
                effects.push_back(Effect::EndProcess);
                self.continue_with(Deferred::new(call), effects);
            }
            Output::Durable(call) => {
                let Some(deferred) = self.phase.deferred() else { return };
                deferred.call = call.clone();
                if matches!(deferred.stage, Stage::NotAsked) {
                    let message_pending = self.message_pending;
                    let suspended = SuspendedTurn { call, message_pending };
                    effects.push_back(Effect::Checkpoint(Some(suspended)));
                }
            }
            Output::Resumable(call) => self.ask(call, effects),
            Output::NoSuchCliSession => self.begin_afresh(effects),
            Output::Over(outcome) => self.turn_ended(outcome),
            // The driver writes it to the history, whatever the phase is.
            Output::CliSession(_) => {}
        }
    }

    /// The process asks about a call that another process could be told the answer of. Who
    /// stops the turn wants no question; and of several, only one can outlive the process.
    fn ask(&mut self, call: DeferredCall, effects: &mut VecDeque<Effect>) {
        if !matches!(self.phase, Phase::Unprompted | Phase::Told { .. }) {
            return;
        }
        let suspended = SuspendedTurn { call: call.clone(), message_pending: self.message_pending };
        effects.push_back(Effect::Checkpoint(Some(suspended)));
        self.phase = Phase::Asking(Deferred { stage: Stage::Asked, ..Deferred::new(call) });
    }

    /// A question about the deferred call suspends the turn, or is answered if it was asked
    /// before. Any other question is lost with its process.
    fn event(&mut self, event: AgentEvent, effects: &mut VecDeque<Effect>) {
        let id = match &event {
            AgentEvent::Proposes(call) => call.id.clone(),
            AgentEvent::Asks(ask) => ask.id.clone(),
            // The process made the call by its own rules.
            AgentEvent::CallEnded { call, .. } => {
                self.phase.take_deferred_about(&call.clone());
                return effects.push_back(Effect::Emit(event));
            }
            _ => return effects.push_back(Effect::Emit(event)),
        };
        if let Phase::Asking(deferred) = &self.phase
            && deferred.is_about(&id)
        {
            return effects.push_back(Effect::Emit(event));
        }
        let stopping = self.is_stopping();
        let Some(mut deferred) = self.phase.take_deferred_about(&id) else {
            return effects.push_back(Effect::Emit(ends_with_process(event)));
        };
        // Whoever stopped the turn wants neither the question nor the call.
        if stopping {
            effects.push_back(Effect::Suspend);
            return self.end(TurnOutcome::Stopped, false);
        }
        let person_asked = deferred.person_asked;
        match std::mem::replace(&mut deferred.stage, Stage::Asked) {
            Stage::NotAsked => {
                effects.push_back(Effect::Suspend);
                effects.push_back(Effect::Emit(event));
                self.phase = Phase::Suspended(deferred);
            }
            // What comes of the answer is lost with this process.
            Stage::Answered(reply) => {
                effects.push_back(Effect::Checkpoint(None));
                effects.push_back(Effect::Answer { id, reply, person_asked });
            }
            Stage::Asked => self.phase = Phase::Continuing(deferred),
        }
    }

    /// The CLI session is gone, or never was: another one is begun, with the messages so far.
    fn begin_afresh(&mut self, effects: &mut VecDeque<Effect>) {
        match self.phase {
            Phase::Continuing(_) => {
                self.fail(AgentError::Lost("its CLI session is gone".to_owned()));
            }
            Phase::Stopping { .. } => self.end(TurnOutcome::Stopped, true),
            _ => {
                effects.push_back(Effect::EndProcess);
                effects.push_back(Effect::ForgetCliSession);
                self.tell(effects);
            }
        }
    }

    fn turn_ended(&mut self, outcome: TurnOutcome) {
        if !self.message_pending {
            self.end(outcome, false);
        } else if self.is_stopping() {
            self.end(TurnOutcome::Stopped, false);
        } else {
            // What the program began by itself is over, deferred calls included; the
            // person's message is next.
            self.phase = Phase::Unprompted;
        }
    }

    fn exited(&mut self, exit: Exit, has_spoken: bool, effects: &mut VecDeque<Effect>) {
        if self.is_stopping() {
            return self.end(TurnOutcome::Stopped, false);
        }
        let resumes = matches!(self.phase, Phase::Told { resumes: true });
        let outcome = match (exit, self.phase.take_deferred()) {
            (Exit::NotRun(why), _) => AgentError::NotStarted(why),
            (Exit::Ended(_), Some(deferred)) if deferred.can_be_continued_again() => {
                return self.replace_process(deferred, effects);
            }
            (Exit::Ended(why), Some(_)) => AgentError::Lost(why),
            // It may not even say that it does not know its CLI session.
            (Exit::Ended(_), None) if !has_spoken && resumes => return self.begin_afresh(effects),
            (Exit::Ended(why), None) if !has_spoken => AgentError::NotStarted(why),
            (Exit::Ended(why), None) => AgentError::Lost(why),
        };
        self.end(TurnOutcome::Failed(outcome), false);
    }

    /// The process exited before it got the answer.
    fn replace_process(&mut self, deferred: Deferred, effects: &mut VecDeque<Effect>) {
        match deferred.stage {
            Stage::Answered(_) => self.continue_with(deferred, effects),
            Stage::NotAsked | Stage::Asked => self.phase = Phase::Suspended(deferred),
        }
    }

    fn timed_out(&mut self, timeout: Timeout, effects: &mut VecDeque<Effect>) {
        match timeout {
            Timeout::Answer => {
                if let Some(deferred) = self.phase.take_deferred() {
                    effects.push_back(Effect::Suspend);
                    self.phase = Phase::Suspended(deferred);
                }
            }
            Timeout::Stop => self.end(TurnOutcome::Stopped, true),
            Timeout::FirstMessage(within) => {
                self.fail(AgentError::NotStarted(format!("it said nothing within {within:?}")));
            }
            Timeout::DeferredCall => {
                self.fail(AgentError::Lost("it did not return to the call it deferred".into()));
            }
            Timeout::Turn(most) => self.fail(AgentError::TookTooLong(most)),
        }
    }

    fn answer(&mut self, id: String, reply: Reply, effects: &mut VecDeque<Effect>) {
        match &self.phase {
            // Nothing is asked in the queue.
            Phase::Queued(_) | Phase::Over { .. } => {}
            Phase::Suspended(_) => {
                if let Some(mut deferred) = self.phase.take_deferred_about(&id) {
                    deferred.stage = Stage::Answered(reply);
                    deferred.starts = 0;
                    self.continue_with(deferred, effects);
                }
            }
            _ => {
                if self.phase.take_deferred_about(&id).is_some() {
                    effects.push_back(Effect::Checkpoint(None));
                }
                effects.push_back(Effect::Answer { id, reply, person_asked: false });
            }
        }
    }

    fn person_asked(&mut self, id: String, effects: &mut VecDeque<Effect>) {
        match &mut self.phase {
            Phase::Queued(_) | Phase::Over { .. } => {}
            Phase::Suspended(deferred) => deferred.person_asked = true,
            Phase::Asking(deferred) if deferred.is_about(&id) => deferred.person_asked = true,
            _ => effects.push_back(Effect::PersonAsked(id)),
        }
    }

    fn stop(&mut self, effects: &mut VecDeque<Effect>) {
        match &self.phase {
            Phase::Queued(_) | Phase::Suspended(_) => self.end(TurnOutcome::Stopped, false),
            Phase::Stopping { .. } | Phase::Over { .. } => {}
            Phase::Unprompted | Phase::Told { .. } | Phase::Continuing(_) | Phase::Asking(_) => {
                self.phase = Phase::Stopping { deferred: self.phase.take_deferred() };
                effects.push_back(Effect::Interrupt);
            }
        }
    }

    fn fail(&mut self, error: AgentError) {
        self.end(TurnOutcome::Failed(error), true);
    }

    fn end(&mut self, outcome: TurnOutcome, ends_process: bool) {
        self.phase = Phase::Over { outcome, ends_process };
    }
}
