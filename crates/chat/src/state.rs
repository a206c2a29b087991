//! What all parts of the chat work with. Made once, when the chat opens.

use std::sync::Arc;

use parlor_protocol::ProjectId;
use parlor_storage::Store;

use crate::caller::Caller;
use crate::error::ChatError;
use crate::images::ImageChecks;
use crate::live_turns::LiveTurns;
use crate::log::{Flusher, LargeEntries};
use crate::project::{Project, Projects};
use crate::turn_slots::{TurnSlot, TurnSlots};

/// The parts that every operation shares.
#[derive(Debug)]
pub(crate) struct ChatState {
    /// The database.
    pub(crate) store: Store,
    /// The projects of all tenants.
    pub(crate) projects: Projects,
    /// The turns that run in this process, and the logs that are read or written.
    pub(crate) live_turns: LiveTurns,
    /// Stores streamed text.
    pub(crate) flusher: Flusher,
    /// Large log entries, cached for all readers.
    pub(crate) large_entries: Arc<LargeEntries>,
    /// Limits the turns that run at the same time.
    pub(crate) turn_slots: Arc<TurnSlots>,
    /// Decodes images, a few at a time.
    pub(crate) images: ImageChecks,
}

impl ChatState {
    /// Starts the flusher; nothing else runs yet.
    pub(crate) fn new(store: Store, projects: Projects) -> Self {
        Self {
            flusher: Flusher::start(store.clone()),
            store,
            projects,
            live_turns: LiveTurns::new(),
            large_entries: Arc::new(LargeEntries::new()),
            turn_slots: Arc::default(),
            images: ImageChecks::new(),
        }
    }

    /// A project of the caller's tenant.
    pub(crate) fn project(
        &self,
        caller: &Caller,
        id: &ProjectId,
    ) -> Result<Arc<Project>, ChatError> {
        self.projects.get(&caller.tenant, id).cloned().ok_or(ChatError::NotFound)
    }

    /// A slot for a turn, unless the tenant or the project has reached its limit: on this
    /// node, and, if others share the database, on all of them together.
    ///
    /// The slot of this node is taken first, so that its own turns cannot exceed the limit.
    /// Those of others are counted before this turn is stored: the limit can be exceeded by as
    /// many turns as begin at the same moment on different nodes.
    pub(crate) async fn turn_slot(
        &self,
        caller: &Caller,
        project: &Project,
    ) -> Result<TurnSlot, ChatError> {
        let max_of_tenant = self.projects.max_turns_of_tenant();
        let slots = &self.turn_slots;
        let slot = slots
            .take(&caller.tenant, &project.id, max_of_tenant, project.max_turns)
            .ok_or(ChatError::TooManyTurns)?;
        if self.store.is_shared() {
            let running = self.store.running_turns(&caller.tenant, &project.id).await?;
            if running.of_tenant >= u64::from(max_of_tenant)
                || running.of_project >= u64::from(project.max_turns)
            {
                return Err(ChatError::TooManyTurns);
            }
        }
        Ok(slot)
    }
}
