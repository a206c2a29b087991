//! JSON-RPC 2.0, as the protocol uses it: one message on a line.

use serde_json::{Value, json};

/// Error code: there is no such method here.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;

/// A message of the agent.
#[derive(Debug)]
pub(super) enum Message<'l> {
    /// It wants an answer.
    Request { id: &'l Value, method: &'l str, params: &'l Value },
    /// It wants none.
    Notification { method: &'l str, params: &'l Value },
    /// The answer to our request with this number: a result, or an error.
    Response { id: u64, result: Result<&'l Value, &'l Value> },
    /// None of these.
    Other,
}

/// Reads a line.
pub(super) fn message(line: &Value) -> Message<'_> {
    let params = line.get("params").unwrap_or(&Value::Null);
    let id = line.get("id").filter(|id| !id.is_null());
    match (line.get("method").and_then(Value::as_str), id) {
        (Some(method), Some(id)) => Message::Request { id, method, params },
        (Some(method), None) => Message::Notification { method, params },
        (None, Some(id)) => match (id.as_u64(), line.get("error"), line.get("result")) {
            (Some(id), Some(error), _) if !error.is_null() => {
                Message::Response { id, result: Err(error) }
            }
            (Some(id), _, result) => {
                Message::Response { id, result: Ok(result.unwrap_or(&Value::Null)) }
            }
            (None, ..) => Message::Other,
        },
        (None, None) => Message::Other,
    }
}

/// A request to the agent.
pub(super) fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A message to the agent that wants no answer.
pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// The answer to a request of the agent.
pub(super) fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to a request of the agent that is not served.
pub(super) fn not_served(id: &Value) -> Value {
    let error = json!({"code": METHOD_NOT_FOUND, "message": "not supported here"});
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}
