//! Where a turn of a program is.

use parlor_agent::TurnOutcome;

use super::deferred::Deferred;

/// Where a turn is.
#[derive(Debug)]
pub(super) enum Phase {
    /// The process finishes what it began by itself; the message was not told yet.
    Unprompted,
    /// The process works on the message. `resumes`: it was started in this turn, with a CLI
    /// session that it may not know.
    Told { resumes: bool },
    /// The process was started to continue with a deferred call.
    Continuing(Deferred),
    /// The process waits for the reply to a question that another process could be told: if a
    /// person is asked, it is not kept for that.
    Asking(Deferred),
    /// A process is needed, and too many run.
    Queued(Start),
    /// A deferred call waits for a person, without a process.
    Suspended(Deferred),
    /// The process was interrupted.
    Stopping { deferred: Option<Deferred> },
    /// The turn is over. `ends_process`: the process cannot be used any more.
    Over { outcome: TurnOutcome, ends_process: bool },
}

/// What a queued turn needs a process for.
#[derive(Debug)]
pub(super) enum Start {
    /// To tell it the person's message.
    Message,
    /// To continue with a deferred call.
    Deferred(Deferred),
}

impl Phase {
    /// The deferred call of the turn, unless the turn is queued.
    pub(super) fn deferred(&mut self) -> Option<&mut Deferred> {
        match self {
            Self::Continuing(deferred) | Self::Asking(deferred) | Self::Suspended(deferred) => {
                Some(deferred)
            }
            Self::Stopping { deferred } => deferred.as_mut(),
            _ => None,
        }
    }

    /// Takes the deferred call out of the phase. What remains is a process that works on
    /// the message.
    pub(super) fn take_deferred(&mut self) -> Option<Deferred> {
        if let Self::Stopping { deferred } = self {
            return deferred.take();
        }
        if !matches!(self, Self::Continuing(_) | Self::Asking(_) | Self::Suspended(_)) {
            return None;
        }
        match std::mem::replace(self, Self::Told { resumes: false }) {
            Self::Continuing(deferred) | Self::Asking(deferred) | Self::Suspended(deferred) => {
                Some(deferred)
            }
            _ => None,
        }
    }

    pub(super) fn take_deferred_about(&mut self, id: &str) -> Option<Deferred> {
        let is_about = self.deferred().is_some_and(|deferred| deferred.is_about(id));
        if is_about { self.take_deferred() } else { None }
    }
}
