//! What happens, as clients read it: pure functions from our events, one file
//! for each dialect. They take only what storage served.

pub mod sse;
