//! What an error of the Anthropic Messages API means for us.
//!
//! Errors are told apart by their kind first and by their status second.

use serde::Deserialize;

use super::LlmError;
use super::anthropic_wire::WireError;
use super::complaint::{Complaint, Refusal};

/// The setting that holds the key.
pub(crate) const KEY_SETTING: &str = "ANTHROPIC_API_KEY";

/// An answer that is no stream.
pub(super) fn refused(refusal: Refusal<'_>) -> LlmError {
    #[derive(Deserialize)]
    struct Body {
        error: WireError,
    }
    let said = serde_json::from_slice(refusal.body).map(|body: Body| body.error);
    if refusal.status == 200 && said.is_err() {
        return LlmError::Malformed("its answer is not a stream of events".into());
    }
    let WireError { kind, message } = said.unwrap_or_default();
    let Refusal { status, retry_after, .. } = refusal;
    error(&Complaint { status, kind, message, retry_after })
}

/// An `error` event.
pub(super) fn mid_stream_error(said: WireError) -> LlmError {
    error(&Complaint { kind: said.kind, message: said.message, ..Complaint::default() })
}

fn error(said: &Complaint) -> LlmError {
    // These have no kind of their own.
    let unnamed = matches!(said.status, 0 | 200 | 400 | 422 | 500);
    let status = match said.kind.as_str() {
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "overloaded_error" => 529,
        "api_error" | "timeout_error" if said.status == 0 => 500,
        _ if unnamed && said.says(&["credit balance"]) => 402,
        _ if unnamed && said.is_about_length() => 413,
        _ => said.status,
    };
    said.meaning(status, KEY_SETTING)
}
