//! MCP servers over HTTP, on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod http;
mod http_faults;
