//! What the configuration says about the tools of an agent.

use agent_client_protocol_schema::v1::ToolKind;
use parlor_agent::tools::ToolAction;

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
