//! What a log answers to a reader: what comes after its position, and what it has seen besides.

use parlor_protocol::{EventBody, TurnId};
use parlor_storage::Served;

/// What comes after a position.
pub(in crate::log) enum After {
    /// Read storage: the events are not kept here at this version.
    InStorage(u64),
    /// The events were added to the list.
    Here,
    /// This turn failed to be persisted.
    Failed(TurnId),
    /// A live event, and its version.
    Live(u64, Served<EventBody>),
    /// Check whether the reader still sees the conversation, as of this audience.
    CheckAudience(u64),
    /// The conversation was deleted.
    Closed,
}

/// What a reader has seen besides the events up to its position.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::log) struct Seen {
    /// The version for which storage was read, or had nothing.
    pub(in crate::log) stored: Option<u64>,
    /// The failed turn that was reported.
    pub(in crate::log) failure: Option<TurnId>,
    /// The version of the live event.
    pub(in crate::log) live: Option<u64>,
    /// The audience of which the reader is known to be a part.
    pub(in crate::log) audience: Option<u64>,
}
