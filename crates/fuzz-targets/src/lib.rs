//! Fuzz targets: for every parser of foreign bytes one function that must not panic.
//!
//! A target is a file with `pub fn run(data: &[u8])`. It feeds the bytes to a parser and
//! asserts what must hold for every input: no panic, nothing lost, and the same output
//! however the input is cut into pieces.
//!
//! Two things call it:
//! 1. `tests/seeds`, in every `cargo test`: the seeds in `fuzz/seeds/TARGET`, and some
//!    thousand mutations of them, always the same ones.
//! 2. libFuzzer, by `cargo xtask fuzz TARGET`: the binaries in `fuzz/targets`.
//!
//! A new target is a file here, a line in [`TARGETS`], a folder of seeds, a file in
//! `fuzz/targets` and a `[[bin]]` in `fuzz/Cargo.toml`; the test says what is missing.

#![allow(clippy::expect_used, reason = "a target fails by panicking")]

pub mod acp_lines;
pub mod agent_lines;
pub mod anthropic_answer;
pub mod attached_file;
pub mod chat_export;
pub mod classifier;
pub mod config;
pub mod cookie;
mod cuts;
pub mod editor_lines;
pub mod event_id;
pub mod fanout_payload;
pub mod guardrail;
pub mod inline_marker;
pub mod live_frames;
pub mod login_provider;
pub mod openai_answer;
pub mod picture;
pub mod recipe_import;
pub mod sanitizer;
pub mod segmenter;
pub mod sse;
pub mod websocket;

/// A function that takes any bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Names the file, the folder of seeds and the binary.
    pub name: &'static str,
    /// Panics if the bytes show an error in a parser.
    pub run: fn(&[u8]),
}

/// All targets, by name.
pub const TARGETS: &[Target] = &[
    Target { name: "acp_lines", run: acp_lines::run },
    Target { name: "agent_lines", run: agent_lines::run },
    Target { name: "anthropic_answer", run: anthropic_answer::run },
    Target { name: "attached_file", run: attached_file::run },
    Target { name: "chat_export", run: chat_export::run },
    Target { name: "classifier", run: classifier::run },
    Target { name: "config", run: config::run },
    Target { name: "cookie", run: cookie::run },
    Target { name: "editor_lines", run: editor_lines::run },
    Target { name: "event_id", run: event_id::run },
    Target { name: "fanout_payload", run: fanout_payload::run },
    Target { name: "guardrail", run: guardrail::run },
    Target { name: "inline_marker", run: inline_marker::run },
    Target { name: "live_frames", run: live_frames::run },
    Target { name: "login_provider", run: login_provider::run },
    Target { name: "openai_answer", run: openai_answer::run },
    Target { name: "picture", run: picture::run },
    Target { name: "recipe_import", run: recipe_import::run },
    Target { name: "sanitizer", run: sanitizer::run },
    Target { name: "segmenter", run: segmenter::run },
    Target { name: "sse", run: sse::run },
    Target { name: "websocket", run: websocket::run },
];
