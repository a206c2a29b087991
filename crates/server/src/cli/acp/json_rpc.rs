//! JSON-RPC in lines: what an editor sent, and what it is sent. Pure.
//!
//! A line is a request, a notification, or the response to a request of ours. Whatever else
//! it is, it gets an error and nothing else happens.

use agent_client_protocol_schema::v1::Error;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What a line holds.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// It wants a response with the same id.
    Request { id: Value, method: String, params: Value },
    /// It wants none.
    Notification { method: String, params: Value },
    /// The response to a request of ours.
    Response { id: Value, outcome: Result<Value, RpcError> },
    /// It is none of these; the error is to be sent back.
    Invalid { id: Value, error: Error },
}

/// The error that an editor answers a request with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
}

/// Reads a line; `None` if it is blank.
pub(super) fn parse(line: &[u8]) -> Option<Incoming> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let invalid = |id: Value, why: &str| {
        Some(Incoming::Invalid { id, error: Error::invalid_request().data(json!(why)) })
    };
    let mut message = match serde_json::from_slice::<Value>(line) {
        Ok(Value::Object(message)) => message,
        Ok(_) => return invalid(Value::Null, "a message is a JSON object"),
        Err(error) => {
            let error = Error::parse_error().data(json!(error.to_string()));
            return Some(Incoming::Invalid { id: Value::Null, error });
        }
    };
    let id = message.remove("id");
    if !id.as_ref().is_none_or(is_id) {
        return invalid(Value::Null, "an id is a text or a whole number");
    }
    match (message.remove("method"), id) {
        (Some(Value::String(method)), id) => {
            let params = message.remove("params").unwrap_or_default();
            Some(match id {
                Some(id) => Incoming::Request { id, method, params },
                None => Incoming::Notification { method, params },
            })
        }
        (None, Some(id)) if message.contains_key("result") || message.contains_key("error") => {
            Some(Incoming::Response { id, outcome: outcome(message) })
        }
        (_, id) => invalid(id.unwrap_or_default(), "a message has a method, a result or an error"),
    }
}

/// The line of a response.
pub(super) fn response(id: &Value, outcome: Result<Value, Error>) -> Vec<u8> {
    line(&match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    })
}

/// The line of a request.
pub(super) fn request(id: i64, method: &str, params: &impl Serialize) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": value(params)}))
}

/// The line of a notification.
pub(super) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "method": method, "params": value(params)}))
}

/// The types of the protocol always serialize.
pub(super) fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

/// Without an end. JSON has no bare line breaks.
fn line(message: &Value) -> Vec<u8> {
    message.to_string().into_bytes()
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64() || id.is_null()
}

fn outcome(mut message: Map<String, Value>) -> Result<Value, RpcError> {
    let Some(error) = message.remove("error").filter(|error| !error.is_null()) else {
        return Ok(message.remove("result").unwrap_or_default());
    };
    let text = error.get("message").and_then(Value::as_str);
    Err(RpcError {
        code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
        message: text.unwrap_or("it gave no reason").to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Incoming {
        parse(line.as_bytes()).unwrap()
    }

    /// B-5: ids are texts or whole numbers, and are kept as they came.
    #[test]
    fn requests_notifications_and_responses_are_told_apart() {
        for id in [json!("init-1"), json!(7), json!(-7), json!(0), Value::Null] {
            let line = json!({"jsonrpc": "2.0", "id": id, "method": "m", "params": {"a": 1}});
            let (method, params) = ("m".to_owned(), json!({"a": 1}));
            assert_eq!(parsed(&line.to_string()), Incoming::Request { id, method, params });
        }
        let (method, params) = ("m".to_owned(), Value::Null);
        assert_eq!(parsed(r#"{"method": "m"}"#), Incoming::Notification { method, params });
        let result = parsed(r#"{"id": 1, "result": null}"#);
        assert_eq!(result, Incoming::Response { id: json!(1), outcome: Ok(Value::Null) });
        let Incoming::Response { outcome: Err(error), .. } =
            parsed(r#"{"id": 1, "error": {"code": -32601, "message": "no such method"}}"#)
        else {
            panic!("it is an error")
        };
        assert_eq!(error.to_string(), "no such method (-32601)");
        assert_eq!(parse(b" \r\n"), None);
    }

    /// B-5: whatever else comes gets an error, with its id if it has one.
    #[test]
    fn anything_else_is_invalid() {
        for (line, expected, code) in [
            ("{nonsense", Value::Null, -32700),
            ("\"\u{1}", Value::Null, -32700),
            ("[]", Value::Null, -32600),
            ("1", Value::Null, -32600),
            (r#"{"id": 1.5, "method": "m"}"#, Value::Null, -32600),
            (r#"{"id": {}, "method": "m"}"#, Value::Null, -32600),
            (r#"{"id": "a"}"#, json!("a"), -32600),
            (r#"{"id": 3, "method": 4}"#, json!(3), -32600),
            ("{}", Value::Null, -32600),
        ] {
            let Incoming::Invalid { id, error } = parsed(line) else { panic!("{line}") };
            assert_eq!((id, i32::from(error.code)), (expected, code), "{line}");
        }
        let Incoming::Invalid { error, .. } = parse(b"\xff").unwrap() else { panic!("no UTF-8") };
        assert_eq!(i32::from(error.code), -32700);
    }
}
