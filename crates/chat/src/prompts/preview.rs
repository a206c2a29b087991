//! What a call would change (P-7): as it was proposed, and as a person edits it before
//! approving. Nothing runs for a preview.

use parlor_guard::Clean;
use parlor_protocol::{Preview, ToolCall};
use serde_json::{Map, Value};

use crate::project::Project;

/// A call as a person would allow it, and what it would change.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviewedCall {
    /// The call, masked where necessary.
    pub call: Clean<ToolCall>,
    /// What it would change, if that is known.
    pub preview: Option<Clean<Preview>>,
}

/// A call and what it would change, as people see it.
pub(crate) async fn of_call(
    project: &Project,
    tool: &str,
    arguments: &Map<String, Value>,
) -> PreviewedCall {
    let call =
        ToolCall { name: tool.to_owned(), input: Value::Object(arguments.clone()), masked: None };
    let preview = match project.agent.preview(tool, arguments).await {
        Some(preview) => Some(preview),
        None => of_tools(project, tool, arguments).await,
    };
    PreviewedCall {
        call: Clean::new(&project.sanitizer, call),
        preview: preview.map(|preview| Clean::new(&project.sanitizer, preview)),
    }
}

/// What a call of one of the project's tools would change.
pub(crate) async fn of_tools(
    project: &Project,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Option<Preview> {
    let preview = project.tools.as_ref()?.preview(tool, arguments).await?;
    serde_json::from_value(preview).ok()
}
