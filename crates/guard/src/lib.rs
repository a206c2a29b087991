//! Checks what comes in and cleans what goes out. Pure: no IO, no clock.
//!
//! - [`guardrail`]: judges what a person wrote, before an agent reads it (G).
//! - [`classifier`]: decides which type of message an agent's JSON is (C).
//! - [`segmenter`]: finds plans, questions and prompts in an agent's text,
//!   also while it streams (T-2, T-8, P-10).
//! - [`sanitizer`]: masks what must not leave the server (S).
//! - [`process_input`] and [`process_output`] put them together.
//! - [`nearest`] suggests the right name for a misspelled setting.
//!
//! Two types are the proof: [`Checked`] has passed the guardrail, [`Clean`] has gone
//! through the sanitizer. Only this crate makes them.

mod checked;
pub mod classifier;
mod clean;
pub mod guardrail;
mod nearest;
mod pipeline;
pub mod sanitizer;
pub mod segmenter;

pub use checked::Checked;
pub use clean::{Clean, CleanStream, Cleanable, clean_options};
pub use nearest::nearest;
pub use pipeline::{ProcessedInput, ProcessedMessage, process_input, process_output};
