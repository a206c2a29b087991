//! What an error of a chat completions server means for us.
//!
//! OpenAI says it in `error`, with a code and a type. Others leave these out, give
//! the HTTP status as the code (a number, or in quotes), put everything at the
//! top, or say only a sentence; OpenRouter quotes the server behind it in
//! `metadata`. Errors are told apart by their code or type first, by telling words
//! where there is neither, and by their status last.

use parlor_agent::ModelError;
use serde_json::Value;

use crate::http::vendor_error::{Refusal, VendorError};

/// The setting that holds the key.
pub(crate) const KEY_SETTING: &str = "OPENAI_API_KEY";

/// How servers without a code for it say that there is no such model.
const NO_MODEL: [&str; 3] = ["not a valid model", "invalid model name", "model not exist"];

/// An answer that is no stream.
pub(super) fn refused(refusal: Refusal<'_>) -> ModelError {
    let body: Option<Value> = serde_json::from_slice(refusal.body).ok();
    let said = body.as_ref().and_then(complaint);
    if refusal.status == 200 {
        // Some servers fail with a good status; others do not stream at all.
        return said.as_ref().map_or_else(
            || ModelError::Malformed("its answer is not a stream of events".into()),
            mid_stream,
        );
    }
    let Refusal { status, retry_after, .. } = refusal;
    let said = VendorError { status, retry_after, ..said.unwrap_or_default() };
    said.meaning(meant(&said), KEY_SETTING)
}

/// An error in the middle of an answer; `None` if it is none.
pub(super) fn mid_stream_error(event: &Value) -> Option<ModelError> {
    complaint(event).as_ref().map(mid_stream)
}

/// Without a status that says otherwise, the answer broke off: unlike a failure
/// by its status this keeps the words, which may be all there is to find out why.
fn mid_stream(said: &VendorError) -> ModelError {
    let status = meant(said);
    let said = VendorError { status: 0, ..said.clone() };
    match status {
        300..=407 | 410..=499 | 503 | 529 => said.meaning(status, KEY_SETTING),
        _ => ModelError::Interrupted(said.quote()),
    }
}

/// The HTTP status that an error stands for.
fn meant(said: &VendorError) -> u16 {
    match said.kind.as_str() {
        "invalid_api_key" | "authentication_error" => 401,
        "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" => 402,
        "model_not_found" => 404,
        "context_length_exceeded" | "exceed_context_size_error" => 413,
        "rate_limit_exceeded" | "rate_limit_error" => 429,
        _ if !matches!(said.status, 0 | 200 | 400 | 422 | 500) => said.status,
        _ if said.is_about_length() => 413,
        _ if said.says(&NO_MODEL) => 404,
        _ => said.status,
    }
}

/// What a body or an event says about an error, if it does.
fn complaint(body: &Value) -> Option<VendorError> {
    let body = body.get(0).unwrap_or(body);
    let said = match body.get("error") {
        Some(Value::Null) | None if is_bare(body) => body,
        Some(Value::Null) | None => return None,
        Some(said) => said,
    };
    let code = said["code"].as_str();
    let number = code.and_then(|code| code.parse().ok()).or(said["code"].as_u64());
    let kind = code.filter(|_| number.is_none()).or(said["type"].as_str()).unwrap_or_default();
    Some(VendorError {
        status: number.and_then(|number| u16::try_from(number).ok()).unwrap_or_default(),
        kind: kind.to_owned(),
        message: message(said),
        retry_after: None,
    })
}

/// Whether an error stands at the top, as older versions of vLLM and most
/// frameworks write it.
fn is_bare(body: &Value) -> bool {
    body["object"] == "error" || body["detail"].is_string() || body["detail"].is_array()
}

fn message(said: &Value) -> String {
    let detail = &said["detail"];
    let message = said.as_str().or(said["message"].as_str()).or(detail.as_str());
    let message = message.map_or_else(
        || if detail.is_array() { detail.to_string() } else { String::new() },
        str::to_owned,
    );
    match said["metadata"]["raw"].as_str() {
        Some(behind) if !behind.is_empty() => format!("{message}: {behind}"),
        _ => message,
    }
}
