//! Tool calls as an editor is shown them. Pure.
//!
//! An approval's message names the tool and its arguments, but not the call: it belongs to
//! the call of this tool that began to wait last and has no arguments yet.

use agent_client_protocol_schema::v1::{
    Diff, SessionUpdate, ToolCall as CallUpdate, ToolCallContent, ToolCallId, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{
    CallId, Preview, PromptClosed, PromptId, ToolCall, ToolProgress, ToolResult, ToolStatus,
    UserPrompt,
};
use serde_json::Value;

/// How many calls are remembered. A turn makes far fewer.
const MOST_CALLS: usize = 512;
/// Arguments that name a file, in the order in which they are looked for.
const PATHS: [&str; 4] = ["path", "file_path", "filePath", "filename"];

/// The calls that the editor has been shown.
#[derive(Debug, Default)]
pub(super) struct ToolCalls(Vec<Call>);

#[derive(Debug)]
struct Call {
    id: CallId,
    tool: String,
    waits: bool,
    input: Option<Value>,
    prompt: Option<PromptId>,
    /// What it changes in a text, which stays beside its result.
    diff: Option<ToolCallContent>,
}

impl ToolCalls {
    /// The call that a prompt is about.
    pub(super) fn of_prompt(&self, prompt: PromptId) -> Option<CallId> {
        self.0.iter().rfind(|call| call.prompt == Some(prompt)).map(|call| call.id)
    }

    /// The status of a call changed.
    pub(super) fn status(
        &mut self,
        tool: &str,
        id: CallId,
        status: ToolStatus,
        progress: Option<&ToolProgress>,
    ) -> Vec<SessionUpdate> {
        let shown = match status {
            ToolStatus::Waiting => ToolCallStatus::Pending,
            ToolStatus::Running => ToolCallStatus::InProgress,
            ToolStatus::Completed => ToolCallStatus::Completed,
            ToolStatus::Error | ToolStatus::Denied => ToolCallStatus::Failed,
        };
        let waits = status == ToolStatus::Waiting;
        let Some(call) = self.0.iter_mut().rfind(|call| call.id == id) else {
            return vec![self.begin(tool, id, waits, shown)];
        };
        call.waits = waits;
        // An approval has shown its question in place of the name.
        let mut fields = ToolCallUpdateFields::new().status(shown).title(tool.to_owned());
        if let Some(text) = progress.map(progress_text) {
            fields = fields.content(vec![ToolCallContent::from(text)]);
        }
        vec![update(id, fields)]
    }

    /// A call waits for approval, with these arguments.
    pub(super) fn proposed(
        &mut self,
        proposed: &ToolCall,
        prompt: Option<PromptId>,
    ) -> Vec<SessionUpdate> {
        let waiting =
            |call: &&mut Call| call.waits && call.input.is_none() && call.tool == proposed.name;
        let Some(call) = self.0.iter_mut().rfind(waiting) else { return Vec::new() };
        (call.input, call.prompt) = (Some(proposed.input.clone()), prompt);
        vec![update(call.id, ToolCallUpdateFields::new().raw_input(proposed.input.clone()))]
    }

    /// A call waits for approval: what it would change.
    pub(super) fn previewed(&mut self, prompt: &UserPrompt) -> Vec<SessionUpdate> {
        let call = self.0.iter_mut().rfind(|call| call.prompt == Some(prompt.id));
        let (Some(call), Some(proposed), Some(preview)) =
            (call, &prompt.tool_call, &prompt.preview)
        else {
            return Vec::new();
        };
        let content = preview_content(preview, proposed);
        call.diff = Some(content.clone()).filter(|_| matches!(preview, Preview::Diff { .. }));
        let fields = ToolCallUpdateFields::new().kind(kind(Some(preview))).content(vec![content]);
        vec![update(call.id, fields)]
    }

    /// A prompt was closed: if a person changed the arguments, these are the ones that run.
    pub(super) fn closed(&mut self, closed: &PromptClosed) -> Vec<SessionUpdate> {
        let call = self.0.iter_mut().rfind(|call| call.prompt == Some(closed.id));
        let (Some(call), Some(allowed)) = (call, &closed.tool_call) else { return Vec::new() };
        let content = closed.preview.as_ref().map(|preview| preview_content(preview, allowed));
        call.diff = content.clone().filter(|content| matches!(content, ToolCallContent::Diff(_)));
        let fields = ToolCallUpdateFields::new()
            .raw_input(allowed.input.clone())
            .content(content.map(|content| vec![content]));
        vec![update(call.id, fields)]
    }

    /// A call ended with a result.
    pub(super) fn result(&mut self, message: &Message) -> Vec<SessionUpdate> {
        let Some(MessageData::ToolResult(result)) = &message.data else { return Vec::new() };
        let ToolResult { name, call_id, output, is_error, structured: _ } = result;
        let status = if *is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let mut updates = Vec::new();
        if !self.0.iter().any(|call| call.id == *call_id) {
            updates.push(self.begin(name, *call_id, false, ToolCallStatus::InProgress));
        }
        let text = match output {
            Value::String(text) => text.clone(),
            _ => message.content.clone(),
        };
        let call = self.0.iter().rfind(|call| call.id == *call_id);
        let diff = call.and_then(|call| call.diff.clone()).filter(|_| !is_error);
        let content = diff.into_iter().chain([ToolCallContent::from(text)]).collect::<Vec<_>>();
        let fields =
            ToolCallUpdateFields::new().status(status).content(content).raw_output(output.clone());
        updates.push(update(*call_id, fields));
        updates
    }

    fn begin(
        &mut self,
        tool: &str,
        id: CallId,
        waits: bool,
        status: ToolCallStatus,
    ) -> SessionUpdate {
        if self.0.len() >= MOST_CALLS {
            self.0.remove(0);
        }
        let tool = tool.to_owned();
        let shown = CallUpdate::new(call_id(id), tool.clone()).name(tool.clone()).status(status);
        self.0.push(Call { id, tool, waits, input: None, prompt: None, diff: None });
        SessionUpdate::ToolCall(shown)
    }
}

/// The id of a call, as the editor knows it.
pub(super) fn call_id(id: CallId) -> ToolCallId {
    ToolCallId::new(id.to_string())
}

/// What a call would change. The kind is `edit` if that is a text; nothing is guessed from
/// the name of a tool: an editor may allow what claims to read without asking.
pub(super) fn preview_content(preview: &Preview, call: &ToolCall) -> ToolCallContent {
    let json = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    match preview {
        Preview::Diff { old, new } => {
            let path = PATHS.iter().find_map(|name| call.input.get(*name)?.as_str());
            let path = path.unwrap_or(&call.name).to_owned();
            let new = new.clone().unwrap_or_default();
            ToolCallContent::Diff(Diff::new(path, new).old_text(old.clone()))
        }
        Preview::Record { old, new } => {
            let part = |title: &str, value: &Option<Value>| {
                let value = value.as_ref()?;
                Some(format!("{title}:\n\n```json\n{}\n```", json(value)))
            };
            let parts: Vec<String> =
                [part("Before", old), part("After", new)].into_iter().flatten().collect();
            ToolCallContent::from(parts.join("\n\n"))
        }
        Preview::List { items, count } => {
            let mut text = format!("Affected: {count}\n");
            items.iter().for_each(|item| text.push_str(&format!("\n- {item}")));
            if *count > items.len() as u64 {
                text.push_str("\n- …");
            }
            ToolCallContent::from(text)
        }
    }
}

/// The kind of a call, by its preview.
pub(super) fn kind(preview: Option<&Preview>) -> ToolKind {
    match preview {
        Some(Preview::Diff { .. }) => ToolKind::Edit,
        _ => ToolKind::Other,
    }
}

fn progress_text(progress: &ToolProgress) -> String {
    let ToolProgress { done, total, message } = progress;
    let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
    match message {
        Some(message) => format!("{message} ({done}{of})"),
        None => format!("{done}{of}"),
    }
}

fn update(id: CallId, fields: ToolCallUpdateFields) -> SessionUpdate {
    SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call_id(id), fields))
}
