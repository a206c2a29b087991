//! What is done with a call, as the configuration says it.

use serde::{Deserialize, Serialize};

/// The configured action for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolAction {
    /// It runs without approval.
    Allow,
    /// A person has to approve it.
    Ask,
    /// It never runs.
    Deny,
}
