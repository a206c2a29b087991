//! The scripted model in each wire format: what a client reads of a script, what is recorded of
//! its request, and what takes no script.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod client;
mod deeds;
mod gemini;
mod responses;
mod side;
