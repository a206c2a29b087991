//! Values that both of OpenAI's protocols have, made from ours.

use parlor_protocol::{ErrorCode, PromptId};
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

/// The type and the code for a budget that is used up: what OpenAI's clients know, and do not
/// repeat by themselves.
pub(crate) const INSUFFICIENT_QUOTA: &str = "insufficient_quota";

/// A failure in the middle of an answer.
pub(super) fn error(code: &str, message: &str) -> Value {
    let (kind, code) = match code == ErrorCode::BudgetExceeded.as_str() {
        true => (INSUFFICIENT_QUOTA, INSUFFICIENT_QUOTA),
        false => ("server_error", code),
    };
    json!({"message": message, "type": kind, "param": null, "code": code})
}
