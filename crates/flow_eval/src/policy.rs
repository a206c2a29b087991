//! What the server is told about the tools, and so which calls need approval.

use clap::ValueEnum;

/// A way to configure the projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Policy {
    /// Nothing: every call asks.
    NothingBelieved,
    /// The annotations of the tools are trusted: what destroys nothing does not ask.
    Hints,
    /// Every tool is allowed: what the attacks do if nobody is asked.
    AllAllowed,
    /// Every tool is allowed and labelled; in a tainted context a sink asks.
    Flow,
    /// The annotations are trusted and the tools are labelled.
    FlowHints,
}

impl Policy {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NothingBelieved => "nothing-believed",
            Self::Hints => "hints",
            Self::AllAllowed => "all-allowed",
            Self::Flow => "flow",
            Self::FlowHints => "flow-hints",
        }
    }

    /// Whether tools are labelled, and flow decides.
    pub(crate) fn has_flow(self) -> bool {
        matches!(self, Self::Flow | Self::FlowHints)
    }

    pub(crate) fn trusts_annotations(self) -> bool {
        matches!(self, Self::Hints | Self::FlowHints)
    }

    /// Whether the configuration allows every tool.
    pub(crate) fn allows_all(self) -> bool {
        matches!(self, Self::AllAllowed | Self::Flow)
    }
}
