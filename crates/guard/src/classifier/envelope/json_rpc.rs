//! JSON-RPC: the Agent Client Protocol and the app server of Codex.

use serde_json::Value;

use super::{Said, acp, codex, error_words, form, text_of};

/// Reads a JSON-RPC message; nothing if it is none.
pub(super) fn read(value: &Value) -> Option<Said<'_>> {
    if let Some(method) = text_of(value, "method") {
        return Some(request(method, &value["params"]));
    }
    let answers = value.get("jsonrpc").is_some()
        || (value.get("id").is_some() && value.get("type").is_none());
    if !answers {
        return None;
    }
    match (value.get("error"), value.get("result")) {
        (Some(error), _) if !error.is_null() => {
            Some(Said::failed(error_words(error).unwrap_or_default()))
        }
        // How a request ended says nothing to a person.
        (_, Some(_)) => Some(Said::nothing()),
        _ => None,
    }
}

fn request<'v>(method: &str, params: &'v Value) -> Said<'v> {
    match method {
        "session/update" => acp::update(&params["update"]),
        "session/request_permission" => acp::permission(params),
        "elicitation/create" => form::read(params),
        _ => codex::notification(method, params),
    }
}
