//! Refusals in OpenAI's shape: `{"error": {"message", "type", "param", "code"}}`.
//!
//! Whatever refuses a request below `/v1` says it as the rest of the server does; the edge puts it
//! into this shape ([`reshaped`]). A handler that knows the parameter, or a code that OpenAI's
//! clients know, says so itself ([`OpenAiError`]).

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parlor_chat::ChatError;
use parlor_protocol::{ErrorBody, ErrorCode};
use parlor_storage::StorageError;
use serde_json::{Value, json};

use crate::dialects::openai_values::INSUFFICIENT_QUOTA;
use crate::http::errors::{ApiError, Refusal};

/// Set to `false`, OpenAI's clients do not repeat a request.
const SHOULD_RETRY: &str = "x-should-retry";

/// A refusal with what OpenAI's clients know of it.
#[derive(Debug)]
pub(crate) struct OpenAiError {
    error: Box<ApiError>,
    code: Option<&'static str>,
    param: Option<&'static str>,
    /// Whether the same request can never get another answer.
    is_final: bool,
}

impl OpenAiError {
    /// A request that is refused because of a parameter.
    pub(super) fn invalid(
        code: &'static str,
        param: Option<&'static str>,
        message: impl Into<String>,
    ) -> Self {
        let error = ApiError::malformed(message.into());
        Self { code: Some(code), param, ..Self::from(error) }
    }

    /// A parameter that is not what it must be.
    pub(super) fn param(param: &'static str, message: impl Into<String>) -> Self {
        Self { param: Some(param), ..Self::from(ApiError::malformed(message.into())) }
    }

    /// The same, about a parameter.
    pub(super) fn of(self, param: &'static str) -> Self {
        Self { param: Some(param), ..self }
    }

    /// A turn that failed: the same request would show the same failure.
    pub(super) fn failed(code: ErrorCode, message: String) -> Self {
        Self { is_final: true, ..Self::from(ApiError::new(code, message)) }
    }
}

impl From<ApiError> for OpenAiError {
    fn from(error: ApiError) -> Self {
        Self { error: Box::new(error), code: None, param: None, is_final: false }
    }
}

impl From<ChatError> for OpenAiError {
    fn from(error: ChatError) -> Self {
        ApiError::from(error).into()
    }
}

impl From<StorageError> for OpenAiError {
    fn from(error: StorageError) -> Self {
        ApiError::from(error).into()
    }
}

impl IntoResponse for OpenAiError {
    fn into_response(self) -> Response {
        let Self { error, code, param, is_final } = self;
        let response = error.into_response();
        let Some(Refusal(body)) = response.extensions().get::<Refusal>().cloned() else {
            return response;
        };
        shaped(response, &body, code, param, is_final)
    }
}

/// A refusal of anything else, in OpenAI's shape.
pub(crate) fn reshaped(mut response: Response) -> Response {
    match response.extensions_mut().remove::<Refusal>() {
        Some(Refusal(body)) => shaped(response, &body, None, None, false),
        None => response,
    }
}

fn shaped(
    response: Response,
    body: &ErrorBody,
    code: Option<&'static str>,
    param: Option<&'static str>,
    is_final: bool,
) -> Response {
    let (mut head, _) = response.into_parts();
    head.extensions.remove::<Refusal>();
    if head.status == StatusCode::UNPROCESSABLE_ENTITY {
        head.status = StatusCode::BAD_REQUEST;
    }
    let is_spent = body.code == ErrorCode::BudgetExceeded;
    if is_final || is_spent || head.status == StatusCode::CONFLICT {
        head.headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
    }
    without_length(&mut head.headers);
    let mut error = object(&body.message, head.status, code.unwrap_or(body.code.as_str()));
    error["param"] = json!(param);
    if is_spent {
        (error["type"], error["code"]) = (json!(INSUFFICIENT_QUOTA), json!(INSUFFICIENT_QUOTA));
    }
    if let Some(prompt) = body.prompt_id {
        error["prompt_id"] = json!(prompt);
    }
    Response::from_parts(head, Body::from(json!({"error": error}).to_string()))
}

fn without_length(headers: &mut HeaderMap) {
    headers.remove(header::CONTENT_LENGTH);
}

fn object(message: &str, status: StatusCode, code: &str) -> Value {
    let kind = match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_server_error() => "server_error",
        _ => "invalid_request_error",
    };
    json!({"message": message, "type": kind, "param": null, "code": code})
}
