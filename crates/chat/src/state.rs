//! What all parts of the chat work with. Made once, when the chat opens.

use std::sync::Arc;

use parlor_fanout::Hint;
use parlor_protocol::{ConversationId, ProjectId};
use parlor_storage::{BegunTurn, Conversation, StorageError, Store};

use crate::caller::Caller;
use crate::error::ChatError;
use crate::images::ImageChecks;
use crate::live_turns::{LiveTurns, Stop};
use crate::log::{Flusher, LargeEntries, Outlet};
use crate::metrics::ChatMetrics;
use crate::node::Node;
use crate::project::{Project, Projects};
use crate::turn_slots::{TurnSlot, TurnSlots};

/// For administrators who read what people have to themselves.
const ONLY_READ: &str = "You may read this conversation, and not take part in it.";

/// The parts that every operation shares.
#[derive(Debug)]
pub(crate) struct ChatState {
    /// The database.
    pub(crate) store: Store,
    /// The projects of all tenants.
    pub(crate) projects: Projects,
    /// This server, one of several perhaps.
    pub(crate) node: Node,
    /// The way to other nodes, if there may be any.
    pub(crate) outlet: Option<Arc<Outlet>>,
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
    /// What happens in it.
    pub(crate) metrics: Arc<ChatMetrics>,
}

impl ChatState {
    /// Starts the flusher; nothing else runs yet.
    pub(crate) fn new(store: Store, projects: Projects, node: Node) -> Self {
        let metrics = Arc::<ChatMetrics>::default();
        let outlet = (!node.fanout.is_alone()).then(|| Outlet::start(node.fanout.clone()));
        Self {
            flusher: Flusher::start(store.clone(), Arc::clone(&metrics)),
            metrics,
            store,
            projects,
            node,
            live_turns: LiveTurns::new(outlet.clone()),
            outlet,
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
        let project =
            self.projects.get(&caller.tenant, id).filter(|_| caller.scope.has_project(id));
        project.cloned().ok_or(ChatError::NotFound)
    }

    /// A conversation that the caller takes part in: one that they only read is refused.
    pub(crate) async fn take_part(
        &self,
        caller: &Caller,
        id: ConversationId,
    ) -> Result<Conversation, ChatError> {
        let conversation = self.store.conversation(&caller.scope, id).await?;
        match caller.scope.takes_part(conversation.person, conversation.visibility) {
            true => Ok(conversation),
            false => Err(ChatError::Forbidden(ONLY_READ)),
        }
    }

    /// The error for a message that did not begin a turn. If the running turn waits for an answer,
    /// it names the prompt.
    pub(crate) async fn why_not_begun(
        &self,
        conversation: ConversationId,
        error: StorageError,
    ) -> ChatError {
        if matches!(error, StorageError::TurnRunning)
            && let Ok(open) = self.store.open_prompts(conversation).await
            && let Some(prompt) = open.iter().find(|prompt| prompt.turn_waits)
        {
            return ChatError::PromptOpen(prompt.id);
        }
        error.into()
    }

    /// Fewer people may see a conversation: readers who lost sight of it end, wherever they read.
    pub(crate) fn audience_changed(&self, conversation: ConversationId) {
        if let Some(log) = self.live_turns.existing_log(conversation) {
            log.audience_changed();
        }
        self.hint(Hint::Audience(conversation));
    }

    /// A prompt of a conversation may have changed: its turn looks, wherever it runs.
    pub(crate) fn prompt_changed(&self, conversation: ConversationId) {
        self.live_turns.prompt_changed(conversation);
        self.hint(Hint::Prompt(conversation));
    }

    /// A turn was stored for another node, which begins it.
    pub(crate) fn hand_over(&self, conversation: ConversationId, begun: &BegunTurn) {
        if let Some(last) = begun.events.last() {
            if let Some(log) = self.live_turns.existing_log(conversation) {
                log.stored_elsewhere(last.id);
            }
            self.hint(Hint::Log(conversation, last.id));
        }
        self.hint(Hint::HandedOver(conversation));
    }

    /// A conversation was deleted: its turn stops, its readers end, agents forget it.
    pub(crate) fn forget(&self, conversation: ConversationId) {
        self.live_turns.stop(conversation, Stop::Person);
        self.live_turns.close(conversation);
        self.projects.all().for_each(|project| project.agent.forget(conversation));
    }

    /// Tells the other nodes, if there are any.
    pub(crate) fn hint(&self, hint: Hint) {
        if let Some(outlet) = &self.outlet {
            outlet.hint(hint);
        }
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
