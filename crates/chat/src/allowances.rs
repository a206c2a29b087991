//! Allowances: "always allow this tool in this conversation" (P-11).

use parlor_agent::Tool;
use parlor_protocol::ConversationId;
use parlor_storage::Allowance;

use crate::caller::Caller;
use crate::error::ChatError;
use crate::state::ChatState;

/// The allowances of a conversation.
pub(crate) async fn list(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
) -> Result<Vec<Allowance>, ChatError> {
    state.store.conversation(&caller.tenant, conversation).await?;
    Ok(state.store.allowances(conversation).await?)
}

/// Revokes the allowance of one tool, or all of them.
pub(crate) async fn revoke(
    state: &ChatState,
    caller: &Caller,
    conversation: ConversationId,
    tool: Option<&str>,
) -> Result<(), ChatError> {
    state.store.conversation(&caller.tenant, conversation).await?;
    let revoked = state.store.revoke_allowances(conversation, tool).await?;
    if revoked == 0 && tool.is_some() { Err(ChatError::NotFound) } else { Ok(()) }
}

/// Whether an allowance is for this tool. It lapses when the tool changes.
pub(crate) fn covers(allowance: &Allowance, tool: &Tool) -> bool {
    allowance.server == tool.server
        && allowance.tool == tool.spec.name
        && allowance.fingerprint == tool.fingerprint
}
