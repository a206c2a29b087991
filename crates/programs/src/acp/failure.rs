//! Maps how an agent ends a prompt to Parlor's own outcomes: its texts name the program, its
//! vendor and settings.

use agent_client_protocol_schema::v1::{PromptResponse, StopReason};
use parlor_agent::{AgentError, TurnOutcome};
use serde::Deserialize as _;
use serde_json::Value;

use crate::api_error::api_error;
use crate::fields::{said, text};

/// The setting of the agent's API key, for the log.
const KEY: &str = "the key in agent.acp.env";
/// Error code: the agent has no account or key.
const AUTH_REQUIRED: i64 = -32000;

/// The outcome of a prompt that was answered.
pub(super) fn end(response: &Value, interrupted: bool) -> TurnOutcome {
    let reason = PromptResponse::deserialize(response).map(|response| response.stop_reason);
    match reason {
        _ if interrupted => TurnOutcome::Stopped,
        Ok(StopReason::MaxTokens | StopReason::MaxTurnRequests) => {
            TurnOutcome::Complete { cut_off: true }
        }
        Ok(StopReason::Refusal) => TurnOutcome::Failed(AgentError::Declined),
        // It ends the turn itself after a refused call.
        Ok(_) | Err(_) => TurnOutcome::Complete { cut_off: false },
    }
}

/// Whether an agent wants a login first.
pub(super) fn wants_login(error: &Value) -> bool {
    error.get("code").and_then(Value::as_i64) == Some(AUTH_REQUIRED)
}

/// The error of a prompt.
pub(super) fn of_prompt(error: &Value) -> AgentError {
    let words = words(error);
    if wants_login(error) {
        return AgentError::NotStarted(format!("it is not logged in: {words}"));
    }
    match status_in(&words) {
        Some(status) => AgentError::Model(api_error(status, "", &words, KEY)),
        None => AgentError::Reported(words),
    }
}

/// The error of a request before the first prompt.
pub(super) fn of_start(what: &str, error: &Value) -> AgentError {
    AgentError::NotStarted(format!("{what} failed: {}", words(error)))
}

/// What an error says: some agents have it beside the message.
pub(super) fn words(error: &Value) -> String {
    let data = &error["data"];
    let details = said(data, "details").or_else(|| said(data, "message"));
    let details = details.or_else(|| data.as_str()).filter(|details| !details.trim().is_empty());
    match details {
        Some(details) if !text(error, "message").contains(details) => {
            format!("{}: {details}", text(error, "message"))
        }
        _ => text(error, "message").to_owned(),
    }
}

/// The status of HTTP that a text names.
fn status_in(words: &str) -> Option<u64> {
    let numbers = words.split(|c: char| !c.is_ascii_alphanumeric());
    numbers.filter_map(|word| word.parse().ok()).find(|number| (400..=599).contains(number))
}

#[cfg(test)]
mod tests {
    use parlor_agent::ModelError;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_of_the_model_is_recognised() {
        let error = json!({"code": -32603,
            "message": "Internal error: API Error: 429 messages: too many"});
        let rate_limited = AgentError::Model(ModelError::RateLimited { retry_after: None });
        assert_eq!(of_prompt(&error), rate_limited);
        let error = json!({"code": -32603, "message": "Internal error",
            "data": {"details": "No previous sessions found for this project."}});
        let AgentError::Reported(words) = of_prompt(&error) else { panic!("{error}") };
        assert_eq!(words, "Internal error: No previous sessions found for this project.");
        let error = json!({"code": -32000, "message": "Authentication required"});
        assert!(matches!(of_prompt(&error), AgentError::NotStarted(_)));
    }
}
