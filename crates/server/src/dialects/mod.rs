//! Dialects: pure encoders of events, one file each. They encode only what storage
//! served. The names and the data of events are the same in all of them, and in one
//! place ([`event_writer`]).

mod event_writer;
pub mod sse;
pub mod ws;
