//! The log of a conversation while it is written: numbered events, and streamed text.
//!
//! 1. A turn appends to the [`EventLog`]: durable events after they are committed, text as
//!    it streams.
//! 2. The [`Flusher`] stores streamed text of all conversations every 200 ms.
//! 3. A [`Reader`] follows a conversation from any event id: first from storage, then from
//!    the live log. Nothing is queued for it.
//! 4. [`LargeEntries`] caches what is too large to be held for every reader.
//! 5. Where there are other nodes, the [`Outlet`] tells them what was stored, and sends text
//!    that streams to those that have readers of it, as [`live_frame`]s.

mod entries;
mod event_log;
mod flusher;
mod kept_entries;
mod large_entries;
pub(crate) mod live_frame;
mod outlet;
mod reader;
mod remote_readers;
mod text_elsewhere;
mod wakers;

pub(crate) use event_log::{Ahead, ClosedBlock, EventLog};
pub(crate) use flusher::Flusher;
pub(crate) use large_entries::{LargeEntries, Source};
pub use large_entries::{LargeEvent, LargePieces, Piece, WriteEvent};
pub(crate) use outlet::Outlet;
pub(crate) use reader::Sight;
pub use reader::{EventBatch, PolledBatch, Reader};
