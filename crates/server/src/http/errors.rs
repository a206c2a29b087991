//! Errors over HTTP. Only this file maps error codes to statuses. Internal failures are
//! logged here, once, and their details are not sent.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parlor_chat::ChatError;
use parlor_protocol::{ErrorBody, ErrorCode, ErrorEnvelope, FieldProblem, PromptId, SpentBudget};
use parlor_recipes::RecipeError;
use parlor_storage::StorageError;

use crate::limits::RateLimitError;
use crate::limits::connections::RETRY_AFTER;

/// An error response: `{"error": {"code", "message", …}}`.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: ErrorCode,
    message: Cow<'static, str>,
    retry_after: Option<u64>,
    prompt_id: Option<PromptId>,
    problems: Vec<FieldProblem>,
    budget: Option<SpentBudget>,
}

/// What a response refuses, for an edge that says it in another shape.
#[derive(Debug, Clone)]
pub(crate) struct Refusal(pub(crate) ErrorBody);

/// When to retry after too many parallel turns, in seconds.
const RETRY_TURN_AFTER: u64 = 5;

/// The status of a code.
fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::Malformed | ErrorCode::BadImage | ErrorCode::BadFile => StatusCode::BAD_REQUEST,
        ErrorCode::FileType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden | ErrorCode::NotApprover => StatusCode::FORBIDDEN,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::TurnRunning
        | ErrorCode::PromptOpen
        | ErrorCode::PromptClosed
        | ErrorCode::TitleTaken => StatusCode::CONFLICT,
        ErrorCode::Changed => StatusCode::PRECONDITION_FAILED,
        ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::InputBlocked
        | ErrorCode::InputEmpty
        | ErrorCode::InputTooLong
        | ErrorCode::InputMalformed
        | ErrorCode::AnswerInvalid => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::RateLimited | ErrorCode::BudgetExceeded => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::AgentFailed => StatusCode::BAD_GATEWAY,
        ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Whether the same request can succeed later.
fn is_transient(code: ErrorCode) -> bool {
    match code {
        ErrorCode::TurnRunning
        | ErrorCode::PromptOpen
        | ErrorCode::RateLimited
        | ErrorCode::BudgetExceeded
        | ErrorCode::AgentFailed
        | ErrorCode::Unavailable => true,
        ErrorCode::InputBlocked
        | ErrorCode::InputEmpty
        | ErrorCode::InputTooLong
        | ErrorCode::InputMalformed
        | ErrorCode::Malformed
        | ErrorCode::BadImage
        | ErrorCode::BadFile
        | ErrorCode::FileType
        | ErrorCode::Unauthorized
        | ErrorCode::Forbidden
        | ErrorCode::NotApprover
        | ErrorCode::NotFound
        | ErrorCode::PromptClosed
        | ErrorCode::AnswerInvalid
        | ErrorCode::TitleTaken
        | ErrorCode::Changed
        | ErrorCode::TooLarge
        | ErrorCode::Internal => false,
    }
}

impl ApiError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        let message = message.into();
        let (retry_after, prompt_id, problems, budget) = (None, None, Vec::new(), None);
        Self { status: status(code), code, message, retry_after, prompt_id, problems, budget }
    }

    pub(crate) fn malformed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::Malformed, message)
    }

    pub(crate) fn forbidden(message: &'static str) -> Self {
        Self::new(ErrorCode::Forbidden, message)
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(ErrorCode::Unauthorized, "Please log in, or send a valid key as X-API-Key.")
    }

    pub(crate) fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "There is no such thing.")
    }

    pub(crate) fn too_large(limit: usize) -> Self {
        let message = format!("The request is larger than {limit} bytes.");
        Self::new(ErrorCode::TooLarge, message)
    }

    pub(crate) fn wrong_method() -> Self {
        Self::malformed("This address does not take this method.")
            .with_status(StatusCode::METHOD_NOT_ALLOWED)
    }

    pub(crate) fn wrong_content_type(expected: &'static str) -> Self {
        let message = format!("The content type must be {expected}.");
        Self::malformed(message).with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    }

    pub(crate) fn too_slow() -> Self {
        Self::unavailable("The request took too long; please try again.")
    }

    pub(crate) fn slow_body() -> Self {
        let message = "The rest of the request did not come in time; please try again.";
        Self::new(ErrorCode::Unavailable, message).with_status(StatusCode::REQUEST_TIMEOUT)
    }

    pub(crate) fn too_many_connections() -> Self {
        let message = "There are too many connections; please try again in a moment.";
        let error = Self::new(ErrorCode::Unavailable, message);
        Self { retry_after: Some(RETRY_AFTER), ..error }
    }

    pub(crate) fn address_too_long(limit: usize) -> Self {
        let message = format!("The address is longer than {limit} bytes.");
        Self::new(ErrorCode::TooLarge, message).with_status(StatusCode::URI_TOO_LONG)
    }

    pub(crate) fn head_too_large(one: usize, all: usize) -> Self {
        let message =
            format!("A header is larger than {one} bytes, or all are larger than {all} bytes.");
        Self::new(ErrorCode::TooLarge, message)
            .with_status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)
    }

    pub(crate) fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        Self { retry_after: Some(5), ..Self::new(ErrorCode::Unavailable, message) }
    }

    pub(crate) fn retry_after(seconds: u64) -> Self {
        let message = format!("Too many requests; please wait {seconds} s.");
        Self { retry_after: Some(seconds), ..Self::new(ErrorCode::RateLimited, message) }
    }

    pub(crate) fn internal() -> Self {
        Self::new(ErrorCode::Internal, "Something failed on the server; its log says what.")
    }

    /// Whether an open prompt has to be answered first.
    pub(crate) fn is_prompt_open(&self) -> bool {
        self.code == ErrorCode::PromptOpen
    }

    /// Whether the same request can succeed later.
    pub(crate) fn is_transient(&self) -> bool {
        is_transient(self.code)
    }

    /// The body, without the status.
    pub(crate) fn into_body(self) -> ErrorBody {
        ErrorBody {
            code: self.code,
            message: self.message.into_owned(),
            retry_after: self.retry_after,
            prompt_id: self.prompt_id,
            problems: Some(self.problems).filter(|problems| !problems.is_empty()),
            budget: self.budget,
        }
    }

    fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }
}

impl From<ChatError> for ApiError {
    fn from(error: ChatError) -> Self {
        match error {
            ChatError::Refused(refusal) => Self::new(refusal.code, refusal.message),
            ChatError::NotFound => Self::not_found(),
            ChatError::Forbidden(why) => Self::forbidden(why),
            ChatError::NotApprover => Self::new(
                ErrorCode::NotApprover,
                "You may not answer this: its card says whose answer is needed.",
            ),
            ChatError::TurnRunning => {
                Self::new(ErrorCode::TurnRunning, "An answer is being written; wait or stop it.")
            }
            ChatError::TooManyTurns => Self {
                retry_after: Some(RETRY_TURN_AFTER),
                ..Self::new(
                    ErrorCode::RateLimited,
                    "Too many answers are being written at the same time; please wait a moment.",
                )
            },
            ChatError::BudgetExceeded(over) => Self {
                retry_after: Some(over.retry_after),
                budget: Some(over.budget),
                ..Self::new(ErrorCode::BudgetExceeded, over.message)
            },
            ChatError::PromptOpen(id) => Self {
                prompt_id: Some(id),
                ..Self::new(ErrorCode::PromptOpen, "A question waits for an answer.")
            },
            ChatError::PromptClosed => Self::new(
                ErrorCode::PromptClosed,
                "This question was answered, or its time was up.",
            ),
            ChatError::AnswerInvalid(error) => Self {
                problems: error.problems,
                ..Self::new(ErrorCode::AnswerInvalid, error.message)
            },
            ChatError::Malformed(why) => Self::malformed(why),
            ChatError::BadImage(why) => Self::new(ErrorCode::BadImage, why),
            ChatError::BadFile(why) => Self::new(ErrorCode::BadFile, why),
            ChatError::FileType(why) => Self::new(ErrorCode::FileType, why),
            ChatError::TooLarge(why) => Self::new(ErrorCode::TooLarge, why),
            ChatError::Unavailable(why) => Self::unavailable(why),
            ChatError::Internal => Self::internal(),
        }
    }
}

impl From<StorageError> for ApiError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::NotFound => Self::not_found(),
            error if error.is_transient() => {
                tracing::warn!(%error, "database unavailable");
                Self::unavailable("The database does not work right now; please try again.")
            }
            error => {
                tracing::error!(%error, "database error");
                Self::internal()
            }
        }
    }
}

impl From<RateLimitError> for ApiError {
    fn from(error: RateLimitError) -> Self {
        match error {
            RateLimitError::RetryAfter(seconds) => Self::retry_after(seconds),
            RateLimitError::Unavailable(error) => {
                tracing::warn!(%error, "failed to count a request against the rate limits");
                Self::unavailable("The database does not work right now; please try again.")
            }
        }
    }
}

impl From<RecipeError> for ApiError {
    fn from(error: RecipeError) -> Self {
        match error.code() {
            ErrorCode::Unauthorized => Self::unauthorized(),
            ErrorCode::Unavailable => {
                tracing::warn!(%error, "recipe database unavailable");
                Self::unavailable("The recipes do not work right now; please try again.")
            }
            ErrorCode::Internal => {
                tracing::error!(%error, "recipe database error");
                Self::internal()
            }
            code => Self::new(code, error.to_string()),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, retry_after) = (self.status, self.retry_after);
        let envelope = ErrorEnvelope { error: self.into_body() };
        let body = serde_json::to_vec(&envelope).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        response.extensions_mut().insert(Refusal(envelope.error));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
