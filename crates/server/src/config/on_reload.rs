//! `on_reload`: what happens if somebody opens the chat without the address of a
//! conversation (K-3).

use serde::{Deserialize, Serialize};

/// What happens if somebody opens the chat without the address of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnReload {
    /// A new conversation begins.
    #[default]
    New,
    /// The last conversation continues.
    Resume,
}
