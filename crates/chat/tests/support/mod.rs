//! A chat on a real database, with a scripted model behind it.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod asking;
pub(crate) mod kitchen;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parlor_agent::Tools;
use parlor_chat::{
    Accepted, Caller, Chat, ChatError, EventBatch, FileLimits, FlowPolicy, Membership, NotRead,
    Project, Projects, ReadPdf,
};
use parlor_files::pdf::{Answer, Limits};
use parlor_guard::guardrail::{GuardSettings, Guardrail, Policy};
use parlor_guard::sanitizer::{KnownValues, Sanitizer, SanitizerSettings};
use parlor_models::{ModelKind, ModelSettings, build_agent};
use parlor_protocol::{ChatRequest, ConversationId, EventBody, EventId, NodeId};
use parlor_storage::{Logged, Scope, Store};
use parlor_test_database::location;
use parlor_testkit::ScriptedModel;

/// A secret in the configuration.
pub(crate) const SECRET: &str = "word-for-the-cellar";

/// Reads PDFs in this process: only the server has others.
#[derive(Debug)]
pub(crate) struct NoProcess;

impl ReadPdf for NoProcess {
    fn read<'a>(
        &'a self,
        bytes: &'a [u8],
        limits: Limits,
    ) -> BoxFuture<'a, Result<Answer, NotRead>> {
        Box::pin(async move { Ok(parlor_files::pdf::answer(bytes, limits)) })
    }
}

/// A chat and its model.
pub(crate) struct Scene {
    pub(crate) chat: Chat,
    pub(crate) model: ScriptedModel,
    dir: tempfile::TempDir,
}

/// Opens a chat on a database, as a start of the server does.
pub(crate) async fn open(path: &Path, model: &ScriptedModel) -> Chat {
    open_with(path, model, Setup::default()).await
}

/// The settings that a test can change.
#[derive(Default, Clone)]
pub(crate) struct Setup {
    pub(crate) tools: Option<Arc<dyn Tools>>,
    pub(crate) policy: Policy,
    pub(crate) prompt_timeout: Duration,
    pub(crate) max_answer_bytes: Option<usize>,
    pub(crate) max_turns: Option<u32>,
    pub(crate) flow: FlowPolicy,
}

pub(crate) async fn open_with(path: &Path, model: &ScriptedModel, setup: Setup) -> Chat {
    let store = Store::open(location(path).await).await.unwrap();
    // The same node each time: a start of a server that went down.
    let membership = Membership { id: NodeId::new(uuid::Uuid::nil()), ..Membership::alone() };
    open_as(membership, store, model, setup).await
}

/// Opens a chat on a database that other nodes may use.
pub(crate) async fn open_on(store: Store, model: &ScriptedModel, setup: Setup) -> Chat {
    open_as(Membership::alone(), store, model, setup).await
}

async fn open_as(
    membership: Membership,
    store: Store,
    model: &ScriptedModel,
    setup: Setup,
) -> Chat {
    let _installed = rustls::crypto::ring::default_provider().install_default();
    let settings = ModelSettings {
        kind: ModelKind::Anthropic,
        base_url: Some(model.base_url()),
        ..ModelSettings::default()
    };
    let key =
        |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "sk-ant-test-key-123456".to_owned());
    let mut projects = Projects::default();
    projects.add(
        "home".parse().unwrap(),
        Project {
            id: "recipes".parse().unwrap(),
            name: "Recipes".into(),
            guardrail: Guardrail::new(&GuardSettings {
                policy: setup.policy,
                ..GuardSettings::default()
            })
            .unwrap(),
            sanitizer: Sanitizer::new(&SanitizerSettings {
                known: KnownValues { secrets: vec![SECRET.to_owned()], ..KnownValues::default() },
                ..SanitizerSettings::default()
            })
            .unwrap(),
            agent: build_agent(&settings, key, setup.tools.clone()).unwrap(),
            tools: setup.tools,
            reminder: None,
            prompt_timeout: setup.prompt_timeout,
            approvers: None,
            system_prompt: Some("Be brief.".into()),
            context_tokens: 2_000,
            files: FileLimits { image_bytes: 1_000, ..FileLimits::default() },
            pdf: Arc::new(NoProcess),
            max_turns: setup.max_turns.unwrap_or(u32::MAX),
            max_answer_bytes: setup.max_answer_bytes.unwrap_or(4 << 20),
            prices: None,
            flow: setup.flow,
            flow_notes: Arc::default(),
            metrics: Arc::default(),
        },
    );
    Chat::open(store, projects, membership).await.unwrap()
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let model = ScriptedModel::start().await.unwrap();
        let chat = open_with(&dir.path().join("parlor.db"), &model, setup).await;
        Self { chat, model, dir }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("parlor.db")
    }

    pub(crate) async fn send(&self, text: &str, to: Option<ConversationId>) -> Accepted {
        self.try_send(request(text, to)).await.unwrap()
    }

    pub(crate) async fn try_send(&self, request: ChatRequest) -> Result<Accepted, ChatError> {
        self.chat.send(&caller(), &"recipes".parse().unwrap(), request).await
    }

    /// All events after an event id, until the turn is done.
    pub(crate) async fn read(&self, conversation: ConversationId, after: EventId) -> Vec<Logged> {
        read(&self.chat, conversation, after).await
    }

    /// Reads until this text has streamed; returns the last event id.
    pub(crate) async fn read_text(
        &self,
        conversation: ConversationId,
        after: EventId,
        text: &str,
    ) -> EventId {
        let mut reader = self.chat.subscribe(&caller(), conversation, Some(after)).await.unwrap();
        let mut so_far = String::new();
        loop {
            let batch = events(reader.next().await);
            so_far.push_str(&streamed(&batch));
            if so_far == text {
                return batch.last().unwrap().id;
            }
        }
    }
}

pub(crate) async fn read(chat: &Chat, id: ConversationId, after: EventId) -> Vec<Logged> {
    let mut reader = chat.subscribe(&caller(), id, Some(after)).await.unwrap();
    let mut events = Vec::new();
    loop {
        let batch = tokio::time::timeout(Duration::from_secs(60), reader.next()).await;
        events.extend(self::events(batch.expect("no event in time")));
        if matches!(events.last().unwrap().body.get(), EventBody::Done { .. }) {
            return events;
        }
    }
}

/// The events of a batch that holds no large ones.
pub(crate) fn events(batch: Option<EventBatch>) -> Vec<Logged> {
    match batch.expect("the conversation is gone") {
        EventBatch::Events(events) => events,
        EventBatch::Large(event) => panic!("{event:?} is large"),
        EventBatch::Live(bodies) => panic!("{bodies:?} are not stored"),
    }
}

/// Polls until there is a value; fails after a timeout.
pub(crate) async fn eventually<T>(what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = probe().await {
            return found;
        }
        assert!(tokio::time::Instant::now() < deadline, "{what} did not happen in time");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn caller() -> Caller {
    Caller {
        tenant: "home".parse().unwrap(),
        scope: Scope::of("home".parse().unwrap(), None),
        session: "session-1".into(),
        name: "test".into(),
        role: parlor_storage::AccessRole::User,
    }
}

pub(crate) fn request(text: &str, conversation_id: Option<ConversationId>) -> ChatRequest {
    let request = serde_json::json!({"message": text, "conversation_id": conversation_id});
    serde_json::from_value(request).unwrap()
}

/// What a person sees, one line for each event.
pub(crate) fn seen(events: &[Logged]) -> Vec<String> {
    let line = |event: &Logged| match event.body.get() {
        EventBody::Start { .. } => "start".into(),
        EventBody::BranchChosen { .. } => "branch chosen".into(),
        EventBody::Queued { .. } => "queued".into(),
        EventBody::Chunk { text, .. } => format!("chunk {text:?}"),
        EventBody::Thinking { text, .. } => format!("thinking {text:?}"),
        EventBody::Snapshot { text, .. } => format!("snapshot {text:?}"),
        EventBody::Message(message) => {
            format!("message {:?} {} {:?}", message.role, message.message_type, message.content)
        }
        EventBody::Error { message, recoverable, .. } => format!("error {recoverable} {message:?}"),
        EventBody::Done { reason, tokens_used, .. } => format!("done {reason:?} {tokens_used:?}"),
        EventBody::ToolUse { tool, status, .. } => format!("tool {tool} {status:?}"),
        EventBody::Artifact { kind, id } => format!("artifact {kind} {id}"),
        EventBody::UserPrompt(prompt) => {
            format!("prompt {:?} {:?}", prompt.prompt_type, prompt.question)
        }
        EventBody::UserPromptUpdated(_) => "prompt updated".into(),
        EventBody::UserPromptClosed(closed) => {
            format!("prompt closed {:?} {:?}", closed.outcome, closed.response)
        }
    };
    events.iter().map(line).collect()
}

/// The text of the answer, as it streamed.
pub(crate) fn streamed(events: &[Logged]) -> String {
    let text = |event: &Logged| match event.body.get() {
        EventBody::Chunk { text, .. } => text.clone(),
        _ => String::new(),
    };
    events.iter().map(text).collect()
}
