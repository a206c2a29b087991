//! The suites.

use clap::ValueEnum;

/// A set of tasks on the same tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Suite {
    Workspace,
    Travel,
    Banking,
    Slack,
    /// Clean tasks: nothing that a tool returns was written by a stranger.
    Shop,
}

impl Suite {
    /// The longest first.
    pub(crate) const ALL: &[Self] =
        &[Self::Workspace, Self::Travel, Self::Slack, Self::Banking, Self::Shop];

    /// The name of its project, its MCP server and its labels.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Travel => "travel",
            Self::Banking => "banking",
            Self::Slack => "slack",
            Self::Shop => "shop",
        }
    }

    /// Whether it is a suite of AgentDojo.
    pub(crate) fn is_dojo(self) -> bool {
        self != Self::Shop
    }

    /// The name by which the model calls a tool.
    pub(crate) fn full_name(self, tool: &str) -> String {
        format!("{}_{tool}", self.name())
    }
}
