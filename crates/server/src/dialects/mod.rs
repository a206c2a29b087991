//! What happens, as clients read it: pure functions from our events, one file
//! for each dialect. They take only what storage served. What an event is called
//! and what it says is the same in all of them, and in one place ([`vocabulary`]).

pub mod sse;
mod vocabulary;
pub mod ws;
