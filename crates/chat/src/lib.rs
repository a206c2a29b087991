//! The heart of Parlor: takes a person's message, lets the agent take its turn,
//! and writes everything that happens to one numbered log.
//!
//! The order of writes is the point:
//! 1. A message is judged, then stored together with the beginning of its turn;
//!    only then is it acknowledged ([`chat_agent`]).
//! 2. Whatever happens durably is committed before anyone sees it; text is
//!    shown as it comes and stored a moment later ([`event_log`], [`flusher`]).
//! 3. A turn belongs to the conversation: it goes on while nobody listens, and
//!    ends in exactly one `done` ([`session`]).
//! 4. What an agent must not do by itself waits for a person's answer, as a row
//!    that outlives connections and restarts ([`prompts`], [`oversight`]).
//! 5. After a crash, turns that ran go on from their checkpoints or are ended
//!    honestly ([`reconcile`]).
//!
//! It knows neither HTTP nor SQL nor any model's wire format.

mod admission;
mod admitted_tools;
mod beginning;
mod chat_agent;
mod context;
mod entries;
mod error;
mod event_log;
mod flusher;
mod images;
mod initiative;
mod large_rows;
mod oversight;
mod power_cut;
mod project;
mod prompts;
mod reader;
mod reconcile;
mod refused_pictures;
mod retry;
mod running;
mod session;
mod session_registry;
mod texts;
mod turn_slots;
mod waiting;
mod writer;

pub use admitted_tools::AdmittedTools;
pub use chat_agent::{Accepted, Caller, Chat};
pub use error::ChatError;
pub use large_rows::{LargeEvent, LargePieces, Piece, WriteEvent};
pub use project::{Project, Projects};
pub use prompts::{Answered, Misfit, Previewed};
pub use reader::{News, Polled, Reader};
