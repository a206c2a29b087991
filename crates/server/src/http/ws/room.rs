//! What a connection has to do with the chat: who is there, in which project,
//! and which conversation is followed from which place.

use std::future::pending;
use std::sync::Arc;

use parlor_chat::Reader;
use parlor_protocol::{ConversationId, EventId, ProjectId};

use crate::app::App;
use crate::auth::Visitor;
use crate::dialects::ws::{About, Encoder};
use crate::http::errors::ApiError;

/// One client's view of one project.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) app: Arc<App>,
    pub(super) visitor: Visitor,
    pub(super) project: ProjectId,
    reader: Option<Reader>,
    encoder: Encoder,
}

impl Room {
    /// A client that follows nothing yet.
    pub(super) fn new(app: Arc<App>, visitor: Visitor, project: ProjectId) -> Self {
        Self { app, visitor, project, reader: None, encoder: Encoder::new() }
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

    /// What happens next, as frames; waits until something does. `None` when the
    /// conversation is gone. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Option<Vec<String>> {
        let Some(reader) = &mut self.reader else { return pending().await };
        let events = reader.next().await?;
        let mut frames = Vec::with_capacity(events.len());
        for event in &events {
            self.encoder.event(event, &mut frames);
        }
        Some(frames)
    }

    /// The frame that says why something was not done.
    pub(super) fn refusal(&self, error: ApiError, about: &About) -> String {
        let recoverable = error.is_passing();
        self.encoder.refusal(&error.into_body(), recoverable, about)
    }
}
