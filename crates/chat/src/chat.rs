//! What a caller can do with conversations. It only calls: the guard checks, storage writes,
//! the agent answers.

mod keeping;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use parlor_agent::tools::AppPage;
use parlor_imports::Product;
use parlor_protocol::{
    BootId, BranchChoice, ChatRequest, ClientMessageId, ConversationId, EventId, MessageId, Mode,
    ProjectId, PromptAnswer, PromptId, PromptStatus, Timestamp, TurnId,
};
use parlor_storage::{
    BlockedInputPage, Conversation, ConversationChanges, ConversationView, ExternalConversation,
    PageCursor, Prompt, PromptPage, PromptView, StorageError, Store, StoredFile, TurnRow,
    TurnStatus,
};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::allowances::{self, ListedAllowance};
use crate::answering::{self, Answered};
use crate::apps::{self, AppCallOutcome};
use crate::caller::{Accepted, Caller};
use crate::error::ChatError;
use crate::external_message::ExternalMessage;
use crate::importing::{self, Imported};
use crate::live_turns::Stop;
use crate::log::{Reader, Sight, Source};
use crate::node::{Membership, Node};
use crate::nodes::NodeTasks;
use crate::project::Projects;
use crate::prompts::PreviewedCall;
use crate::state::ChatState;
use crate::{
    agent_initiated_turns, approvers, branches, conversations, housekeeping, recovery, sending,
};

/// Blocked inputs on a page of the list.
const BLOCKED_INPUTS_PER_PAGE: u32 = 200;
/// How long turns, tools and agents have to end after they were stopped.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The chat. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Chat {
    pub(crate) state: Arc<ChatState>,
    node_tasks: Arc<NodeTasks>,
}

impl Chat {
    /// Opens the chat: joins the other nodes, recovers unfinished turns, then takes messages.
    pub async fn open(
        store: Store,
        projects: Projects,
        membership: Membership,
    ) -> Result<Self, StorageError> {
        let state = Arc::new(ChatState::new(store, projects, Node::new(membership)));
        let node_tasks = Arc::new(NodeTasks::start(&state).await?);
        recovery::take_over(&state, recovery::abandoned_turns(&state)).await?;
        agent_initiated_turns::listen(&state);
        housekeeping::start(&state);
        Ok(Self { state, node_tasks })
    }

    /// The run of this server, as the list of nodes names it.
    pub fn boot(&self) -> BootId {
        self.state.node.boot()
    }

    /// The projects of all tenants.
    pub fn projects(&self) -> &Projects {
        &self.state.projects
    }

    /// Takes a person's message. When it returns, the message is stored and its turn has
    /// begun.
    pub async fn send(
        &self,
        caller: &Caller,
        project: &ProjectId,
        request: ChatRequest,
    ) -> Result<Accepted, ChatError> {
        self.send_external(caller, project, request.into()).await
    }

    /// Takes a message of an external client. When it returns, the message is stored and its
    /// turn has begun.
    pub async fn send_external(
        &self,
        caller: &Caller,
        project: &ProjectId,
        message: ExternalMessage,
    ) -> Result<Accepted, ChatError> {
        sending::send(&self.state, caller, project, message).await
    }

    /// The conversation that an external client names so, if it has begun.
    pub async fn external_conversation(
        &self,
        caller: &Caller,
        named: &ExternalConversation,
    ) -> Result<Option<ConversationId>, ChatError> {
        Ok(self.state.store.external_conversation(&caller.tenant, named).await?)
    }

    /// A turn of a conversation that the caller sees.
    pub async fn turn(&self, caller: &Caller, id: TurnId) -> Result<Accepted, ChatError> {
        Ok(self.state.store.turn(&caller.scope, id).await?.into())
    }

    /// The turn that a message of the caller began, by the client's id of the message.
    pub async fn turn_of_message(
        &self,
        caller: &Caller,
        id: &ClientMessageId,
    ) -> Result<Option<Accepted>, ChatError> {
        let (scope, principal) = (&caller.scope, &caller.principal());
        let turn = self.state.store.turn_by_client_message(scope, principal, id).await?;
        Ok(turn.map(Accepted::from))
    }

    /// The newest turn of a conversation, and whether it still runs.
    pub async fn last_turn(
        &self,
        caller: &Caller,
        conversation: ConversationId,
    ) -> Result<Option<(Accepted, bool)>, ChatError> {
        self.state.store.conversation(&caller.scope, conversation).await?;
        let turn = self.state.store.last_turn(conversation).await?;
        let running = |turn: &TurnRow| turn.status == TurnStatus::Running;
        Ok(turn.map(|turn| (running(&turn), turn)).map(|(is, turn)| (turn.into(), is)))
    }

    /// The open prompts of a conversation, oldest first.
    pub async fn open_prompts(
        &self,
        caller: &Caller,
        conversation: ConversationId,
    ) -> Result<Vec<PromptView>, ChatError> {
        self.state.store.conversation(&caller.scope, conversation).await?;
        let open = self.state.store.open_prompts(conversation).await?;
        Ok(open.into_iter().map(Prompt::view).collect())
    }

    /// The turn in which a prompt opened.
    pub async fn turn_of_prompt(
        &self,
        caller: &Caller,
        id: PromptId,
    ) -> Result<Accepted, ChatError> {
        let turn = self.state.store.prompt(&caller.scope, id).await?.turn;
        self.turn(caller, turn).await
    }

    /// Reads a conversation after an event id; without one, from the beginning.
    pub async fn subscribe(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        after: Option<EventId>,
    ) -> Result<Reader, ChatError> {
        let after = after.unwrap_or(EventId::durable(0));
        // First, so that it notices if the conversation is hidden from here on.
        let reader = self.reader(caller, conversation, after);
        self.state.store.conversation(&caller.scope, conversation).await?;
        Ok(reader.of_audience())
    }

    /// Reads the turn of a message that was accepted. Whether the caller sees the conversation is
    /// checked before the first event.
    pub fn follow(&self, caller: &Caller, accepted: &Accepted) -> Reader {
        self.reader(caller, accepted.conversation_id, accepted.after)
    }

    fn reader(&self, caller: &Caller, conversation: ConversationId, after: EventId) -> Reader {
        let log = self.state.live_turns.log(conversation);
        let (store, cache) = (self.state.store.clone(), Arc::clone(&self.state.large_entries));
        let source = Arc::new(Source { store, cache, conversation });
        Reader::new(source, log, Sight::Scope(caller.scope.clone()), after)
    }

    /// Stops the running turn; false if there is none.
    pub async fn stop(
        &self,
        caller: &Caller,
        conversation: ConversationId,
    ) -> Result<bool, ChatError> {
        conversations::stop(&self.state, caller, conversation).await
    }

    /// A conversation with its messages.
    pub async fn conversation(
        &self,
        caller: &Caller,
        id: ConversationId,
    ) -> Result<ConversationView, ChatError> {
        Ok(self.state.store.conversation_view(&caller.scope, id).await?)
    }

    /// Creates a conversation whose first message is yet to come. It is listed from then on.
    pub async fn create(
        &self,
        caller: &Caller,
        project: &ProjectId,
        mode: Mode,
        folder: Option<String>,
    ) -> Result<Conversation, ChatError> {
        conversations::create(&self.state, caller, project, mode, folder).await
    }

    /// Changes a conversation's title or mode, or who sees it, which only its person may.
    pub async fn update(
        &self,
        caller: &Caller,
        id: ConversationId,
        changes: ConversationChanges<'_>,
    ) -> Result<ConversationView, ChatError> {
        conversations::update(&self.state, caller, id, changes).await?;
        self.conversation(caller, id).await
    }

    /// Writes a conversation that took place in another chat.
    pub async fn import(
        &self,
        caller: &Caller,
        project: &ProjectId,
        product: Product,
        conversation: parlor_imports::Conversation,
    ) -> Result<Imported, ChatError> {
        importing::import(&self.state, caller, project, product, conversation).await
    }

    /// Goes on with the branch of a turn or a message; returns the last turn of its newest end.
    pub async fn choose_branch(
        &self,
        caller: &Caller,
        id: ConversationId,
        choice: BranchChoice,
    ) -> Result<TurnId, ChatError> {
        branches::choose(&self.state, caller, id, choice).await
    }

    /// The page of the app that shows a message.
    pub async fn app_page(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<AppPage, ChatError> {
        apps::page(&self.state, caller, conversation, message).await
    }

    /// Makes a call for the app that shows a message, or begins a turn that makes it.
    pub async fn call_from_app(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        message: MessageId,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<AppCallOutcome, ChatError> {
        apps::call(&self.state, caller, conversation, message, tool, arguments).await
    }

    /// A picture or a file of a conversation that the caller sees.
    pub async fn file(&self, caller: &Caller, id: Uuid) -> Result<StoredFile, ChatError> {
        Ok(self.state.store.file(&caller.scope, id).await?)
    }

    /// Takes a person's answer to a prompt. An invalid one leaves the prompt open (P-5).
    pub async fn answer(
        &self,
        caller: &Caller,
        id: PromptId,
        answer: PromptAnswer,
    ) -> Result<Answered, ChatError> {
        answering::answer(&self.state, caller, id, answer).await
    }

    /// What an open approval would change with these arguments.
    pub async fn preview(
        &self,
        caller: &Caller,
        id: PromptId,
        input: &Value,
    ) -> Result<PreviewedCall, ChatError> {
        answering::preview_edit(&self.state, caller, id, input).await
    }

    /// Gives a prompt more time: its full time again, so many seconds, or (0) no deadline.
    pub async fn extend(
        &self,
        caller: &Caller,
        id: PromptId,
        seconds: Option<u64>,
    ) -> Result<Option<Timestamp>, ChatError> {
        answering::extend(&self.state, caller, id, seconds).await
    }

    /// A prompt and how it ended.
    pub async fn prompt(&self, caller: &Caller, id: PromptId) -> Result<PromptView, ChatError> {
        approvers::view(&self.state, caller, id).await
    }

    /// A page of the prompts that the caller may answer or has seen answered, newest first (P-6).
    pub async fn prompts(
        &self,
        caller: &Caller,
        status: Option<PromptStatus>,
        before: Option<&PageCursor>,
    ) -> Result<PromptPage, ChatError> {
        approvers::list(&self.state, caller, status, before).await
    }

    /// The allowances of a conversation (P-11).
    pub async fn allowances(
        &self,
        caller: &Caller,
        conversation: ConversationId,
    ) -> Result<Vec<ListedAllowance>, ChatError> {
        allowances::list(&self.state, caller, conversation).await
    }

    /// Revokes the allowance of one tool, or all of them.
    pub async fn revoke_allowances(
        &self,
        caller: &Caller,
        conversation: ConversationId,
        tool: Option<&str>,
    ) -> Result<(), ChatError> {
        allowances::revoke(&self.state, caller, conversation, tool).await
    }

    /// Inputs that matched a rule, newest first (G-7).
    pub async fn blocked_inputs(
        &self,
        caller: &Caller,
        before: Option<&PageCursor>,
    ) -> Result<BlockedInputPage, ChatError> {
        let (store, limit) = (&self.state.store, BLOCKED_INPUTS_PER_PAGE);
        Ok(store.blocked_inputs(&caller.scope, before, limit).await?)
    }

    /// Whether no turn runs.
    pub fn is_idle(&self) -> bool {
        self.state.live_turns.is_idle()
    }

    /// Empties the cache of large log entries. Readers load again what they need.
    pub fn drop_large_entries(&self) {
        self.state.large_entries.clear();
    }

    /// Suspends turns that wait for a person, who can no longer answer; lets the others
    /// finish until the deadline, then stops them; then closes tools and agents.
    pub async fn shutdown(&self, deadline: Duration) {
        let live_turns = &self.state.live_turns;
        live_turns.begin_shutdown();
        if tokio::time::timeout(deadline, live_turns.idle()).await.is_err() {
            live_turns.stop_all(Stop::Shutdown);
            // Stopping closes the upstream at once; what is left is one write.
            let _stopped = tokio::time::timeout(STOP_TIMEOUT, live_turns.idle()).await;
        }
        self.node_tasks.stop(&self.state, STOP_TIMEOUT).await;
        let tools = self.projects().all().filter_map(|project| project.tools.as_ref());
        let agents = self.projects().all().map(|project| project.agent.close(STOP_TIMEOUT));
        tokio::join!(join_all(tools.map(|tools| tools.close(STOP_TIMEOUT))), join_all(agents));
    }
}
