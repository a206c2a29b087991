//! What a client asks for: a message, a stop, an answer to a prompt. It is read
//! into the types of `protocol`, and done as it would be done over HTTP.

use parlor_protocol::{ChatRequest, ClientFrame, PromptAnswer, PromptId};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::timeout;

use super::room::Room;
use crate::dialects::ws::About;
use crate::http::errors::ApiError;
use crate::http::{body, chat};

impl Room {
    /// Does what a frame asks for. What happens then comes with the
    /// conversation; only a refusal is answered, with this frame.
    pub(super) async fn take(&mut self, text: &str) -> Result<(), String> {
        self.app.access.sessions.used(&self.visitor.session);
        let frame = read(text).map_err(|error| self.refusal(error, &About::Nothing))?;
        let about = about(&frame);
        let limit = self.app.config.server.limits.request_timeout;
        let done = timeout(limit, self.perform(frame)).await;
        done.unwrap_or_else(|_| Err(ApiError::too_slow()))
            .map_err(|error| self.refusal(error, &about))
    }

    async fn perform(&mut self, frame: ClientFrame) -> Result<(), ApiError> {
        match frame {
            ClientFrame::Message(request) => self.send(*request).await,
            ClientFrame::Stop => self.stop().await,
            ClientFrame::PromptResponse { id, answer } => self.answer(id, answer).await,
            ClientFrame::PromptExtend { id, seconds } => {
                self.app.chat.extend(&self.visitor.caller, id, seconds).await?;
                Ok(())
            }
        }
    }

    /// A message belongs to the conversation that it names, else to the one that
    /// is followed, else to a new one; and that one is followed from then on.
    async fn send(&mut self, mut request: ChatRequest) -> Result<(), ApiError> {
        if request.project.as_ref().is_some_and(|project| *project != self.project) {
            return Err(ApiError::not_found());
        }
        request.project = Some(self.project.clone());
        let here = self.conversation();
        match request.conversation_id {
            None => request.conversation_id = here,
            Some(id) if Some(id) != here => self.require_here(id).await?,
            Some(_) => {}
        }
        let accepted = chat::take(&self.app, &self.visitor.caller, self.address, request).await?;
        if Some(accepted.conversation_id) != here {
            self.follow(accepted.conversation_id, accepted.after).await?;
        }
        Ok(())
    }

    /// Where nothing runs there is nothing to stop, and nothing to say about it.
    async fn stop(&mut self) -> Result<(), ApiError> {
        if let Some(conversation) = self.conversation() {
            self.app.chat.stop(&self.visitor.caller, conversation).await?;
        }
        Ok(())
    }

    /// An answer that begins a turn is followed, as a message would be.
    async fn answer(&mut self, id: PromptId, answer: PromptAnswer) -> Result<(), ApiError> {
        let answered = self.app.chat.answer(&self.visitor.caller, id, answer).await?;
        match answered.turn {
            Some(turn) if Some(turn.conversation_id) != self.conversation() => {
                self.follow(turn.conversation_id, turn.after).await
            }
            _ => Ok(()),
        }
    }
}

/// Reads a frame, with an error that names the field.
fn read(text: &str) -> Result<ClientFrame, ApiError> {
    body::parse(text.as_bytes(), "The frame").map_err(|error| {
        // A message that does not fit is read again as what it is: that names the field.
        if has_no_type(text) {
            body::parse::<ChatRequest>(text.as_bytes(), "The frame").err().unwrap_or(error)
        } else {
            error
        }
    })
}

fn has_no_type(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        kind: Option<IgnoredAny>,
    }
    serde_json::from_str::<Typed>(text).is_ok_and(|frame| frame.kind.is_none())
}

/// By what a client knows the frame that is refused.
fn about(frame: &ClientFrame) -> About {
    match frame {
        ClientFrame::Message(request) => {
            request.client_message_id.clone().map_or(About::Nothing, About::Message)
        }
        ClientFrame::PromptResponse { id, .. } | ClientFrame::PromptExtend { id, .. } => {
            About::Prompt(*id)
        }
        ClientFrame::Stop => About::Nothing,
    }
}
