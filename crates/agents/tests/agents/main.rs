//! The agents against a scripted model server, over real connections.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod answers;
mod claude_code;
mod claude_code_deferral;
mod claude_code_replies;
mod demo;
mod faults;
mod harness;
mod mcp_http;
mod mcp_http_faults;
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
