//! What a server says of itself when a connection begins. It is untrusted, like all that it says.

use rmcp::service::{Peer, RoleClient};
use serde::Serialize;

/// The longest name, title and version.
const LONGEST_NAME: usize = 200;
const LONGEST_INSTRUCTIONS: usize = 4_000;

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServerIdentity {
    /// The protocol version that both sides speak.
    pub protocol: String,
    /// Its name.
    pub name: Option<String>,
    /// Its name for people.
    pub title: Option<String>,
    /// Its own version.
    pub version: Option<String>,
    /// How it wants to be used. A model does not read it.
    pub instructions: Option<String>,
}

impl ServerIdentity {
    /// What the server at the other end of a connection said.
    pub(super) fn of(peer: &Peer<RoleClient>) -> Option<Self> {
        let info = peer.peer_info()?;
        let short = |text: &str| cut(text, LONGEST_NAME);
        let server = info.server_info.as_ref();
        Some(Self {
            protocol: short(info.protocol_version.as_str()),
            name: server.map(|server| short(&server.name)),
            title: server.and_then(|server| server.title.as_deref()).map(short),
            version: server.map(|server| short(&server.version)),
            instructions: info.instructions.as_deref().map(|text| cut(text, LONGEST_INSTRUCTIONS)),
        })
    }
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
