//! What programs say, replayed from recordings, and what they are told.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod claude_code;
mod claude_code_deferral;
mod claude_code_replies;
#[path = "../../../agent/tests/support/transcript.rs"]
mod transcript;
