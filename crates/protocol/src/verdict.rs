//! What a check decides.

use serde::{Deserialize, Serialize};

/// The outcome of a check before something is passed on: a tool call, a
/// tool's result, a description. Ordered by how much it holds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Verdict {
    /// It is passed on.
    Allow,
    /// A person decides.
    Ask,
    /// It is stopped.
    Block,
}
