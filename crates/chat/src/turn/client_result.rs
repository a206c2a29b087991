//! The result of a tool that the client has: an answer to a prompt for the client, a result like
//! any other for the model.

use parlor_agent::ContentBlock;
use parlor_storage::Prompt;
use serde_json::Value;

use super::call_end::AnsweredCall;
use super::effect::CallResult;
use super::inputs::without_secrets;
use super::running::RunningTurn;
use super::step::Input;
use crate::prompts::{Resolution, Subject, resolution, subject};

impl RunningTurn {
    /// What a client returned for its own tool is a result like any other: without secrets, and
    /// scanned before the model reads it.
    pub(super) async fn with_client_result<'a>(&self, input: Input<'a>) -> Input<'a> {
        let Input::PromptClosed { prompt, run: Some(run), tools } = input else { return input };
        let Some(content) = client_result(&prompt) else {
            return Input::PromptClosed { prompt, run: Some(run), tools };
        };
        let content = content.into_iter();
        let content: Vec<ContentBlock> =
            content.map(|block| without_secrets(&self.writer.sanitizer, block)).collect();
        let call = AnsweredCall {
            run,
            scan: self.scan(&content).await,
            result: CallResult { content, is_error: false },
            images: Vec::new(),
            extras: Box::default(),
            data_mark: self.data_mark(),
            read: false,
            edited: false,
        };
        Input::ClientAnswered { prompt, call: Box::new(call) }
    }
}

/// What the client returned for a call of its tool, if it did.
fn client_result(prompt: &Prompt) -> Option<Vec<ContentBlock>> {
    let Some(Subject::ClientCall) = subject(prompt) else { return None };
    match resolution(prompt)? {
        Resolution::Given { value: Value::String(text), .. } => {
            Some(vec![ContentBlock::text(text)])
        }
        Resolution::Given { value, .. } => Some(vec![ContentBlock::text(value.to_string())]),
        Resolution::Yes | Resolution::No(_) => None,
    }
}
