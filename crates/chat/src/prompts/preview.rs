//! What a call would change (P-7): as it was proposed, and as a person changes it
//! before saying yes. Nothing runs for it.

use parlor_guard::Clean;
use parlor_protocol::{Preview, PromptId, ToolCall};
use serde_json::{Map, Value};

use super::{Meant, check, meant};
use crate::chat_agent::{Caller, Chat};
use crate::error::ChatError;
use crate::project::Project;

/// A call as a person would allow it, for people.
#[derive(Debug, Clone, PartialEq)]
pub struct Previewed {
    /// The call, masked where it must be.
    pub call: Clean<ToolCall>,
    /// What it would change, if anybody can tell.
    pub preview: Option<Clean<Preview>>,
}

impl Chat {
    /// What an open approval would change with these arguments. They are judged as
    /// in an answer, and what is masked in them stays what it was.
    pub async fn preview(
        &self,
        caller: &Caller,
        id: PromptId,
        input: &Value,
    ) -> Result<Previewed, ChatError> {
        let prompt = self.store().prompt(&caller.tenant, id).await?;
        if prompt.outcome.is_some() {
            return Err(ChatError::PromptClosed);
        }
        let project = self.project(caller, &prompt.project)?;
        let (Some(Meant::Call(call)), Some(shown)) =
            (meant(&prompt), &prompt.public.get().tool_call)
        else {
            return Err(ChatError::AnswerInvalid("This question has no arguments.".into()));
        };
        let edited = check::edited(shown, &call, input).map_err(ChatError::AnswerInvalid)?;
        Ok(of_call(&project, &call.tool, edited.as_ref().unwrap_or(&call.input)).await)
    }
}

/// A call and what it would change, as people see it.
pub(super) async fn of_call(
    project: &Project,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Previewed {
    let call =
        ToolCall { name: tool.to_owned(), input: Value::Object(arguments.clone()), masked: None };
    let preview = match project.agent.preview(tool, arguments).await {
        Some(preview) => Some(preview),
        None => of_tools(project, tool, arguments).await,
    };
    Previewed {
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
