//! Ids as types: a string from outside becomes one of these or is refused.
//!
//! - Slugs ([`TenantId`], [`ProjectId`]) name what an administrator configured.
//! - UUIDs ([`ConversationId`], [`TurnId`], …) name what the server made. They
//!   order nothing; order is the event's sequence number.
//! - [`EventId`] is the position of an event in a conversation, and of a reader.
//! - [`ClientMessageId`] is a client's own id of a message that it may send twice,
//!   [`ExternalId`] its own id of a conversation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Why a string is not the id that it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Not a tenant or project name.
    #[error("a {what} is 1 to 64 of a-z, 0-9, '-' and '_', and begins with a letter or a digit")]
    Slug {
        /// What the id should have named.
        what: &'static str,
    },
    /// Not a UUID.
    #[error("a {what} is a UUID such as 0198c5a2-7b1e-7cc0-8000-000000000000")]
    Uuid {
        /// What the id should have named.
        what: &'static str,
    },
    /// Not an event id.
    #[error("an event id is '<seq>' or '<seq>.<offset>', two whole numbers")]
    Event,
    /// Not a client's message id.
    #[error("a client_message_id is 1 to 128 of letters, digits, '-', '_', '.' and ':'")]
    ClientMessage,
    /// Not a client's id of a conversation.
    #[error("an id of a conversation is 1 to 200 printable characters")]
    External,
}

/// Gives a string newtype its parsing, printing and serde, all through one check.
macro_rules! checked_string {
    ($(#[$doc:meta])* $name:ident, $check:expr, $error:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(String);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::try_from(text.to_owned())
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                if $check(text.as_str()) { Ok(Self(text)) } else { Err($error) }
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// Gives a UUID newtype its parsing, printing and serde.
macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that the server made.
            pub const fn new(id: Uuid) -> Self {
                Self(id)
            }

            /// The bare UUID, for storage.
            pub const fn as_uuid(&self) -> &Uuid {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            /// Takes the hyphenated form only, so that one id has one spelling.
            fn from_str(text: &str) -> Result<Self, IdError> {
                let id = Uuid::try_parse(text).map_err(|_| IdError::Uuid { what: $what })?;
                if text.len() == uuid::fmt::Hyphenated::LENGTH {
                    Ok(Self(id))
                } else {
                    Err(IdError::Uuid { what: $what })
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }
    };
}

checked_string!(
    /// A household, a team or a customer.
    TenantId, is_slug, IdError::Slug { what: "tenant" }
);
checked_string!(
    /// One agent with its tools and policies, inside a tenant.
    ProjectId, is_slug, IdError::Slug { what: "project" }
);
checked_string!(
    /// A client's own id of a message: sent twice, it starts one turn.
    ClientMessageId, is_client_mark, IdError::ClientMessage
);
checked_string!(
    /// A client's own id of a conversation.
    ExternalId, is_external_id, IdError::External
);
uuid_id!(
    /// An ordered list of messages in one project.
    ConversationId, "conversation id"
);
uuid_id!(
    /// Everything from one message, or from an agent that begins by itself, until `done`.
    TurnId, "turn id"
);
uuid_id!(
    /// One message, and the text that streams before it is finished.
    MessageId, "message id"
);
uuid_id!(
    /// A question that waits for a person. On the wire it is a prompt's `messageId`.
    PromptId, "prompt id"
);
uuid_id!(
    /// One call of a tool. The agent's own id for it stays in the raw history.
    CallId, "call id"
);
uuid_id!(
    /// Somebody with an account of their own in a tenant.
    PersonId, "person id"
);
uuid_id!(
    /// A link with which a conversation is shared. It lets nobody in: that takes the token in its address.
    ShareLinkId, "share link id"
);
uuid_id!(
    /// One server of several on the same database: its data directory, over all restarts.
    NodeId, "node id"
);
uuid_id!(
    /// One run of a node, from its start or from when it was declared dead.
    BootId, "boot id"
);

/// The position of an event in its conversation; also that of a reader.
///
/// A durable event is `<seq>`. A piece of streamed text is `<seq>.<offset>`:
/// the text block that it belongs to, and how many bytes of clean text the reader
/// has once it has this piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub struct EventId {
    /// Sequence number in the conversation, from 1.
    pub seq: u64,
    /// Bytes of clean text, for a piece of a text block.
    pub offset: Option<u64>,
}

impl EventId {
    /// The id of a durable event.
    pub const fn durable(seq: u64) -> Self {
        Self { seq, offset: None }
    }

    /// The id of a piece of text.
    pub const fn delta(seq: u64, offset: u64) -> Self {
        Self { seq, offset: Some(offset) }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            None => write!(f, "{}", self.seq),
            Some(offset) => write!(f, "{}.{offset}", self.seq),
        }
    }
}

impl FromStr for EventId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.split_once('.') {
            None => Ok(Self::durable(whole_number(text)?)),
            Some((seq, offset)) => Ok(Self::delta(whole_number(seq)?, whole_number(offset)?)),
        }
    }
}

impl TryFrom<String> for EventId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<EventId> for String {
    fn from(id: EventId) -> String {
        id.to_string()
    }
}

/// Digits only (`u64::from_str` would also take a plus sign), and small enough
/// for an SQL integer and for a number in JavaScript to hold.
fn whole_number(text: &str) -> Result<u64, IdError> {
    const LARGEST: u64 = (1 << 53) - 1;
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(IdError::Event);
    }
    text.parse().ok().filter(|n| *n <= LARGEST).ok_or(IdError::Event)
}

fn is_slug(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    match text.as_bytes() {
        [first, rest @ ..] => {
            plain(*first) && rest.len() < 64 && rest.iter().all(|&b| plain(b) || b"-_".contains(&b))
        }
        [] => false,
    }
}

fn is_client_mark(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.:".contains(&b))
}

fn is_external_id(text: &str) -> bool {
    (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words: tenant and project match `[a-z0-9][a-z0-9_-]{0,63}`, and nothing else does.
    #[test]
    fn slugs_take_exactly_the_documented_form() {
        for good in ["home", "a", "0", "team-7", "a_b", &"x".repeat(64)] {
            assert_eq!(good.parse::<TenantId>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            "-a",
            "_a",
            "A",
            "á",
            "a/b",
            "..",
            "a.b",
            "a b",
            "a\0",
            "%2e",
            "a;rm",
            &"x".repeat(65),
        ] {
            assert!(bad.parse::<ProjectId>().is_err(), "{bad:?} must be refused");
        }
    }

    #[test]
    fn uuids_have_one_spelling() {
        let id: ConversationId = "0198c5a2-7b1e-7cc0-8000-0000000000ab".parse().unwrap();
        assert_eq!(id.to_string(), "0198c5a2-7b1e-7cc0-8000-0000000000ab");
        for bad in
            ["", "x", "0198c5a27b1e7cc080000000000000ab", "{0198c5a2-7b1e-7cc0-8000-0000000000ab}"]
        {
            assert!(bad.parse::<ConversationId>().is_err(), "{bad:?} must be refused");
        }
    }

    /// H-5: ids of events are read back as they were written.
    #[test]
    fn event_ids_round_trip() {
        for text in ["0", "41", "41.380", "9007199254740991.0"] {
            assert_eq!(text.parse::<EventId>().unwrap().to_string(), text);
        }
        for bad in ["", ".", "1.", ".1", "+1", "-1", "1.2.3", " 1", "1e3", "9007199254740992"] {
            assert!(bad.parse::<EventId>().is_err(), "{bad:?} must be refused");
        }
        assert!(EventId::durable(41) < EventId::delta(41, 0));
        assert!(EventId::delta(41, 380) < EventId::durable(42));
    }
}
