//! Values that both of OpenAI's protocols have, made from ours.

use parlor_protocol::PromptId;
use serde_json::{Value, json};
use uuid::Uuid;

/// What a call of the client's own tool is named.
const CALL: &str = "call_";

/// The name of a call of the client's own tool: that of its prompt.
pub(crate) fn call_name(prompt: PromptId) -> String {
    format!("{CALL}{prompt}")
}

/// The prompt of a call of the client's own tool.
pub(crate) fn called(name: &str) -> Option<PromptId> {
    name.strip_prefix(CALL)?.parse().ok()
}

/// When something was made, in seconds, by its id.
pub(super) fn created_at(id: &Uuid) -> i64 {
    let made = id.get_timestamp().map(|made| made.to_unix().0);
    made.and_then(|seconds| i64::try_from(seconds).ok()).unwrap_or(0)
}

/// A failure in the middle of an answer.
pub(super) fn error(code: &str, message: &str) -> Value {
    json!({"message": message, "type": "server_error", "param": null, "code": code})
}
