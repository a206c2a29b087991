//! Agents that are programs of their own: what every bridge to one has in common.
//!
//! A conversation that is alive has one process, in one task of ours:
//! 1. `session` is what `chat` holds for a turn: two channels to that task.
//! 2. `keeper` is the task. It starts the process when a turn begins, lets it
//!    take the turn, keeps it between turns, and ends it when nobody came for a
//!    while. A process that died is started again with the next turn, and told
//!    which session of its own to go on with. One that speaks up between turns
//!    gets a turn of its own.
//! 3. `slots` says how many processes run at once; a turn that has to wait for one
//!    is in the `queue`.
//! 4. `parked` is a turn without a process: a call that was put off waits for a
//!    person, and whoever answers, also after a restart, starts the next process.
//! 5. `child` is the process: lines in, lines out, each bounded (`lines`).
//! 6. What the lines mean is a [`Dialect`]'s to say, which does no IO at all.
//!
//! So a wire format is a pure function that recordings can be replayed through,
//! and everything that can go wrong with a process is dealt with once.

mod child;
#[doc(hidden)]
pub mod fuzz;
mod keeper;
mod lines;
mod memory;
mod noise;
mod parked;
mod pool;
mod queue;
mod session;
mod slots;
mod turn;
mod version;

use std::time::Duration;

use parlor_protocol::Preview;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::agent::{AgentEvent, TurnContext, TurnEnd};
use crate::ask::{ProposedCall, Reply};
use crate::process::{SpawnSpec, Supervisor};

pub use pool::Bridge;
pub use slots::ProcessSlots;
pub(crate) use version::version;

/// Where agents that are programs run, whatever their project.
#[derive(Debug, Clone)]
pub struct ProgramHost {
    /// What they are started under.
    pub supervisor: Supervisor,
    /// How many processes they may have at once.
    pub slots: ProcessSlots,
}

/// One kind of program, set up for a project.
pub trait Program: Send + Sync {
    /// Names the kind, in the configuration, in the log and in the history.
    fn kind(&self) -> &'static str;

    /// How it is started, for a turn: afresh, or with a session of its own that
    /// it is to go on with.
    fn start(&self, context: &TurnContext, from: Session<'_>) -> (SpawnSpec, Box<dyn Dialect>);

    /// What a call would change, as far as files tell. It may read them.
    fn preview(&self, call: &ProposedCall) -> Option<Preview>;

    /// What it may take.
    fn limits(&self) -> BridgeLimits;
}

/// What a process goes on with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Session<'s> {
    /// A session of its own.
    pub id: Option<&'s str>,
    /// The call that the session was left with. The process goes on with it by
    /// itself, without a message.
    pub paused: Option<&'s Paused>,
}

/// A call that was put off: the session holds it, and whichever process goes on with
/// the session asks about it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Paused {
    /// The id under which it is asked about.
    pub call: String,
    /// What the dialect has to know of it.
    pub state: Value,
}

/// The words of one process: what it says, and what is said to it. Pure.
pub trait Dialect: Send + Sync {
    /// What a new process is told first.
    fn opening(&mut self) -> Vec<Value>;

    /// Begins a turn with the last message of the history, under this id. A
    /// process that knows nothing of what was said before is told.
    fn begin(&mut self, context: &TurnContext, id: Uuid) -> Vec<Value>;

    /// Takes a line.
    fn read(&mut self, line: &Value, out: &mut Vec<Output>);

    /// Takes the reply to what was asked; one to what is not asked does nothing.
    fn answer(&mut self, id: &str, reply: Reply, out: &mut Vec<Output>);

    /// A person is asked what it asked under this id.
    fn waits(&mut self, id: &str);

    /// Asks once more about the call that it was left with, without a process.
    fn ask_again(&mut self, out: &mut Vec<Output>);

    /// Whether it has come to the call that it was left with.
    fn has_taken_up(&self) -> bool;

    /// What makes it stop.
    fn interrupt(&mut self) -> Vec<Value>;

    /// The turn ends here, whatever was about to come: what was said so far.
    fn give_up(&mut self, out: &mut Vec<Output>);

    /// Whether a line that comes between turns is the beginning of one, or asks what
    /// only people can answer.
    fn speaks_up(&self, line: &Value) -> bool;

    /// Whether it does something: a turn, also one that nobody asked for, or a call
    /// that people know of.
    fn is_busy(&self) -> bool;

    /// Whether something goes on that would be lost with the process.
    fn works_in_background(&self) -> bool;

    /// Whether it waits for a person.
    fn is_waiting(&self) -> bool;
}

/// What a line means.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Something happened.
    Event(AgentEvent),
    /// The process is told something.
    Send(Value),
    /// The process calls its session this.
    Session(String),
    /// The process does not know the session that it was to go on with.
    NoSuchSession,
    /// The process has put off a call, and does nothing more: another one goes on.
    Deferred(Paused),
    /// It asks about the call that was put off, which comes next: from now on any
    /// process may ask that, and none makes the call without an answer.
    Durable(Paused),
    /// The turn that was begun is over.
    Over(TurnEnd),
}

/// What a program may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BridgeLimits {
    /// How long it is kept when nobody talks to it.
    pub idle: Duration,
    /// How long a turn may take, without the time that people take to answer.
    pub turn: Duration,
    /// The longest line, in bytes.
    pub line_bytes: usize,
    /// The most that it may write in one turn, in bytes.
    pub output_bytes: usize,
    /// The most processes at once, in all conversations of the project.
    pub processes: usize,
}
