//! A call that a program deferred, and how far it is.

use parlor_agent::{AgentEvent, Reply};

use crate::dialect::DeferredCall;

/// How often a process is started for one answer.
const MOST_STARTS: u32 = 3;

/// A deferred call of a turn.
#[derive(Debug)]
pub(super) struct Deferred {
    pub(super) call: DeferredCall,
    pub(super) stage: Stage,
    /// Whether a person is asked about it; else the reply comes at once.
    pub(super) person_asked: bool,
    /// How often a process was started for it.
    pub(super) starts: u32,
}

/// How far a deferred call is.
#[derive(Debug)]
pub(super) enum Stage {
    /// The process may still make it by its own rules.
    NotAsked,
    /// It was asked about: no process makes it without an answer.
    Asked,
    /// The next process that asks gets this answer.
    Answered(Reply),
}

impl Deferred {
    pub(super) fn new(call: DeferredCall) -> Self {
        Self { call, stage: Stage::NotAsked, person_asked: false, starts: 0 }
    }

    pub(super) fn is_about(&self, id: &str) -> bool {
        self.call.call == id
    }

    /// Whether another process can continue with it, with nothing lost or repeated.
    pub(super) fn can_be_continued_again(&self) -> bool {
        !matches!(self.stage, Stage::NotAsked) && self.starts < MOST_STARTS
    }
}

/// A question of a process that waits for the answer, and is lost with it.
pub(super) fn ends_with_process(event: AgentEvent) -> AgentEvent {
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
