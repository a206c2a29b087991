//! The permission modes of Claude Code: what it may do without asking.

use serde::{Deserialize, Serialize};

/// What it may do without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionMode {
    /// Read files in its working directory.
    #[default]
    Default,
    /// Also change files in its working directory.
    AcceptEdits,
    /// Only read, and present a plan.
    Plan,
}

impl PermissionMode {
    /// The mode with this name on the command line.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Default, Self::AcceptEdits, Self::Plan];
        all.into_iter().find(|mode| mode.as_str() == name)
    }

    /// The name on the command line.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
        }
    }
}
