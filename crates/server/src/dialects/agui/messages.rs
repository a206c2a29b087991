//! The messages of a conversation as AG-UI has them, for a client that has none.

use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{MessageType, PromptId, PromptType, Role, metadata};
use parlor_storage::{ConversationView, PromptView};
use serde_json::{Value, json};

/// All messages of the current path, in order.
pub(super) fn all(view: &ConversationView) -> Vec<Value> {
    view.messages_of_path().filter_map(|message| one(message.get(), &view.prompts)).collect()
}

/// What a client can know of a message beside its text.
pub(super) fn facts(message: &Message) -> Value {
    let mut facts = json!({"message_type": message.message_type});
    if let Some(data) = &message.data {
        facts["data"] = json!(data);
    }
    if let Some(options) = &message.options {
        facts["options"] = json!(options);
    }
    facts
}

/// The output of a tool as text.
pub(super) fn result_text(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn one(message: &Message, prompts: &[PromptView]) -> Option<Value> {
    let id = message.id;
    Some(match (&message.role, &message.message_type, &message.data) {
        (Role::User, ..) => json!({"id": id, "role": "user", "content": message.content}),
        (Role::Tool, _, Some(MessageData::ToolResult(result))) => json!({
            "id": id,
            "role": "tool",
            "toolCallId": call_name(result.call_id.to_string(), prompts),
            "content": result_text(&result.output),
        }),
        (Role::Tool, ..) => return None,
        (_, MessageType::Thinking, _) => {
            json!({"id": id, "role": "reasoning", "content": message.content})
        }
        (_, _, Some(MessageData::ToolCall(call))) => {
            let prompt = metadata::PROMPT_ID.get(&message.metadata);
            let view = prompt.and_then(|id| find(prompts, id))?;
            let call_id = view.prompt.get().call_id?;
            let function = json!({"name": call.name, "arguments": call.input.to_string()});
            let call_id = call_name(call_id.to_string(), prompts);
            json!({
                "id": id,
                "role": "assistant",
                "toolCalls": [{"id": call_id, "type": "function", "function": function}],
            })
        }
        _ => json!({
            "id": id,
            "role": "assistant",
            "content": message.content,
            "metadata": facts(message),
        }),
    })
}

/// A call of the client's own tool is named by its prompt.
fn call_name(call: String, prompts: &[PromptView]) -> String {
    let mut of_client = prompts.iter().map(|view| view.prompt.get());
    let prompt = of_client.find(|prompt| {
        prompt.prompt_type == PromptType::ClientCall
            && prompt.call_id.is_some_and(|id| id.to_string() == call)
    });
    prompt.map_or(call, |prompt| prompt.id.to_string())
}

fn find(prompts: &[PromptView], id: PromptId) -> Option<&PromptView> {
    prompts.iter().find(|view| view.prompt.get().id == id)
}
