//! The client of a WebSocket as the chat sees it: its principal, its project, and the
//! conversation that it follows.

use std::future::pending;
use std::sync::Arc;

use parlor_chat::{EventBatch, LargePieces, Piece, Reader};
use parlor_protocol::{ConversationId, EventId, ProjectId};

use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::dialects::ws::{Encoder, InReplyTo, whole};
use crate::http::errors::ApiError;

/// A client in one project.
#[derive(Debug)]
pub(super) struct Subscriber {
    pub(super) app: Arc<App>,
    pub(super) principal: Principal,
    pub(super) address: ClientAddress,
    pub(super) project: ProjectId,
    reader: Option<Reader>,
    encoder: Encoder,
    /// The rest of an event that goes out in parts.
    large: Option<LargePieces>,
}

/// What to send to the client.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// Whole frames.
    Frames(Vec<String>),
    /// A part of a message.
    Part(Piece),
    /// The rest of a message cannot be read: the client must reconnect for all of it.
    Broken,
}

impl Subscriber {
    /// A client that follows no conversation yet.
    pub(super) fn new(
        app: Arc<App>,
        principal: Principal,
        address: ClientAddress,
        project: ProjectId,
    ) -> Self {
        let encoder = Encoder::new();
        Self { app, principal, address, project, reader: None, encoder, large: None }
    }

    /// The conversation that is followed.
    pub(super) fn conversation(&self) -> Option<ConversationId> {
        self.encoder.conversation()
    }

    /// Refuses a conversation that the client does not see, or of another project. (`&mut self`, because the
    /// future must be `Send` and a subscriber is not `Sync`.)
    pub(super) async fn require_in_project(&mut self, id: ConversationId) -> Result<(), ApiError> {
        let conversation = self.app.store.conversation(&self.principal.caller.scope, id).await?;
        if conversation.project == self.project { Ok(()) } else { Err(ApiError::not_found()) }
    }

    /// Follows a conversation after an event, instead of the one followed so far.
    pub(super) async fn follow(
        &mut self,
        id: ConversationId,
        after: EventId,
    ) -> Result<(), ApiError> {
        let reader = self.app.chat.subscribe(&self.principal.caller, id, Some(after)).await?;
        self.reader = Some(reader);
        self.encoder = Encoder::at(id, after);
        Ok(())
    }

    /// Whether the first parts of a message were sent and the rest was not.
    pub(super) fn is_inside_frame(&self) -> bool {
        self.large.is_some()
    }

    /// Waits for what to send next; `None` when the conversation is gone. Cancel-safe.
    pub(super) async fn next(&mut self) -> Option<Outgoing> {
        if let Some(large) = &mut self.large {
            let Some(piece) = large.next().await else { return Some(Outgoing::Broken) };
            if piece.is_last {
                self.large = None;
            }
            return Some(Outgoing::Part(piece));
        }
        let Some(reader) = &mut self.reader else { return pending().await };
        let mut frames = Vec::new();
        match reader.next().await? {
            EventBatch::Events(events) => {
                frames.reserve(events.len());
                for event in &events {
                    self.encoder.event(event, &mut frames);
                }
            }
            EventBatch::Live(bodies) => {
                bodies.iter().for_each(|body| self.encoder.live(body, &mut frames));
            }
            EventBatch::Large(event) => {
                self.encoder.large(&event, &mut frames);
                self.large = Some(event.pieces("ws", whole));
            }
        }
        Some(Outgoing::Frames(frames))
    }

    /// The frame that refuses a request.
    pub(super) fn refusal(&self, error: ApiError, in_reply_to: &InReplyTo) -> String {
        let recoverable = error.is_transient();
        self.encoder.refusal(&error.into_body(), recoverable, in_reply_to)
    }
}
