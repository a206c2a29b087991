//! What a connection has to do with the chat: who is there, in which project,
//! and which conversation is followed from which place.

use std::future::pending;
use std::sync::Arc;

use parlor_chat::{EventBatch, LargePieces, Piece, Reader};
use parlor_protocol::{ConversationId, EventId, ProjectId};

use crate::app::App;
use crate::auth::{ClientAddress, Visitor};
use crate::dialects::ws::{About, Encoder, whole};
use crate::http::errors::ApiError;

/// One client's view of one project.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) app: Arc<App>,
    pub(super) visitor: Visitor,
    pub(super) address: ClientAddress,
    pub(super) project: ProjectId,
    reader: Option<Reader>,
    encoder: Encoder,
    /// The rest of an event that is too large for one frame.
    large: Option<LargePieces>,
}

/// What goes to the client.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// Whole frames.
    Frames(Vec<String>),
    /// A part of a frame.
    Part(Piece),
    /// The rest of a frame cannot be had: the client has to come back for all of it.
    Broken,
}

impl Room {
    /// A client that follows nothing yet.
    pub(super) fn new(
        app: Arc<App>,
        visitor: Visitor,
        address: ClientAddress,
        project: ProjectId,
    ) -> Self {
        let encoder = Encoder::new();
        Self { app, visitor, address, project, reader: None, encoder, large: None }
    }

    /// The conversation that is followed.
    pub(super) fn conversation(&self) -> Option<ConversationId> {
        self.encoder.conversation()
    }

    /// Refuses a conversation of another tenant or of another project. A room is
    /// one task's alone, which is why also what only looks borrows it whole.
    pub(super) async fn require_here(&mut self, id: ConversationId) -> Result<(), ApiError> {
        let conversation = self.app.store.conversation(&self.visitor.caller.tenant, id).await?;
        if conversation.project == self.project { Ok(()) } else { Err(ApiError::not_found()) }
    }

    /// Follows a conversation on from a place, instead of what was followed so far.
    pub(super) async fn follow(
        &mut self,
        id: ConversationId,
        after: EventId,
    ) -> Result<(), ApiError> {
        let reader = self.app.chat.subscribe(&self.visitor.caller, id, Some(after)).await?;
        self.reader = Some(reader);
        self.encoder = Encoder::at(id, after);
        Ok(())
    }

    /// Whether a part of a frame was sent and the rest was not.
    pub(super) fn is_inside_frame(&self) -> bool {
        self.large.is_some()
    }

    /// What happens next; waits until something does. `None` when the conversation
    /// is gone. Dropping the future loses nothing.
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

    /// The frame that says why something was not done.
    pub(super) fn refusal(&self, error: ApiError, about: &About) -> String {
        let recoverable = error.is_passing();
        self.encoder.refusal(&error.into_body(), recoverable, about)
    }
}
