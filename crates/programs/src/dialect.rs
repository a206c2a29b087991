//! What the lines of a program mean: the border between the bridge and the programs.
//!
//! A [`Dialect`] is one process's state of the conversation, and does no IO: lines go in,
//! [`Output`]s come out. So recordings can be replayed through it, and everything that can
//! go wrong with a process is dealt with once, in the bridge.

use parlor_agent::{AgentEvent, Reply, TurnContext, TurnOutcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// Reads and writes the lines of one process. Pure.
pub trait Dialect: Send + Sync {
    /// The first lines to a new process.
    fn opening(&mut self) -> Vec<Value>;

    /// Tells the process the person's message under this id: the last one of a person in the
    /// history. A process without a CLI session to continue also gets the other messages.
    fn begin(&mut self, context: &TurnContext, id: Uuid, out: &mut Vec<Output>);

    /// Reads a line.
    fn read(&mut self, line: &Value, out: &mut Vec<Output>);

    /// Takes the reply to a question; one to a question that is not open does nothing.
    fn answer(&mut self, id: &str, reply: Reply, out: &mut Vec<Output>);

    /// A person is asked the question with this id; else the reply comes at once.
    fn person_asked(&mut self, id: &str);

    /// Repeats the question about the deferred call, without a process.
    fn ask_again(&mut self, out: &mut Vec<Output>);

    /// Whether the process has reached the deferred call that it was started for; true if it
    /// was started for none.
    fn reached_deferred_call(&self) -> bool;

    /// Makes the process stop.
    fn interrupt(&mut self, out: &mut Vec<Output>);

    /// Whether something is held back until the next line comes, or until none came for a
    /// moment ([`Dialect::release`]).
    fn holds_back(&self) -> bool {
        false
    }

    /// No line came for a moment: outputs what was held back.
    fn release(&mut self, out: &mut Vec<Output>) {
        let _nothing_is_held_back = out;
    }

    /// The turn ends now: outputs what was said so far.
    fn give_up(&mut self, out: &mut Vec<Output>);

    /// Whether a line that comes between turns begins a turn, or asks a person.
    fn begins_turn(&self, line: &Value) -> bool;

    /// Whether the process works on a turn, also one that it began by itself, or on a call
    /// that people know of.
    fn is_busy(&self) -> bool;

    /// Whether work in the background would be lost with the process.
    fn works_in_background(&self) -> bool;

    /// Whether a person has to answer before the process goes on.
    fn waits_for_person(&self) -> bool;
}

/// What a line means.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// An event of the turn.
    Event(AgentEvent),
    /// A line to the process.
    Send(Value),
    /// The id of the CLI session.
    CliSession(String),
    /// The process does not know the CLI session that it was to continue.
    NoSuchCliSession,
    /// The process has deferred a call and stopped: another process continues with it.
    Deferred(DeferredCall),
    /// The next event asks about the deferred call: from now on any process may ask that
    /// again, and none makes the call without an answer.
    Durable(DeferredCall),
    /// The next event asks about this call, and the process waits for the reply. Once a person
    /// is asked the process may be killed: another one is started for the answer, and told it.
    Resumable(DeferredCall),
    /// The turn is over.
    Over(TurnOutcome),
}

/// What a new process continues with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Continuation<'c> {
    /// The CLI session; without one, the process begins another.
    pub cli_session: Option<&'c str>,
    /// The call that the CLI session stopped before. The process continues with it by
    /// itself, without a message.
    pub deferred: Option<&'c DeferredCall>,
}

/// A call that was deferred: the CLI session holds it, and whichever process continues the
/// session asks about it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeferredCall {
    /// The id under which it is asked about.
    pub call: String,
    /// What the dialect has to know of it.
    pub state: Value,
}
