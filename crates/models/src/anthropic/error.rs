//! What an error of the Anthropic Messages API means for us.
//!
//! Errors are told apart by their kind first and by their status second.

use parlor_agent::ModelError;
use serde::Deserialize;

use crate::http::vendor_error::{Refusal, VendorError};

/// The setting that holds the key.
pub(crate) const KEY_SETTING: &str = "ANTHROPIC_API_KEY";

/// What the API says about an error, in a stream or as a body.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WireError {
    /// Its kind.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Words for developers.
    pub(super) message: String,
}

/// An answer that is no stream.
pub(super) fn refused(refusal: Refusal<'_>) -> ModelError {
    #[derive(Deserialize)]
    struct Body {
        error: WireError,
    }
    let said = serde_json::from_slice(refusal.body).map(|body: Body| body.error);
    if refusal.status == 200 && said.is_err() {
        return ModelError::Malformed("its answer is not a stream of events".into());
    }
    let WireError { kind, message } = said.unwrap_or_default();
    let Refusal { status, retry_after, .. } = refusal;
    error(&VendorError { status, kind, message, retry_after })
}

/// An `error` event.
pub(super) fn mid_stream_error(said: WireError) -> ModelError {
    error(&VendorError { kind: said.kind, message: said.message, ..VendorError::default() })
}

fn error(said: &VendorError) -> ModelError {
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
