//! Requests of a client: a message, a stop, an answer to a prompt. They are parsed into
//! the types of `parlor-protocol` and handled as over HTTP.

use parlor_protocol::{ChatRequest, ClientFrame, PromptAnswer, PromptId};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::time::timeout;

use super::subscriber::Subscriber;
use crate::dialects::ws::InReplyTo;
use crate::http::errors::ApiError;
use crate::http::{body, chat};

impl Subscriber {
    /// Carries out the request of a frame. Its effects come as events of the
    /// conversation; only a refusal is answered directly, with the returned frame.
    pub(super) async fn handle_frame(&mut self, text: &str) -> Result<(), String> {
        self.app.access.sessions.touch(&self.principal.session);
        let frame = parse(text).map_err(|error| self.refusal(error, &InReplyTo::Nothing))?;
        let in_reply_to = in_reply_to(&frame);
        let limit = self.app.config.server.limits.request_timeout;
        let done = timeout(limit, self.perform(frame)).await;
        done.unwrap_or_else(|_| Err(ApiError::too_slow()))
            .map_err(|error| self.refusal(error, &in_reply_to))
    }

    async fn perform(&mut self, frame: ClientFrame) -> Result<(), ApiError> {
        match frame {
            ClientFrame::Message(request) => self.send(*request).await,
            ClientFrame::Stop => self.stop().await,
            ClientFrame::PromptResponse { id, answer } => self.answer(id, answer).await,
            ClientFrame::PromptExtend { id, seconds } => {
                self.app.chat.extend(&self.principal.caller, id, seconds).await?;
                Ok(())
            }
        }
    }

    /// A message belongs to the conversation that it names, else to the followed one,
    /// else to a new one. The client follows that conversation from then on.
    async fn send(&mut self, mut request: ChatRequest) -> Result<(), ApiError> {
        if request.project.as_ref().is_some_and(|project| *project != self.project) {
            return Err(ApiError::not_found());
        }
        request.project = Some(self.project.clone());
        let followed = self.conversation();
        match request.conversation_id {
            None => request.conversation_id = followed,
            Some(id) if Some(id) != followed => self.require_in_project(id).await?,
            Some(_) => {}
        }
        let accepted =
            chat::send_message(&self.app, &self.principal.caller, self.address, request).await?;
        if Some(accepted.conversation_id) != followed {
            self.follow(accepted.conversation_id, accepted.after).await?;
        }
        Ok(())
    }

    /// Stopping where no turn runs is not an error.
    async fn stop(&mut self) -> Result<(), ApiError> {
        if let Some(conversation) = self.conversation() {
            self.app.chat.stop(&self.principal.caller, conversation).await?;
        }
        Ok(())
    }

    /// The conversation of a turn that an answer begins is followed, as for a message.
    async fn answer(&mut self, id: PromptId, answer: PromptAnswer) -> Result<(), ApiError> {
        let answered = self.app.chat.answer(&self.principal.caller, id, answer).await?;
        match answered.turn {
            Some(turn) if Some(turn.conversation_id) != self.conversation() => {
                self.follow(turn.conversation_id, turn.after).await
            }
            _ => Ok(()),
        }
    }
}

/// Parses a frame, with an error that names the field.
fn parse(text: &str) -> Result<ClientFrame, ApiError> {
    body::parse(text.as_bytes(), "The frame").map_err(|error| {
        // Parsed again as a message: the error of an untagged enum names no field.
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

/// How a client recognises the frame that is refused.
fn in_reply_to(frame: &ClientFrame) -> InReplyTo {
    match frame {
        ClientFrame::Message(request) => {
            request.client_message_id.clone().map_or(InReplyTo::Nothing, InReplyTo::Message)
        }
        ClientFrame::PromptResponse { id, .. } | ClientFrame::PromptExtend { id, .. } => {
            InReplyTo::Prompt(*id)
        }
        ClientFrame::Stop => InReplyTo::Nothing,
    }
}
