//! The server from end to end: a real listener, a real database, a scripted model.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may fail")]

mod access;
mod autobahn;
mod bad_input;
mod binary;
mod bridge;
mod broken_database;
mod conversations;
mod demo;
mod edge;
mod edits;
mod foreign_client;
mod graceful_stop;
mod ledger;
mod limits;
mod mcp;
mod mcp_in_chat;
mod messages;
mod model_errors;
mod nodes;
mod npm;
mod pages;
mod programs;
mod raw;
mod recipes;
mod recipes_mcp;
mod recordings;
mod routes;
mod scenarios;
mod seed;
mod seen;
mod server_killed;
mod server_process;
mod slow_readers;
mod sockets;
mod streams;
mod system_prompt;
mod terminal;
mod test_app;
mod tools;
mod transcript;
mod upgrades;
mod websocket;
mod websocket_access;
mod websocket_limits;
