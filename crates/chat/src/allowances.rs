//! Allowances: "always allow this tool in this conversation" (P-11). One that words of others
//! could use is suspended once such words were read (F-4).

use parlor_agent::Tool;
use parlor_agent::tools::ToolAction;
use parlor_protocol::ConversationId;
use parlor_storage::Allowance;
use serde::Serialize;

use crate::caller::Caller;
use crate::error::ChatError;
use crate::flow::FlowPolicy;
use crate::state::ChatState;

/// An allowance, and whether it holds now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedAllowance {
    /// The allowance.
    #[serde(flatten)]
    pub allowance: Allowance,
    /// Whether it does not hold, because words of others were read.
    pub suspended: bool,
}

/// The allowances of a conversation.
pub(crate) async fn list(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
) -> Result<Vec<ListedAllowance>, ChatError> {
    let row = state.store.conversation(&caller.scope, conversation).await?;
    let allowances = state.store.allowances(conversation).await?;
    let project = state.project(caller, &row.project)?;
    let flow = project.flow_context(&state.store, conversation).await?;
    let suspends = flow.policy == FlowPolicy::Ask && flow.is_tainted();
    let tools = project.tools.as_ref().map(|tools| tools.list());
    let is_sink = |allowance: &Allowance| {
        let mut tools = tools.iter().flat_map(|tools| tools.iter());
        let tool = tools.find(|tool| covers(allowance, tool));
        tool.is_none_or(|tool| tool.flow.sink.is && tool.flow.tainted != ToolAction::Allow)
    };
    Ok(allowances
        .into_iter()
        .map(|allowance| ListedAllowance { suspended: suspends && is_sink(&allowance), allowance })
        .collect())
}

/// Revokes the allowance of one tool, or all of them.
pub(crate) async fn revoke(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
    tool: Option<&str>,
) -> Result<(), ChatError> {
    state.take_part(caller, conversation).await?;
    let revoked = state.store.revoke_allowances(conversation, tool).await?;
    if revoked == 0 && tool.is_some() { Err(ChatError::NotFound) } else { Ok(()) }
}

/// Whether an allowance is for this tool. It lapses when the tool changes.
pub(crate) fn covers(allowance: &Allowance, tool: &Tool) -> bool {
    allowance.server == tool.server
        && allowance.tool == tool.spec.name
        && allowance.fingerprint == tool.fingerprint
}
