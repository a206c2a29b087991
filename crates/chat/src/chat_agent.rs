//! What a caller can do with conversations. It only calls: judging is the
//! guard's, writing the storage's, answering the agent's.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use parlor_agents::{TurnContext, TurnStart};
use parlor_protocol::{ChatRequest, ConversationId, EventId, Mode, ProjectId, TenantId, TurnId};
use parlor_storage::{
    BeginTurn, BegunTurn, BlockedInput, ConversationPage, ConversationView, Image, NewConversation,
    StorageError, Store, Turn,
};
use uuid::Uuid;

use crate::beginning::beginning;
use crate::error::ChatError;
use crate::flusher::Flusher;
use crate::project::{Project, Projects};
use crate::reader::Reader;
use crate::session::Session;
use crate::session_registry::{SessionRegistry, Stop};
use crate::texts::title;
use crate::writer::Writer;
use crate::{context, images, reconcile};

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

#[derive(Debug)]
struct Inner {
    store: Store,
    projects: Projects,
    registry: SessionRegistry,
    flusher: Flusher,
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
    pub role: parlor_storage::Role,
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
        let ended = reconcile::end_interrupted_turns(&store).await?;
        if ended > 0 {
            tracing::warn!(turns = ended, "turns were interrupted when the server went down");
        }
        let flusher = Flusher::start(store.clone());
        let registry = SessionRegistry::new();
        Ok(Self { inner: Arc::new(Inner { store, projects, registry, flusher }) })
    }

    pub(crate) fn store(&self) -> &Store {
        &self.inner.store
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
        request: ChatRequest,
    ) -> Result<Accepted, ChatError> {
        if let Some(accepted) = self.accepted_before(caller, &request).await? {
            return Ok(accepted);
        }
        let (project, new) = self.place(caller, project, &request).await?;
        let image = match &request.image {
            Some(image) => Some(images::read(image, project.max_image_bytes)?),
            None => None,
        };
        self.judge(caller, &project, &request.message, image.is_some()).await?;
        let begin = beginning(caller, &project, &request, new, image);
        match self.begin(begin, project).await {
            Ok(accepted) => Ok(accepted),
            // The same mark, sent twice at the same moment.
            Err(StorageError::TurnRunning) => {
                self.accepted_before(caller, &request).await?.ok_or(ChatError::TurnRunning)
            }
            Err(error) => Err(error.into()),
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
        let log = self.inner.registry.log(conversation);
        let place = after.unwrap_or(EventId::durable(0));
        Ok(Reader::new(self.inner.store.clone(), log, place).await)
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
        before: Option<&str>,
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
        before: Option<parlor_protocol::Timestamp>,
    ) -> Result<Vec<BlockedInput>, ChatError> {
        Ok(self.inner.store.blocked_inputs(&caller.tenant, before, AUDIT_PAGE).await?)
    }

    /// Lets turns finish, then stops those that have not; then ends what served them.
    pub async fn shutdown(&self, deadline: Duration) {
        let registry = &self.inner.registry;
        if tokio::time::timeout(deadline, registry.idle()).await.is_err() {
            registry.stop_all(Stop::Shutdown);
            // Stopping closes the upstream at once; what is left is one write.
            let _stopped = tokio::time::timeout(ENDING, registry.idle()).await;
        }
        let tools = self.projects().all().filter_map(|project| project.tools.as_ref());
        join_all(tools.map(|tools| tools.close(ENDING))).await;
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
        Ok(turn.map(|Turn { id, conversation, start_seq, .. }| Accepted {
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
    ) -> Result<(Arc<Project>, Option<NewConversation>), ChatError> {
        let Some(id) = request.conversation_id else {
            let project = self.project(caller, project)?;
            let new = NewConversation {
                project: project.id.clone(),
                title: title(&request.message),
                mode: request.mode.unwrap_or_default(),
            };
            return Ok((project, Some(new)));
        };
        let store = &self.inner.store;
        let conversation = store.conversation(&caller.tenant, id).await?;
        if request.mode.is_some_and(|mode| mode != conversation.mode) {
            store.update_conversation(&caller.tenant, id, None, request.mode).await?;
        }
        Ok((self.project(caller, &conversation.project)?, None))
    }

    fn project(&self, caller: &Caller, id: &ProjectId) -> Result<Arc<Project>, ChatError> {
        self.inner.projects.get(&caller.tenant, id).cloned().ok_or(ChatError::NotFound)
    }

    /// Stores the message and starts its turn. In a task of its own: a client
    /// that leaves in this moment must not leave a turn behind that is stored as
    /// running and that nobody runs.
    async fn begin(
        &self,
        begin: BeginTurn,
        project: Arc<Project>,
    ) -> Result<Accepted, StorageError> {
        let chat = self.clone();
        let begun = tokio::spawn(async move {
            let begun = chat.inner.store.begin_turn(&begin).await?;
            Ok(chat.run(begin, begun, project))
        });
        begun.await.unwrap_or_else(|error| Err(StorageError::Corrupt(error.to_string())))
    }

    /// Shows the beginning, and lets the agent take its turn.
    fn run(&self, begin: BeginTurn, begun: BegunTurn, project: Arc<Project>) -> Accepted {
        let inner = Arc::clone(&self.inner);
        let conversation = begin.conversation;
        let start_seq = begun.events.first().map_or(1, |start| start.id.seq);
        let log = inner.registry.log(conversation);
        let stop = inner.registry.begin(conversation);
        log.publish(begun.events);
        let writer = Writer {
            store: inner.store.clone(),
            log,
            conversation,
            turn: begin.turn,
            epoch: begun.epoch,
            next_seq: begun.next_seq,
            block_message: begin.block_message,
        };
        let accepted = Accepted {
            conversation_id: conversation,
            turn_id: begin.turn,
            after: EventId::durable(start_seq.saturating_sub(1)),
        };
        tokio::spawn(async move {
            let turn = begin.turn;
            let session = Session::new(writer, Arc::clone(&project), inner.flusher.clone());
            let result = match inner.start(conversation, &project).await {
                Ok(start) => session.run(project.agent.open(conversation), start, stop).await,
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                tracing::error!(%error, %turn, "a turn could not be written to its end");
            }
            inner.registry.end(conversation);
        });
        accepted
    }
}

impl Inner {
    /// What the agent is told.
    async fn start(
        &self,
        conversation: ConversationId,
        project: &Project,
    ) -> Result<TurnStart, StorageError> {
        let history = self.store.history(conversation).await?;
        Ok(TurnStart::Message(TurnContext {
            history: context::fitting(history, project.context_tokens),
            system_prompt: project.system_prompt.clone(),
            mode: Mode::default(),
        }))
    }
}
