//! Maps errors of the program to Parlor's own: its texts name the program, its vendor and settings.

use std::time::Duration;

use parlor_agent::{AgentError, AgentEvent, TurnOutcome};
use serde_json::Value;

use crate::api_error::api_error;
use crate::fields::{flag, number, said, text};

/// The setting of the program's API key, for the log.
const KEY: &str = "ANTHROPIC_API_KEY in agent.claude_code.env";

/// A stop reason: the model declined, and its message is withheld.
pub(super) const REFUSAL: &str = "refusal";
/// A terminal reason: the turn ended before a deferred call.
pub(super) const DEFERRED: &str = "tool_deferred";

/// The outcome of a turn, from its last line.
pub(super) fn end(line: &Value, interrupted: bool) -> TurnOutcome {
    let why = text(line, "terminal_reason");
    if why.starts_with("aborted") || (interrupted && why == DEFERRED) {
        return TurnOutcome::Stopped;
    }
    let failed = flag(line, "is_error") || text(line, "subtype").starts_with("error");
    match text(line, "stop_reason") {
        _ if failed && interrupted => TurnOutcome::Stopped,
        // The program reports it as an API error without a status.
        REFUSAL => TurnOutcome::Failed(AgentError::Declined),
        // It reached the limit of output tokens: the answer is kept, and can be continued.
        _ if failed && text(line, "api_error") == "max_output_tokens" => {
            TurnOutcome::Complete { cut_off: true }
        }
        _ if failed => TurnOutcome::Failed(error(line)),
        "max_tokens" => TurnOutcome::Complete { cut_off: true },
        _ => TurnOutcome::Complete { cut_off: false },
    }
}

/// The program retries a request to the model.
pub(super) fn retrying(line: &Value) -> AgentEvent {
    let status = number(line, "error_status");
    let attempt = u32::try_from(number(line, "attempt")).unwrap_or(u32::MAX);
    let after = Duration::from_millis(number(line, "retry_delay_ms"));
    AgentEvent::Retrying { after, attempt, error: api_error(status, text(line, "error"), "", KEY) }
}

fn error(line: &Value) -> AgentError {
    let words = said(line, "result").map(str::to_owned).unwrap_or_else(|| its_errors(line));
    let status = number(line, "api_error_status");
    let kind = [text(line, "api_error_type"), text(line, "api_error")].concat();
    if status > 0 || !kind.is_empty() || text(line, "terminal_reason") == "api_error" {
        return AgentError::Model(api_error(status, &kind, &words, KEY));
    }
    AgentError::Reported(format!("{}: {words}", text(line, "subtype")))
}

fn its_errors(line: &Value) -> String {
    let errors = line.get("errors").and_then(Value::as_array).into_iter().flatten();
    errors.filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
}
