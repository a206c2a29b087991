//! The lines of programs, replayed from recordings, and the lines that are sent to them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod acp;
mod acp_agent;
mod acp_flow;
mod acp_repeats;
mod acp_replies;
mod claude_code;
mod claude_code_deferral;
mod claude_code_flow;
mod claude_code_process;
mod claude_code_replies;
#[path = "../../../agent/tests/support/transcript.rs"]
mod transcript;
