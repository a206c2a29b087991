//! A tool that changed while an approval of a call of it was open: the approval was for the
//! tool that was shown, so it is asked for again. Pure.

use parlor_agent::{ProposedCall, Tool};
use parlor_storage::ToolRun;

use crate::prompts::PendingCall;

const CHANGED: &str = "The tool changed after you were asked about it, so nothing has run yet. \
                       Please look at it again.";

/// The approved call with the tool as it is now, if that is not the tool that was shown.
/// `None` also if the tool is gone: then the call fails by itself.
pub(super) fn changed_call(
    call: &PendingCall,
    run: &ToolRun,
    tools: &[Tool],
) -> Option<ProposedCall> {
    let tool = tools.iter().find(|tool| tool.spec.name == call.tool)?;
    if tool.server != call.server || tool.fingerprint == call.fingerprint {
        return None;
    }
    tracing::info!(tool = %call.tool, "a tool changed while its approval was open");
    Some(ProposedCall {
        id: run.call_id.clone(),
        name: call.tool.clone(),
        input: call.input.clone(),
        tool: Some(tool.clone()),
        description: Some(CHANGED.to_owned()),
        preview: None,
        ends_with_agent: false,
        caveats: Vec::new(),
    })
}
