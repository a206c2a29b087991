//! What a caller can do with conversations. It only calls: judging is the
//! guard's, writing the storage's, answering the agent's.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::join_all;
use parlor_protocol::{
    ChatRequest, ConversationId, EventId, Mode, ProjectId, PromptId, TenantId, TurnId,
};
use parlor_storage::{
    BlockedInputPage, ConversationPage, ConversationView, Image, NewConversation, PageCursor,
    Prompt, StorageError, Store, TurnRow,
};
use uuid::Uuid;

use crate::beginning::Begins;
use crate::error::ChatError;
use crate::flusher::Flusher;
use crate::images::PictureChecks;
use crate::initiative;
use crate::large_rows::{LargeRows, Source};
use crate::project::{Project, Projects};
use crate::reader::Reader;
use crate::reconcile;
use crate::session_registry::{SessionRegistry, Stop};
use crate::texts::title;
use crate::turn_slots::{TurnSlot, TurnSlots};

/// How many conversations a page of the list has.
const PAGE: u32 = 50;
/// How many blocked inputs an administrator sees at once.
const AUDIT_PAGE: u32 = 200;
/// How long it may take to end what was told to end.
const ENDING: Duration = Duration::from_secs(5);

/// The chat. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Chat {
    inner: Arc<Inner>,
}

/// The chat, as long as somebody else holds it.
#[derive(Debug, Clone)]
pub(crate) struct WeakChat(Weak<Inner>);

impl WeakChat {
    pub(crate) fn upgrade(&self) -> Option<Chat> {
        self.0.upgrade().map(|inner| Chat { inner })
    }
}

#[derive(Debug)]
struct Inner {
    store: Store,
    projects: Projects,
    registry: SessionRegistry,
    flusher: Flusher,
    /// What readers share of large entries.
    large: Arc<LargeRows>,
    slots: Arc<TurnSlots>,
    pictures: PictureChecks,
}

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Whose conversations.
    pub tenant: TenantId,
    /// The session or key.
    pub session: String,
    /// What a person calls it.
    pub name: String,
    /// What it may do.
    pub role: parlor_storage::AccessRole,
}

/// A message that is stored: it will not be lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Where it stands.
    pub conversation_id: ConversationId,
    /// The turn that it began.
    pub turn_id: TurnId,
    /// The place just before the turn's `start`.
    pub after: EventId,
}

impl Chat {
    /// Opens the chat: ends what a crash interrupted, then takes messages.
    pub async fn open(store: Store, projects: Projects) -> Result<Self, StorageError> {
        let flusher = Flusher::start(store.clone());
        let registry = SessionRegistry::new();
        let large = Arc::new(LargeRows::new());
        let slots = Arc::default();
        let pictures = PictureChecks::new();
        let inner = Inner { store, projects, registry, flusher, large, slots, pictures };
        let chat = Self { inner: Arc::new(inner) };
        reconcile::take_over(&chat).await?;
        initiative::listen(&chat);
        Ok(chat)
    }

    /// Does not keep the chat alive.
    pub(crate) fn downgrade(&self) -> WeakChat {
        WeakChat(Arc::downgrade(&self.inner))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
    }

    pub(crate) fn registry(&self) -> &SessionRegistry {
        &self.inner.registry
    }

    pub(crate) fn flusher(&self) -> &Flusher {
        &self.inner.flusher
    }

    pub(crate) fn pictures(&self) -> &PictureChecks {
        &self.inner.pictures
    }

    /// The projects that there are.
    pub fn projects(&self) -> &Projects {
        &self.inner.projects
    }

    /// Takes a person's message. When it returns, the message is stored and its
    /// turn has begun.
    pub async fn send(
        &self,
        caller: &Caller,
        project: &ProjectId,
        mut request: ChatRequest,
    ) -> Result<Accepted, ChatError> {
        if let Some(accepted) = self.accepted_before(caller, &request).await? {
            return Ok(accepted);
        }
        let retry = self.retried(caller, &mut request).await?;
        let (project, mut begins) = self.place(caller, project, &request).await?;
        let image = match request.image.take() {
            Some(image) => Some(self.pictures().read(image, project.max_image_bytes).await?),
            None => None,
        };
        begins.image = image;
        begins.retry = retry;
        let has_picture = begins.picture().is_some();
        self.judge(caller, &project, &request.message, has_picture).await?;
        begins.client_message_id = request.client_message_id.clone();
        let conversation = begins.conversation;
        let slot = self.slot(caller, &project)?;
        match self.begin(caller, &project, begins, slot).await {
            Ok(accepted) => Ok(accepted),
            Err(error) => match self.accepted_before(caller, &request).await? {
                // The same mark, sent twice at the same moment.
                Some(accepted) => Ok(accepted),
                None => Err(self.why_not(conversation, error).await),
            },
        }
    }

    /// Reads a conversation on from a place; without one, from the beginning.
    pub async fn subscribe(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        after: Option<EventId>,
    ) -> Result<Reader, ChatError> {
        self.inner.store.conversation(&caller.tenant, conversation).await?;
        Ok(self.reader(conversation, after.unwrap_or(EventId::durable(0))).await)
    }

    /// Reads on from a message that was accepted. Whoever sent it may read.
    pub async fn follow(&self, accepted: &Accepted) -> Reader {
        self.reader(accepted.conversation_id, accepted.after).await
    }

    async fn reader(&self, conversation: ConversationId, after: EventId) -> Reader {
        let log = self.inner.registry.log(conversation);
        let (store, rows) = (self.inner.store.clone(), Arc::clone(&self.inner.large));
        Reader::new(Arc::new(Source { store, rows, conversation }), log, after).await
    }

    /// Stops the turn that runs; false if none does.
    pub async fn stop(
        &self,
        caller: &Caller,
        conversation: ConversationId,
    ) -> Result<bool, ChatError> {
        self.inner.store.conversation(&caller.tenant, conversation).await?;
        Ok(self.inner.registry.stop(conversation, Stop::Person))
    }

    /// A conversation with its messages.
    pub async fn conversation(
        &self,
        caller: &Caller,
        id: ConversationId,
    ) -> Result<ConversationView, ChatError> {
        Ok(self.inner.store.conversation_view(&caller.tenant, id).await?)
    }

    /// A page of the caller's conversations.
    pub async fn conversations(
        &self,
        caller: &Caller,
        query: Option<&str>,
        before: Option<&PageCursor>,
    ) -> Result<ConversationPage, ChatError> {
        Ok(self.inner.store.conversations(&caller.tenant, query, before, PAGE).await?)
    }

    /// Changes a conversation's title or mode.
    pub async fn update(
        &self,
        caller: &Caller,
        id: ConversationId,
        new_title: Option<String>,
        mode: Option<Mode>,
    ) -> Result<ConversationView, ChatError> {
        let new_title = new_title.map(|text| title(&text));
        let tenant = &caller.tenant;
        self.inner.store.update_conversation(tenant, id, new_title.as_deref(), mode).await?;
        self.conversation(caller, id).await
    }

    /// Deletes a conversation: stops its turn and ends its readers.
    pub async fn delete(&self, caller: &Caller, id: ConversationId) -> Result<(), ChatError> {
        self.inner.store.delete_conversation(&caller.tenant, id).await?;
        self.inner.registry.stop(id, Stop::Person);
        self.inner.registry.close(id);
        self.projects().all().for_each(|project| project.agent.forget(id));
        Ok(())
    }

    /// A picture of the caller's tenant.
    pub async fn image(&self, caller: &Caller, id: Uuid) -> Result<Image, ChatError> {
        Ok(self.inner.store.image(&caller.tenant, id).await?)
    }

    /// Inputs that matched a rule, newest first (G-7).
    pub async fn blocked_inputs(
        &self,
        caller: &Caller,
        before: Option<&PageCursor>,
    ) -> Result<BlockedInputPage, ChatError> {
        Ok(self.inner.store.blocked_inputs(&caller.tenant, before, AUDIT_PAGE).await?)
    }

    /// Whether no turn runs.
    pub fn is_idle(&self) -> bool {
        self.registry().is_idle()
    }

    /// Drops what is held for readers of large entries; they read it again.
    pub fn drop_large_entries(&self) {
        self.inner.large.clear();
    }

    /// Parks turns that wait for a person, who can no longer answer; lets the others
    /// finish, then stops those that have not; then ends what served them.
    pub async fn shutdown(&self, deadline: Duration) {
        let registry = &self.inner.registry;
        registry.close_down();
        if tokio::time::timeout(deadline, registry.idle()).await.is_err() {
            registry.stop_all(Stop::Shutdown);
            // Stopping closes the upstream at once; what is left is one write.
            let _stopped = tokio::time::timeout(ENDING, registry.idle()).await;
        }
        let tools = self.projects().all().filter_map(|project| project.tools.as_ref());
        let agents = self.projects().all().map(|project| project.agent.close(ENDING));
        tokio::join!(join_all(tools.map(|tools| tools.close(ENDING))), join_all(agents));
    }

    /// H-5: a message that is sent again does not begin a second turn.
    async fn accepted_before(
        &self,
        caller: &Caller,
        request: &ChatRequest,
    ) -> Result<Option<Accepted>, ChatError> {
        let Some(mark) = &request.client_message_id else { return Ok(None) };
        let turn =
            self.inner.store.turn_by_client_message(&caller.tenant, &caller.session, mark).await?;
        Ok(turn.map(|TurnRow { id, conversation, start_seq, .. }| Accepted {
            conversation_id: conversation,
            turn_id: id,
            after: EventId::durable(start_seq.saturating_sub(1)),
        }))
    }

    /// Where the message goes: a conversation that is there, or a new one.
    async fn place(
        &self,
        caller: &Caller,
        project: &ProjectId,
        request: &ChatRequest,
    ) -> Result<(Arc<Project>, Begins), ChatError> {
        let text = request.message.clone();
        let Some(id) = request.conversation_id else {
            let project = self.project(caller, project)?;
            let mut begins = Begins::new(ConversationId::new(Uuid::now_v7()), text);
            begins.new = Some(NewConversation {
                project: project.id.clone(),
                title: title(&request.message),
                mode: request.mode.unwrap_or_default(),
            });
            return Ok((project, begins));
        };
        let conversation = self.inner.store.conversation(&caller.tenant, id).await?;
        let mut begins = Begins::new(id, text);
        begins.mode = request.mode;
        begins.passed_over = self.passed_over(id, None).await?;
        Ok((self.project(caller, &conversation.project)?, begins))
    }

    /// Open prompts that a message passes over: those that no turn waits for.
    pub(crate) async fn passed_over(
        &self,
        conversation: ConversationId,
        except: Option<PromptId>,
    ) -> Result<Vec<Prompt>, ChatError> {
        let mut open = self.inner.store.open_prompts(conversation).await?;
        open.retain(|prompt| !prompt.turn_waits && Some(prompt.id) != except);
        Ok(open)
    }

    /// What to tell whose message did not begin a turn: a turn that waits for an
    /// answer is not just running.
    pub(crate) async fn why_not(
        &self,
        conversation: ConversationId,
        error: StorageError,
    ) -> ChatError {
        if matches!(error, StorageError::TurnRunning)
            && let Ok(open) = self.inner.store.open_prompts(conversation).await
            && let Some(prompt) = open.iter().find(|prompt| prompt.turn_waits)
        {
            return ChatError::PromptOpen(prompt.id);
        }
        error.into()
    }

    /// A place for a turn, if there is one.
    pub(crate) fn slot(&self, caller: &Caller, project: &Project) -> Result<TurnSlot, ChatError> {
        let of_tenant = self.inner.projects.turns_of_tenant();
        let slot = self.slots().take(&caller.tenant, &project.id, of_tenant, project.max_turns);
        slot.ok_or(ChatError::TooManyTurns)
    }

    pub(crate) fn slots(&self) -> &Arc<TurnSlots> {
        &self.inner.slots
    }

    pub(crate) fn project(
        &self,
        caller: &Caller,
        id: &ProjectId,
    ) -> Result<Arc<Project>, ChatError> {
        self.inner.projects.get(&caller.tenant, id).cloned().ok_or(ChatError::NotFound)
    }
}
