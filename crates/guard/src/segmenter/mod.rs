//! Finds structure in what an agent writes: plans, questions and inline
//! prompts, in a stream or in a whole text, with one and the same machine.
//!
//! The steps:
//! 1. Prose passes at once, up to a byte that can begin structure: `{`, a code
//!    fence at the beginning of a line, or `<` of `<!-- userPrompt:start -->`.
//! 2. From there text is held back for as long as it can still become
//!    structure. An object must begin like JSON (`object`), must show a key
//!    of a plan or of a question within [`KEYS_WITHIN`] bytes, and must end
//!    within [`HELD_AT_MOST`]; a fence (`fence`) must be one of JSON and begin
//!    with `{`; a marker (`marker`) must be spelled out.
//! 3. What is complete is read (`structure`) and becomes a [`Segment`]. What
//!    is not what it seemed to be passes as text, and nothing is read twice:
//!    the work is linear in the input.
//!
//! Only an agent's own text is ever given to it: never a tool's output, never
//! what a person wrote (P-10).
//!
//! The limits of the method: an object inside another object does not count;
//! an object in a list does, and leaves the brackets behind as text; in a code
//! block of another language nothing is looked for.

mod fence;
mod machine;
mod marker;
mod object;
mod segment;
mod structure;

use machine::Machine;
use segment::Output;

pub use segment::Segment;
pub(crate) use structure::{is_plan_claim, is_question_claim};

/// A key of a plan or a question must show within so many bytes of an object.
pub const KEYS_WITHIN: usize = 256;

/// Never more than this is held back; beyond it is text.
pub const HELD_AT_MOST: usize = 64 * 1024;

/// Cuts text into segments while it arrives.
#[derive(Debug, Default)]
pub struct Segmenter {
    machine: Machine,
}

impl Segmenter {
    /// A segmenter at the beginning of a text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cuts a whole text into its segments.
    pub fn split(text: &str) -> Vec<Segment> {
        let mut segments = Vec::new();
        let mut segmenter = Self::new();
        let mut out = Output::new(&mut segments);
        segmenter.machine.read(text, &mut out);
        segmenter.machine.finish(&mut out);
        segments
    }

    /// Takes the next piece of text if it is nothing but text, as nearly every
    /// piece is: then it is certain at once, as it is.
    pub fn passes(&mut self, chunk: &str) -> bool {
        self.machine.passes(chunk)
    }

    /// Takes the next piece of text, and appends to `out` what is certain by
    /// now. What was appended earlier is not touched any more.
    pub fn push(&mut self, chunk: &str, out: &mut Vec<Segment>) {
        self.machine.read(chunk, &mut Output::new(out));
    }

    /// Ends the text, because it is over or because it was stopped: what is
    /// still held back is appended.
    pub fn finish(mut self, out: &mut Vec<Segment>) {
        self.machine.finish(&mut Output::new(out));
    }
}
