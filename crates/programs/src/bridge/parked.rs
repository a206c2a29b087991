//! A call that was put off, and the turn that waits for it without a process.
//!
//! 1. The process that put the call off is left, and another one goes on with the
//!    session at once: it makes the call by its own rules, or asks about it.
//! 2. If it asks, it is killed before anyone sees what it asks: nothing is left that
//!    could die, or that takes memory for hours. A process whose input just ends,
//!    because the server is gone, takes that for a no. What it asked is in a
//!    checkpoint: from here on any process can go on, of this server or the next.
//! 3. The answer starts another process, which asks again and is told. One that dies
//!    before that is started again, a few times. One that was told cannot be replaced:
//!    nobody knows how far it came.
//!
//! After a restart of the server the turn is at 2: what was asked is asked again
//! from the checkpoint, so a hundred of such turns start nothing until somebody
//! answers.

use parlor_agent::{AgentError, AgentEvent, Checkpoint, Reply, TurnEnd};
use serde_json::json;

use super::keeper::{Command, Keeper, Live};
use super::memory::SESSION;
use super::queue::Start;
use super::turn::Turn;
use super::{Output, Paused, Session};

/// How often a process is started for one answer.
const MOST_STARTS: u32 = 3;
const PAUSED: &str = "paused";

/// A call that was put off.
pub(super) struct Parked {
    paused: Paused,
    /// Whether it was asked about: then it is made by no process without an answer.
    asked: bool,
    /// Whether a person is asked.
    waits: bool,
    /// The answer that the next process gets.
    reply: Option<Reply>,
    /// How often a process was started for it.
    starts: u32,
}

impl Paused {
    /// The call that a turn can go on with from here, if it was asked about.
    pub fn at(checkpoint: &Checkpoint) -> Option<Self> {
        serde_json::from_value(checkpoint.0.get(PAUSED)?.clone()).ok()
    }
}

/// Where a turn can go on: with a session, and a call that was asked about.
pub(super) fn checkpoint(session: Option<&str>, paused: Option<&Paused>) -> Checkpoint {
    Checkpoint(match paused {
        Some(paused) => json!({ SESSION: session, PAUSED: paused }),
        None => json!({ SESSION: session }),
    })
}

impl Parked {
    fn new(paused: Paused) -> Self {
        Self { paused, asked: false, waits: false, reply: None, starts: 0 }
    }

    pub(super) fn is_about(&self, id: &str) -> bool {
        self.paused.call == id
    }
}

impl Turn {
    /// Whether the turn waits for a person, and for nothing else.
    pub(super) fn is_parked(&self, has_process: bool) -> bool {
        !has_process && self.parked.as_ref().is_some_and(|parked| parked.asked)
    }

    /// Whether a process that ended can be replaced, with nothing lost or repeated.
    pub(super) fn may_try_again(&self) -> bool {
        self.parked.as_ref().is_some_and(|parked| parked.asked && parked.starts < MOST_STARTS)
    }

    /// Whether the process still has to speak of the call that it was started for.
    pub(super) fn is_overdue(&self, live: Option<&Live>) -> bool {
        self.parked.is_some() && live.is_some_and(|live| !live.dialect.has_taken_up())
    }
}

impl Keeper {
    /// The process has put off a call: another one goes on with it.
    pub(super) async fn go_on(&mut self, turn: &mut Turn, paused: Paused) {
        // It is asked to end, and writes down what the session has cost.
        self.leave_process().await;
        turn.said = true;
        turn.parked = Some(Parked::new(paused));
        self.start_parked(turn);
    }

    /// A turn goes on after a crash: what it waits for is asked again.
    pub(super) async fn take_up(&mut self, turn: &mut Turn, paused: Paused) {
        self.end_process().await;
        turn.said = true;
        let from = Session { id: self.session.as_deref(), paused: Some(&paused) };
        let (_, mut dialect) = self.pool.program.start(&turn.context, from);
        let mut out = Vec::new();
        dialect.ask_again(&mut out);
        let asks = out.iter().any(|output| matches!(output, Output::Durable(_)));
        turn.parked = Some(Parked { waits: true, ..Parked::new(paused) });
        match asks {
            true => self.apply(turn, out).await,
            false => turn.fail(AgentError::Lost("it is not known what it asked".to_owned())),
        }
    }

    /// The call is asked about: from here on the turn can go on after a crash.
    pub(super) async fn durable(&mut self, turn: &mut Turn, paused: Paused) {
        let Some(parked) = turn.parked.as_mut() else { return };
        let known = parked.asked;
        parked.paused = paused;
        if !known {
            let from = checkpoint(self.session.as_deref(), Some(&parked.paused));
            turn.emit(AgentEvent::Checkpoint(from)).await;
        }
    }

    /// What is asked, once nothing is left that could die; unless it was asked before:
    /// then a process that was started for the answer gets it.
    pub(super) async fn unless_answered(
        &mut self,
        turn: &mut Turn,
        event: AgentEvent,
    ) -> Option<AgentEvent> {
        let id = match &event {
            AgentEvent::Proposes(call) => call.id.as_str(),
            AgentEvent::Asks(ask) => ask.id.as_str(),
            // It made the call by its own rules.
            AgentEvent::CallEnded { call, .. } => {
                turn.parked.take_if(|parked| parked.is_about(call));
                return Some(event);
            }
            _ => return Some(event),
        };
        let Some(parked) = turn.parked.as_mut().filter(|parked| parked.is_about(id)) else {
            return Some(ends_with_process(event));
        };
        // Whoever stopped the turn wants neither the question nor the call.
        if turn.stops_at.is_some() {
            self.park().await;
            turn.over = Some(TurnEnd::Stopped);
            return None;
        }
        if !parked.asked {
            parked.asked = true;
            self.park().await;
            return Some(event);
        }
        if let (Some(reply), Some(live)) = (parked.reply.take(), &mut self.live) {
            let mut out = Vec::new();
            if parked.waits {
                live.dialect.waits(id);
            }
            live.dialect.answer(id, reply, &mut out);
            self.is_answered(turn, id).await;
            self.send(&out);
        }
        None
    }

    /// A process has the answer: what comes of it is lost with that process, so the
    /// turn can no longer go on after a crash.
    pub(super) async fn is_answered(&self, turn: &mut Turn, id: &str) {
        if turn.parked.take_if(|parked| parked.is_about(id)).is_some() {
            let from = checkpoint(self.session.as_deref(), None);
            turn.emit(AgentEvent::Checkpoint(from)).await;
        }
    }

    async fn park(&mut self) {
        if let Some(live) = self.live.take() {
            tracing::debug!(conversation = %self.conversation, "an agent waits without a process");
            live.child.kill().await;
        }
        // Whoever takes their time to answer keeps nobody from having a process.
        self.slot = None;
    }

    /// A process ended before it could be told the answer.
    pub(super) fn again(&mut self, turn: &mut Turn, why: &str) {
        tracing::warn!(conversation = %self.conversation, why, "an agent ended before it was \
            answered");
        let waits = turn.parked.as_ref().is_none_or(|parked| parked.reply.is_none());
        if !waits {
            self.start_parked(turn);
        }
    }

    /// Waits for the person's answer, without a process.
    pub(super) async fn wait(&mut self, turn: &mut Turn) {
        let events = turn.events.clone();
        let command = tokio::select! {
            biased;
            () = self.stop.cancelled() => {
                return turn.fail(AgentError::Lost("the server is stopping".to_owned()));
            }
            command = self.queue.recv() => command,
            () = events.closed() => None,
        };
        match command {
            Some(Command::Answer(id, reply)) => {
                let asked = turn.parked.as_mut().filter(|parked| parked.is_about(&id));
                if let Some(parked) = asked {
                    parked.reply = Some(reply);
                    parked.starts = 0;
                    self.start_parked(turn);
                }
            }
            Some(Command::Waits(_)) => {
                turn.parked.iter_mut().for_each(|parked| parked.waits = true);
            }
            Some(Command::Begin(begin)) => {
                turn.next = Some(begin);
                turn.over = Some(TurnEnd::Stopped);
            }
            Some(Command::Stop) | None => turn.over = Some(TurnEnd::Stopped),
        }
    }

    pub(super) fn start_parked(&mut self, turn: &mut Turn) {
        if !self.may_start(turn, Start::Parked) {
            return;
        }
        let Some(parked) = turn.parked.as_mut() else { return };
        parked.starts += 1;
        let paused = parked.paused.clone();
        match self.start(&turn.context, Some(&paused)) {
            Ok(live) => self.live = Some(live),
            Err(why) => turn.fail(AgentError::NotStarted(why)),
        }
    }

    fn send(&self, out: &[Output]) {
        let Some(live) = &self.live else { return };
        for output in out {
            if let Output::Send(line) = output {
                live.child.send(line);
            }
        }
    }
}

/// What is asked by a process that waits for the answer, and is lost with it.
fn ends_with_process(event: AgentEvent) -> AgentEvent {
    match event {
        AgentEvent::Proposes(mut call) => {
            call.ends_with_agent = true;
            AgentEvent::Proposes(call)
        }
        AgentEvent::Asks(mut ask) => {
            ask.ends_with_agent = true;
            AgentEvent::Asks(ask)
        }
        other => other,
    }
}
