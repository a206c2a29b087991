//! A kind of program: how it is started, and what it may use.

use std::time::Duration;

use parlor_agent::{ProposedCall, TurnContext};
use parlor_process::SpawnSpec;
use parlor_protocol::Preview;

use crate::dialect::{Continuation, Dialect};

/// One kind of program, set up for a project.
pub trait Program: Send + Sync {
    /// Names the kind in the configuration, in the log and in the history.
    fn kind(&self) -> &'static str;

    /// How a process is started for a turn, and the dialect that it speaks.
    fn start(&self, context: &TurnContext, from: Continuation<'_>)
    -> (SpawnSpec, Box<dyn Dialect>);

    /// What a call would change, as far as files show it. May read files.
    fn preview(&self, call: &ProposedCall) -> Option<Preview>;

    /// What it may use.
    fn limits(&self) -> ProgramLimits;
}

/// What a program may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramLimits {
    /// How long a process is kept between turns.
    pub idle: Duration,
    /// How long a turn may take, without the time that people take to answer.
    pub turn: Duration,
    /// The longest line, in bytes.
    pub line_bytes: usize,
    /// The most output in one turn, in bytes.
    pub output_bytes: usize,
    /// The most processes at once, in all conversations of the project.
    pub processes: usize,
}
