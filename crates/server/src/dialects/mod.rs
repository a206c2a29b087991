//! Dialects: pure encoders of events, one file each. They encode only what storage
//! served. The names and the data of events are the same in all of them, and in one
//! place ([`event_writer`]).

pub(crate) mod agui;
pub(crate) mod ai_sdk;
pub(crate) mod answers;
pub(crate) mod chat_completions;
mod data_lines;
mod event_writer;
pub(crate) mod openai_values;
#[cfg(test)]
mod recordings;
pub(crate) mod responses;
pub mod sse;
#[cfg(test)]
mod stories;
pub(crate) mod turn_dialect;
mod turn_steps;
pub mod ws;
