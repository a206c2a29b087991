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
//! 4. After a crash, turns that ran are ended honestly ([`reconcile`]).
//!
//! It knows neither HTTP nor SQL nor any model's wire format.

mod admission;
mod beginning;
mod chat_agent;
mod context;
mod error;
mod event_log;
mod flusher;
mod images;
mod project;
mod reader;
mod reconcile;
mod session;
mod session_registry;
mod texts;
mod writer;

pub use chat_agent::{Accepted, Caller, Chat};
pub use error::ChatError;
pub use project::{Project, Projects};
pub use reader::Reader;
