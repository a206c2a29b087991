//! What an error of the Anthropic Messages API means for us.
//!
//! An error comes as an HTTP status with a body, or as an event of a stream
//! that had begun well. Both are told apart by their kind first and by their
//! status second: gateways in between keep the one and lose the other.

use std::time::Duration;

use serde::Deserialize;

use super::LlmError;
use super::anthropic_wire::WireError;

/// The setting that holds the key.
pub(crate) const KEY_SETTING: &str = "ANTHROPIC_API_KEY";

/// The most that is quoted of a vendor's words.
const LONGEST_QUOTE: usize = 500;

/// An answer with another status than 200.
pub(super) fn http_error(status: u16, body: &[u8], retry_after: Option<Duration>) -> LlmError {
    #[derive(Deserialize)]
    struct Body {
        error: WireError,
    }
    let said = serde_json::from_slice(body).map(|body: Body| body.error).unwrap_or_default();
    error(status, said, retry_after)
}

/// An `error` event.
pub(super) fn mid_stream_error(said: WireError) -> LlmError {
    error(0, said, None)
}

/// The seconds of a `retry-after` header. Dates are not used by the vendor.
pub(super) fn retry_after(header: &str) -> Option<Duration> {
    header.trim().parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

fn error(status: u16, said: WireError, retry_after: Option<Duration>) -> LlmError {
    let quote = quote(status, &said);
    match (said.kind.as_str(), status) {
        ("authentication_error", _) | (_, 401) => LlmError::WrongKey { setting: KEY_SETTING },
        ("billing_error", _) | (_, 402) => LlmError::NoCredit(quote),
        ("permission_error", _) | (_, 403) => LlmError::NotPermitted(quote),
        ("not_found_error", _) | (_, 404) => LlmError::UnknownModel(quote),
        ("request_too_large", _) | (_, 413) => LlmError::ContextTooLong(quote),
        ("rate_limit_error", _) | (_, 429) => LlmError::RateLimited { retry_after },
        ("overloaded_error", _) | (_, 529 | 503) => LlmError::Overloaded { retry_after },
        ("api_error" | "timeout_error", 0) => LlmError::ServerFailed { status: 500, retry_after },
        (_, 408 | 409 | 500..) => LlmError::ServerFailed { status, retry_after },
        // These two have no kind of their own.
        _ if said.message.contains("credit balance") => LlmError::NoCredit(quote),
        _ if said.message.contains("too long") => LlmError::ContextTooLong(quote),
        (_, 300..=399) => LlmError::Malformed(format!("it redirects (status {status})")),
        _ => LlmError::BadRequest(quote),
    }
}

/// The vendor's words for the log: bounded, on one line.
fn quote(status: u16, said: &WireError) -> String {
    let words: String = said
        .message
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST_QUOTE)
        .collect();
    match (status, words.is_empty()) {
        (0, false) => words,
        (0, true) => format!("it said only {:?}", said.kind),
        (_, false) => format!("{words} (status {status})"),
        (_, true) => format!("status {status}"),
    }
}
