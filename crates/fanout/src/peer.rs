//! The name of a process on the channel.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// Names a process on the channel, for the life of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Peer(Uuid);

/// A text that names no peer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a peer is a UUID such as 0198c5a2-7b1e-7cc0-8000-000000000000")]
pub struct InvalidPeer;

impl Peer {
    /// A new name, which no other process has.
    pub(crate) fn random() -> Self {
        Self(Uuid::now_v7())
    }
}

impl FromStr for Peer {
    type Err = InvalidPeer;

    /// Takes the hyphenated form only, so that one peer has one spelling.
    fn from_str(text: &str) -> Result<Self, InvalidPeer> {
        match Uuid::try_parse(text) {
            Ok(id) if text.len() == uuid::fmt::Hyphenated::LENGTH => Ok(Self(id)),
            _ => Err(InvalidPeer),
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-2: a peer is read as it was written.
    #[test]
    fn a_peer_is_read_as_it_was_written() {
        let peer = Peer::random();
        assert_eq!(peer.to_string().parse(), Ok(peer));
        assert_ne!(Peer::random(), peer);
        for wrong in ["", "x", "0198c5a27b1e7cc080000000000000ab"] {
            assert_eq!(wrong.parse::<Peer>(), Err(InvalidPeer), "{wrong}");
        }
    }
}
