//! What a node tells the others, and its text form: one line for each hint.
//!
//! | line | hint |
//! |---|---|
//! | `L <conversation> <event id>` | [`Hint::Log`] |
//! | `P <conversation>` | [`Hint::Prompt`] |
//! | `S <conversation>` | [`Hint::Stop`] |
//! | `H <conversation>` | [`Hint::HandedOver`] |
//! | `D <conversation>` | [`Hint::Deleted`] |
//! | `V <conversation>` | [`Hint::Audience`] |
//! | `R <conversation>` | [`Hint::Reads`] |
//! | `N` | [`Hint::Nodes`] |
//! | `A <token id>`, or `A` | [`Hint::Access`] |

use std::fmt;

use parlor_protocol::{ConversationId, EventId};

/// A token id that is longer is not sent: everything about access is reread instead.
const LONGEST_TOKEN: usize = 200;

/// Something changed. Storage has what it is now; a hint only says when to look.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Hint {
    /// Storage has the log of a conversation up to this event.
    Log(ConversationId, EventId),
    /// A prompt of the conversation may have changed.
    Prompt(ConversationId),
    /// The row of the conversation's turn says that it has to stop.
    Stop(ConversationId),
    /// A turn of the conversation waits for its home node.
    HandedOver(ConversationId),
    /// The conversation was deleted.
    Deleted(ConversationId),
    /// Fewer people may see the conversation.
    Audience(ConversationId),
    /// Somebody reads the conversation on the sender's node: live text goes there.
    Reads(ConversationId),
    /// A node joined or left.
    Nodes,
    /// Who may do what has changed.
    Access(AccessChange),
}

/// What changed about access.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AccessChange {
    /// The session or key with this public token id.
    Token(String),
    /// Anything: forget all that is remembered.
    Any,
}

impl Hint {
    /// Reads a line. `None` if it is of a kind that only newer nodes know, or malformed.
    pub(crate) fn from_line(line: &str) -> Option<Self> {
        match line {
            "N" => return Some(Self::Nodes),
            "A" => return Some(Self::Access(AccessChange::Any)),
            _ => {}
        }
        let (kind, of) = line.split_once(' ')?;
        Some(match kind {
            "L" => {
                let (conversation, event) = of.split_once(' ')?;
                Self::Log(conversation.parse().ok()?, event.parse().ok()?)
            }
            "P" => Self::Prompt(of.parse().ok()?),
            "S" => Self::Stop(of.parse().ok()?),
            "H" => Self::HandedOver(of.parse().ok()?),
            "D" => Self::Deleted(of.parse().ok()?),
            "V" => Self::Audience(of.parse().ok()?),
            "R" => Self::Reads(of.parse().ok()?),
            "A" if is_token(of) => Self::Access(AccessChange::Token(of.to_owned())),
            _ => return None,
        })
    }
}

/// Its line.
impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(conversation, event) => write!(f, "L {conversation} {event}"),
            Self::Prompt(conversation) => write!(f, "P {conversation}"),
            Self::Stop(conversation) => write!(f, "S {conversation}"),
            Self::HandedOver(conversation) => write!(f, "H {conversation}"),
            Self::Deleted(conversation) => write!(f, "D {conversation}"),
            Self::Audience(conversation) => write!(f, "V {conversation}"),
            Self::Reads(conversation) => write!(f, "R {conversation}"),
            Self::Nodes => f.write_str("N"),
            Self::Access(AccessChange::Token(id)) if is_token(id) => write!(f, "A {id}"),
            Self::Access(_) => f.write_str("A"),
        }
    }
}

/// Whether a token id fits into a line.
fn is_token(id: &str) -> bool {
    (1..=LONGEST_TOKEN).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONVERSATION: &str = "0198c5a2-7b1e-7cc0-8000-0000000000ab";

    /// E-2: a line has one spelling; what is not a hint is not guessed.
    #[test]
    fn lines_are_read_strictly() {
        for line in [
            "L ID 41", "L ID 41.380", "P ID", "S ID", "H ID", "D ID", "V ID", "R ID", "N", "A",
            "A t-1",
        ] {
            let line = line.replace("ID", CONVERSATION);
            assert_eq!(Hint::from_line(&line).unwrap().to_string(), line);
        }
        for line in [
            "", " ", "L", "L ID", "L ID ", "L ID x", "L ID 1 2", "L  ID 1", "P", "P ", "P x",
            "P ID ", "N ", "N 1", "A ", "A a b", "A é", "l ID 1", "Z ID", "M", "PP ID",
        ] {
            let line = line.replace("ID", CONVERSATION);
            assert_eq!(Hint::from_line(&line), None, "{line:?}");
        }
    }

    /// E-2: a token id that does not fit into a line becomes a change of everything.
    #[test]
    fn an_odd_token_means_everything() {
        for id in ["", "a b", "a\nN", "é", &"x".repeat(LONGEST_TOKEN + 1)] {
            let hint = Hint::Access(AccessChange::Token(id.to_owned()));
            assert_eq!(hint.to_string(), "A", "{id:?}");
        }
    }
}
