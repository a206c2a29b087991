//! What an editor sends, reachable for the fuzz targets. Nothing else uses it.

use agent_client_protocol_schema::v1::{Error, PromptRequest};
use parlor_protocol::{PromptAnswer, UserPrompt};
use serde::Deserialize as _;

use super::answers::Outcome;
use super::content::PersonMessage;
use super::json_rpc::{self, Incoming};
use super::reply::{self, Reply};
use super::{form, permission};

/// The line that a line is answered with, and the answers that it gives if it is the response
/// to a question about this prompt.
pub(crate) fn editor_line(
    line: &[u8],
    prompt: &UserPrompt,
) -> (Option<Vec<u8>>, Vec<PromptAnswer>) {
    let (sent, outcomes) = match json_rpc::parse(line) {
        Some(Incoming::Request { id, params, .. }) => {
            if let Ok(request) = PromptRequest::deserialize(&params) {
                let _refused = PersonMessage::from_blocks(request.prompt);
            }
            (Some(json_rpc::response(&id, Err(Error::method_not_found()))), Vec::new())
        }
        Some(Incoming::Invalid { id, error }) => {
            (Some(json_rpc::response(&id, Err(error))), Vec::new())
        }
        Some(Incoming::Response { outcome: Ok(result), .. }) if permission::fits(prompt) => {
            (None, vec![permission::outcome(&result)])
        }
        Some(Incoming::Response { outcome: Ok(result), .. }) => {
            (None, vec![form::outcome(prompt, &result)])
        }
        Some(Incoming::Response { .. } | Incoming::Notification { .. }) | None => {
            (None, Vec::new())
        }
    };
    let answers = outcomes.into_iter().filter_map(|outcome| match outcome {
        Outcome::Answer(answer) => Some(answer),
        Outcome::Dismissed | Outcome::Unanswered(_) => None,
    });
    (sent, answers.collect())
}

/// The answer that a message is to a question for which a turn waits.
pub(crate) fn editor_reply(message: &str, prompt: &UserPrompt) -> Option<PromptAnswer> {
    match reply::read(prompt, message, true) {
        Reply::Answer(answer) => Some(answer),
        Reply::Message | Reply::Unclear(_) => None,
    }
}
