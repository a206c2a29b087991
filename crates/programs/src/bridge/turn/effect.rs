//! What happens in a turn of a program, and what has to be done about it.

use std::time::Duration;

use parlor_agent::{AgentEvent, Reply};
use serde_json::Value;

use crate::bridge::child::Exit;
use crate::cli_session::SuspendedTurn;
use crate::dialect::{DeferredCall, Output};

/// What the driver waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waits {
    /// The next line of the process.
    ForProcess,
    /// A command or a slot: there is no process.
    WithoutProcess,
    /// Nothing: the process is free for the message.
    ForNothing,
}

/// What happened.
#[derive(Debug)]
pub(super) enum Input {
    /// The process finished what it began by itself.
    ProcessIsFree,
    /// A process was started; `resumes`: with a CLI session.
    Started { resumes: bool },
    /// No process can be started: the program is not there, or cannot be run.
    NotStarted(String),
    /// No process may be started yet.
    NoSlot,
    /// A process may be started now.
    SlotGranted,
    /// The process wrote so many bytes.
    Wrote(usize),
    /// What a line of the process means.
    Output(Output),
    /// The process cannot be understood any more.
    Broken(String),
    /// The process exited by itself.
    Exited { exit: Exit, has_spoken: bool },
    /// The process took too long for what it had to do next.
    TimedOut(Timeout),
    /// The reply to a question.
    Answer(String, Reply),
    /// A person is asked a question.
    PersonAsked(String),
    /// The turn is to stop.
    Stop,
    /// Nobody polls the turn any more.
    RunnerGone,
    /// The server is stopping.
    ServerStops,
}

/// What a process took too long for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Timeout {
    /// Its first message.
    FirstMessage(Duration),
    /// The deferred call that it was started for.
    DeferredCall,
    /// A person's answer, which another process can be told.
    Answer,
    /// The turn.
    Turn(Duration),
    /// To end the turn after it was interrupted.
    Stop,
}

/// What has to be done.
#[derive(Debug, PartialEq)]
pub(super) enum Effect {
    /// The runner gets an event.
    Emit(AgentEvent),
    /// The turn can be resumed with this, if anything, and otherwise not.
    Checkpoint(Option<SuspendedTurn>),
    /// The message goes to the process, to a new one if none runs.
    Tell,
    /// A process is started to continue with this call.
    Continue(DeferredCall),
    /// A line goes to the process.
    Send(Value),
    /// The dialect gets the reply to a question; `person_asked`: a person gave it.
    Answer { id: String, reply: Reply, person_asked: bool },
    /// The dialect learns that a person is asked.
    PersonAsked(String),
    /// The process is told to stop.
    Interrupt,
    /// The process is ended, and another one of this conversation follows.
    EndProcess,
    /// The process is killed, and its slot is freed.
    Suspend,
    /// The CLI session is gone.
    ForgetCliSession,
}
