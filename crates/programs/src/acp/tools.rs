//! What the configuration says about the tools of an agent, and their labels.

use agent_client_protocol_schema::v1::ToolKind;
use parlor_agent::flow::ToolFlow;
use parlor_agent::tools::ToolAction;
use parlor_protocol::Content;

use crate::program_flow::{changes, reaches_out, reads};

/// Tools that run without approval, and tools that never run, by the names that approvals show:
/// the tool's own, or what kind of tool it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolLists {
    allowed: Vec<String>,
    denied: Vec<String>,
}

impl ToolLists {
    /// From the configuration.
    pub fn new(allowed: &[String], denied: &[String]) -> Self {
        Self { allowed: allowed.to_vec(), denied: denied.to_vec() }
    }

    /// The configured action for a tool, if any.
    pub(super) fn action(&self, tool: &str) -> Option<ToolAction> {
        let listed = |tools: &[String]| tools.iter().any(|listed| listed == tool);
        if listed(&self.denied) {
            return Some(ToolAction::Deny);
        }
        listed(&self.allowed).then_some(ToolAction::Allow)
    }
}

/// Whether calls of this kind may be asked about in plan mode, where nothing may change (T-3).
pub(super) fn only_reads(kind: ToolKind) -> bool {
    matches!(kind, ToolKind::Read | ToolKind::Search | ToolKind::Fetch | ToolKind::Think)
}

/// The labels of a call (F-1), by the kind that the agent gives it. `stays_inside`: all files that
/// it names are in the working directory; `files`: whose words these hold.
pub(super) fn labels(kind: ToolKind, stays_inside: bool, files: Content) -> ToolFlow {
    match kind {
        ToolKind::Read | ToolKind::Search if stays_inside => reads(files),
        ToolKind::Read | ToolKind::Search => reads(Content::Others),
        ToolKind::Think => reads(Content::Own),
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::SwitchMode => changes(),
        ToolKind::Execute | ToolKind::Fetch => reaches_out(),
        _ => ToolFlow::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F-1: what is not known to read, or to bring the people's own words, is neither.
    #[test]
    fn kinds_have_labels() {
        use Content::{Others, Own};
        let is = |kind, inside, files| {
            let flow = labels(kind, inside, files);
            (flow.content.is, flow.sink.is, flow.reaches_out)
        };
        for kind in [ToolKind::Read, ToolKind::Search] {
            assert_eq!(is(kind, true, Own), (Own, false, false));
            assert_eq!(is(kind, true, Others), (Others, false, false));
            assert_eq!(is(kind, false, Own), (Others, false, false));
        }
        assert_eq!(is(ToolKind::Think, true, Others), (Own, false, false));
        for kind in [ToolKind::Edit, ToolKind::Delete, ToolKind::Move, ToolKind::SwitchMode] {
            assert_eq!(is(kind, true, Others), (Own, true, false));
        }
        for kind in [ToolKind::Execute, ToolKind::Fetch] {
            assert_eq!(is(kind, true, Own), (Others, true, true));
        }
        assert_eq!(is(ToolKind::default(), true, Own), (Others, true, false));
    }
}
