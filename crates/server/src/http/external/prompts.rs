//! Answers of external clients, and the part of the log that follows them.

use parlor_chat::{Accepted, ChatError};
use parlor_protocol::{PromptAnswer, PromptId, PromptType};

use super::turn_response::Part;
use crate::app::App;
use crate::auth::Principal;
use crate::http::errors::ApiError;

/// One answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) prompt: PromptId,
    pub(super) answer: PromptAnswer,
}

/// How a prompt is answered.
pub(super) async fn prompt_type(
    app: &App,
    principal: &Principal,
    id: PromptId,
) -> Result<PromptType, ApiError> {
    let view = app.chat.prompt(&principal.caller, id).await?;
    Ok(view.prompt.get().prompt_type)
}

/// Takes answers, and returns what follows the end of the first prompt. A prompt that was closed
/// meanwhile, by somebody else or by the same answer, is no error.
pub(super) async fn answer(
    app: &App,
    principal: &Principal,
    answers: Vec<Answer>,
) -> Result<Part, ApiError> {
    let caller = &principal.caller;
    let mut first: Option<(Accepted, PromptId, i64)> = None;
    for Answer { prompt, answer } in answers {
        let opened_at = app.chat.prompt(caller, prompt).await?.opened_at.0;
        match app.chat.answer(caller, prompt, answer).await {
            Ok(_) | Err(ChatError::PromptClosed) => {}
            Err(error) => return Err(error.into()),
        }
        let is_first = first.as_ref().is_none_or(|(_, _, at)| opened_at < *at);
        if is_first {
            first = Some((app.chat.turn_of_prompt(caller, prompt).await?, prompt, opened_at));
        }
    }
    let (turn, prompt, _) = first.ok_or_else(|| ApiError::malformed("There is no answer."))?;
    Ok(Part { turn, after_prompt: Some(prompt) })
}
