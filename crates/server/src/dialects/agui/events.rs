//! The events of AG-UI, as they are written. A field that is absent is never `null`.

use parlor_protocol::{CallId, MessageId};
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE", rename_all_fields = "camelCase")]
pub(super) enum Event<'a> {
    RunStarted {
        thread_id: &'a str,
        run_id: &'a str,
    },
    RunFinished {
        thread_id: &'a str,
        run_id: &'a str,
        outcome: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Value>,
    },
    RunError {
        message: &'a str,
        code: &'a str,
    },
    MessagesSnapshot {
        messages: Vec<Value>,
    },
    TextMessageStart {
        message_id: MessageId,
        role: &'static str,
    },
    TextMessageContent {
        message_id: MessageId,
        delta: &'a str,
    },
    TextMessageEnd {
        message_id: MessageId,
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<Value>,
    },
    ReasoningStart {
        message_id: MessageId,
    },
    ReasoningMessageStart {
        message_id: MessageId,
        role: &'static str,
    },
    ReasoningMessageContent {
        message_id: MessageId,
        delta: &'a str,
    },
    ReasoningMessageEnd {
        message_id: MessageId,
    },
    ReasoningEnd {
        message_id: MessageId,
    },
    ToolCallStart {
        tool_call_id: &'a str,
        tool_call_name: &'a str,
    },
    ToolCallArgs {
        tool_call_id: &'a str,
        delta: &'a str,
    },
    ToolCallEnd {
        tool_call_id: &'a str,
    },
    ToolCallResult {
        message_id: MessageId,
        tool_call_id: CallId,
        content: String,
        role: &'static str,
    },
    ActivitySnapshot {
        message_id: String,
        activity_type: &'a str,
        content: Value,
    },
    Custom {
        name: &'static str,
        value: Value,
    },
}
