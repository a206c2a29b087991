//! Models in the built-in loop against a scripted model server, over real connections.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod answers;
mod demo;
mod faults;
mod harness;
mod openai_answers;
mod openai_errors;
mod openai_requests;
mod openai_servers;
mod requests;
mod retries;
mod secrets;
mod settings;
mod stopping;
mod tools;
#[path = "../../../agent/tests/support/transcript.rs"]
mod transcript;
