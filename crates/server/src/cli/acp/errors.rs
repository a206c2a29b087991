//! What an editor is told when something is refused or fails: a JSON-RPC error with a
//! sentence for the person, and the code of Parlor in `data`.

use agent_client_protocol_schema::v1::Error;
use parlor_protocol::{ErrorBody, ErrorCode};
use serde_json::json;

use super::client::ClientError;

/// The error for a request that had no success.
pub(super) fn of_client(error: &ClientError) -> Error {
    match error {
        ClientError::Refused(body) => refused(body),
        ClientError::Unauthorized => {
            with_message(Error::auth_required(), error.to_string(), "unauthorized")
        }
        ClientError::Unreachable { .. } => {
            with_message(Error::internal_error(), error.to_string(), "unavailable")
        }
        ClientError::NotParlor { .. } => {
            with_message(Error::internal_error(), error.to_string(), "internal")
        }
    }
}

/// Parameters that are not what the method takes.
pub(super) fn invalid(why: impl Into<String>) -> Error {
    with_message(Error::invalid_params(), why.into(), ErrorCode::Malformed.as_str())
}

/// A conversation that is not there, or not open.
pub(super) fn no_session(id: &str) -> Error {
    let message = format!("There is no session '{id}' in this project.");
    let mut error = Error::session_not_found(id.to_owned());
    error.message = message;
    error
}

/// A message while another one is being answered.
pub(super) fn turn_running() -> Error {
    let message = "An answer is being written; wait or cancel it.".to_owned();
    with_message(Error::internal_error(), message, ErrorCode::TurnRunning.as_str())
}

/// A message that was not sent, because a question has to be answered first.
pub(super) fn prompt_open() -> Error {
    let message = "The message was not sent: a question waits for an answer.".to_owned();
    with_message(Error::internal_error(), message, ErrorCode::PromptOpen.as_str())
}

fn refused(body: &ErrorBody) -> Error {
    let base = match body.code {
        ErrorCode::NotFound => Error::resource_not_found(None),
        ErrorCode::Unauthorized => Error::auth_required(),
        ErrorCode::InputBlocked
        | ErrorCode::InputEmpty
        | ErrorCode::InputTooLong
        | ErrorCode::InputMalformed
        | ErrorCode::Malformed
        | ErrorCode::BadImage
        | ErrorCode::BadFile
        | ErrorCode::FileType
        | ErrorCode::AnswerInvalid
        | ErrorCode::TooLarge => Error::invalid_params(),
        ErrorCode::Forbidden
        | ErrorCode::NotApprover
        | ErrorCode::TurnRunning
        | ErrorCode::PromptOpen
        | ErrorCode::PromptClosed
        | ErrorCode::TitleTaken
        | ErrorCode::Changed
        | ErrorCode::RateLimited
        | ErrorCode::BudgetExceeded
        | ErrorCode::AgentFailed
        | ErrorCode::Unavailable
        | ErrorCode::Internal => Error::internal_error(),
    };
    let mut error = base.data(json!(body));
    error.message.clone_from(&body.message);
    error
}

fn with_message(error: Error, message: String, code: &str) -> Error {
    let mut error = error.data(json!({"code": code, "message": message}));
    error.message = message;
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B-5: an error says what to do, and keeps the code that programs know.
    #[test]
    fn an_error_keeps_its_code_and_its_sentence() {
        let body = ErrorBody {
            code: ErrorCode::RateLimited,
            message: "Too many requests; please wait 3 s.".into(),
            retry_after: Some(3),
            prompt_id: None,
            problems: None,
            budget: None,
        };
        let error = of_client(&ClientError::Refused(Box::new(body)));
        assert_eq!(
            (i32::from(error.code), error.message.as_str()),
            (-32603, "Too many requests; please wait 3 s.")
        );
        let data = error.data.unwrap();
        assert_eq!((&data["code"], &data["retry_after"]), (&json!("rate_limited"), &json!(3)));
        let error = of_client(&ClientError::Unauthorized);
        assert_eq!(i32::from(error.code), -32000);
        assert!(error.message.contains("PARLOR_API_KEY"), "{}", error.message);
    }
}
