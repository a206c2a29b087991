//! The methods of the Agent Client Protocol, version 1, for one project.
//!
//! Sessions are conversations: `session/new` creates one, `session/load` shows all of it
//! before it responds, `session/resume` shows nothing. The folder of the editor is kept with
//! the conversation; one that began in a browser has none, and is listed as if it belonged to
//! the folder in which this process was started.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES as METHODS, AgentCapabilities, CloseSessionRequest, CloseSessionResponse,
    Error, Implementation, InitializeRequest, InitializeResponse, ListSessionsRequest,
    ListSessionsResponse, LoadSessionRequest, LoadSessionResponse, NewSessionRequest,
    NewSessionResponse, PromptCapabilities, PromptRequest, ResumeSessionRequest,
    ResumeSessionResponse, SessionCapabilities, SessionCloseCapabilities, SessionId, SessionInfo,
    SessionListCapabilities, SessionMode, SessionModeState, SessionResumeCapabilities,
    SetSessionModeRequest, SetSessionModeResponse,
};
use parlor_protocol::{
    ConversationId, ErrorCode, EventId, Mode, ProjectId, PromptStatus, TenantId,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::activity::{Activity, OpenPrompt, Way};
use super::client::{Client, ClientError, Conversation, PromptView, View};
use super::content::PersonMessage;
use super::editor::Editor;
use super::errors;
use super::follower::Follower;
use super::json_rpc::value;
use super::session::{EditorSession, Prompted};
use super::updates::Shown;
use crate::timestamp::iso;

/// The agent that an editor talks to.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) client: Arc<Client>,
    pub(super) editor: Arc<Editor>,
    /// The tenant, if the command line names it.
    pub(super) tenant: Option<TenantId>,
    pub(super) project: ProjectId,
    /// The folder in which this process was started.
    pub(super) folder: PathBuf,
    pub(super) sessions: Sessions,
}

/// The conversations that the editor has open.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<HashMap<ConversationId, Arc<EditorSession>>>);

/// A request that was begun.
#[derive(Debug)]
pub(super) enum Begun {
    /// It waits for the end of a turn.
    Prompt(Prompted),
    /// It is carried out next.
    Request { method: String, params: Value },
}

/// The result of a request.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) result: Value,
    /// A conversation whose turn is followed once the editor has the result.
    pub(super) attach: Option<Arc<EditorSession>>,
}

impl Agent {
    /// Begins a request. What has to happen in the order in which the editor wrote happens
    /// here: a cancel that follows a prompt must find it.
    pub(super) fn begin(&self, method: String, params: Value) -> Result<Begun, Error> {
        if method != METHODS.session_prompt {
            return Ok(Begun::Request { method, params });
        }
        let request: PromptRequest = parameters(params)?;
        let session = self.session(&request.session_id)?;
        session.prompt(PersonMessage::from_blocks(request.prompt)?).map(Begun::Prompt)
    }

    /// Carries a request out.
    pub(super) async fn carry_out(&self, begun: Begun) -> Result<Reply, Error> {
        let (method, params) = match begun {
            Begun::Prompt(prompted) => return Ok(plain(&prompted.ended().await?)),
            Begun::Request { method, params } => (method, params),
        };
        match method.as_str() {
            name if name == METHODS.initialize => self.initialize(parameters(params)?),
            name if name == METHODS.session_new => self.new_session(parameters(params)?).await,
            name if name == METHODS.session_load => self.load(parameters(params)?).await,
            name if name == METHODS.session_resume => self.resume(parameters(params)?).await,
            name if name == METHODS.session_list => self.list(parameters(params)?).await,
            name if name == METHODS.session_close => self.close(&parameters(params)?),
            name if name == METHODS.session_set_mode => self.set_mode(parameters(params)?).await,
            name if name == METHODS.authenticate => {
                Err(errors::invalid("Parlor takes its key from PARLOR_API_KEY."))
            }
            _ => Err(Error::method_not_found().data(value(&method))),
        }
    }

    /// `session/cancel`, or the cancel of a prompt.
    pub(super) fn cancel(&self, id: &SessionId) {
        if let Ok(session) = self.session(id) {
            session.cancel();
        }
    }

    fn initialize(&self, request: InitializeRequest) -> Result<Reply, Error> {
        self.editor.set_capabilities(request.client_capabilities);
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .session_capabilities(sessions);
        let info = Implementation::new("parlor", env!("CARGO_PKG_VERSION"));
        // Whatever version the editor asks for, this is the one that is spoken here.
        let response = InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .agent_info(info.title("Parlor".to_owned()));
        Ok(plain(&response))
    }

    async fn new_session(&self, request: NewSessionRequest) -> Result<Reply, Error> {
        if !request.mcp_servers.is_empty() {
            tracing::info!("the editor's MCP servers are not used: tools belong to the project");
        }
        let folder = folder(&request.cwd)?;
        let created = self.client.create(self.tenant.as_ref(), &self.project, folder).await;
        let created = match created {
            Ok(created) => created,
            Err(error) => return Err(self.why_not_created(error).await),
        };
        let session = self.open(created.id, EventId::durable(0), Vec::new());
        let id = session_id(created.id);
        self.sessions.insert(session);
        Ok(plain(&NewSessionResponse::new(id).modes(modes(created.mode))))
    }

    /// The server does not say which projects there are to somebody who names another.
    async fn why_not_created(&self, error: ClientError) -> Error {
        let is_unknown =
            matches!(&error, ClientError::Refused(body) if body.code == ErrorCode::NotFound);
        if is_unknown && let Ok(me) = self.client.me().await {
            let wrong = match &self.tenant {
                Some(tenant) if *tenant != me.tenant => {
                    format!("The key belongs to the tenant '{}', not to '{tenant}'.", me.tenant)
                }
                _ => format!(
                    "There is no project '{}'; known projects: {}.",
                    self.project,
                    me.projects()
                ),
            };
            return errors::invalid(wrong);
        }
        errors::of_client(&error)
    }

    async fn load(&self, request: LoadSessionRequest) -> Result<Reply, Error> {
        let view = self.view(&request.session_id).await?;
        let (id, mode) = (view.conversation.id, view.conversation.mode);
        let open = open_prompts(&view, true);
        let mut activity = self.activity(id, EventId::durable(0), open);
        self.replay(&mut activity, view.cursor).await?;
        let session = Arc::new(EditorSession::start(activity));
        self.sessions.insert(Arc::clone(&session));
        let response = LoadSessionResponse::new().modes(modes(mode));
        let attach = view.conversation.running.then_some(session);
        Ok(Reply { result: value(&response), attach })
    }

    /// Shows everything up to an event, and how open questions are answered.
    async fn replay(&self, activity: &mut Activity, cursor: EventId) -> Result<(), Error> {
        let gone = |_| Error::internal_error();
        while activity.follower.position() < cursor {
            let event = activity.follower.next().await;
            let event = event.map_err(|error| errors::of_client(&error))?;
            let updates = activity.shown.updates(&event);
            self.editor.update(&activity.id, updates).await.map_err(gone)?;
        }
        let open: Vec<OpenPrompt> = activity.open.clone();
        for OpenPrompt { prompt, .. } in open {
            if activity.way(&prompt) == Way::Text {
                activity.show(&prompt).await.map_err(gone)?;
            }
        }
        Ok(())
    }

    async fn resume(&self, request: ResumeSessionRequest) -> Result<Reply, Error> {
        let view = self.view(&request.session_id).await?;
        let open = open_prompts(&view, false);
        let session = self.open(view.conversation.id, view.cursor, open);
        self.sessions.insert(session);
        Ok(plain(&ResumeSessionResponse::new().modes(modes(view.conversation.mode))))
    }

    async fn list(&self, request: ListSessionsRequest) -> Result<Reply, Error> {
        let cwd = request.cwd.as_deref().map(folder).transpose()?;
        let page = self.client.list(&self.project, cwd, request.cursor.as_deref()).await;
        let page = page.map_err(|error| errors::of_client(&error))?;
        let info = |found: &Conversation| {
            let cwd = found.folder.as_ref().map_or_else(|| self.folder.clone(), PathBuf::from);
            SessionInfo::new(session_id(found.id), cwd)
                .title(found.title.clone())
                .updated_at(iso(found.updated_at))
        };
        let sessions = page.conversations.iter().map(info).collect();
        Ok(plain(&ListSessionsResponse::new(sessions).next_cursor(page.next_before)))
    }

    /// The conversation stays, and what waits in it for an answer.
    fn close(&self, request: &CloseSessionRequest) -> Result<Reply, Error> {
        let session = self.session(&request.session_id)?;
        session.close();
        self.sessions.remove(session.conversation());
        Ok(plain(&CloseSessionResponse::new()))
    }

    async fn set_mode(&self, request: SetSessionModeRequest) -> Result<Reply, Error> {
        let session = self.session(&request.session_id)?;
        let mode = match &*request.mode_id.0 {
            "plan" => Mode::Plan,
            "act" => Mode::Act,
            other => {
                return Err(errors::invalid(format!("There is no mode '{other}': plan or act.")));
            }
        };
        let set = self.client.set_mode(session.conversation(), mode).await;
        set.map_err(|error| errors::of_client(&error))?;
        Ok(plain(&SetSessionModeResponse::new()))
    }

    /// A conversation of this project.
    async fn view(&self, id: &SessionId) -> Result<View, Error> {
        let not_found = || errors::no_session(&id.0);
        let conversation = id.0.parse().map_err(|_| not_found())?;
        match self.client.view(conversation).await {
            Ok(view) if view.conversation.project == self.project => Ok(view),
            Ok(_) => Err(not_found()),
            Err(ClientError::Refused(body)) if body.code == ErrorCode::NotFound => Err(not_found()),
            Err(error) => Err(errors::of_client(&error)),
        }
    }

    fn session(&self, id: &SessionId) -> Result<Arc<EditorSession>, Error> {
        let conversation = id.0.parse().ok();
        let open = conversation.and_then(|id| self.sessions.get(id));
        open.ok_or_else(|| errors::no_session(&id.0))
    }

    fn open(
        &self,
        id: ConversationId,
        position: EventId,
        open: Vec<OpenPrompt>,
    ) -> Arc<EditorSession> {
        Arc::new(EditorSession::start(self.activity(id, position, open)))
    }

    fn activity(
        &self,
        conversation: ConversationId,
        position: EventId,
        open: Vec<OpenPrompt>,
    ) -> Activity {
        Activity {
            id: session_id(conversation),
            conversation,
            client: Arc::clone(&self.client),
            editor: Arc::clone(&self.editor),
            follower: Follower::new(Arc::clone(&self.client), conversation, position),
            shown: Shown::default(),
            open,
        }
    }
}

impl Sessions {
    fn insert(&self, session: Arc<EditorSession>) {
        self.all().insert(session.conversation(), session);
    }

    fn get(&self, id: ConversationId) -> Option<Arc<EditorSession>> {
        self.all().get(&id).cloned()
    }

    fn remove(&self, id: ConversationId) {
        self.all().remove(&id);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<ConversationId, Arc<EditorSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn plain(result: &impl Serialize) -> Reply {
    Reply { result: value(result), attach: None }
}

/// Absent parameters count as empty ones.
fn parameters<T: DeserializeOwned>(params: Value) -> Result<T, Error> {
    let params = if params.is_null() { Value::Object(Default::default()) } else { params };
    serde_json::from_value(params).map_err(|error| errors::invalid(error.to_string()))
}

fn open_prompts(view: &View, is_shown: bool) -> Vec<OpenPrompt> {
    let open = view.prompts.iter().filter(|prompt| prompt.status == PromptStatus::Open);
    let open = open.map(|PromptView { prompt, turn_waits, .. }| OpenPrompt {
        prompt: prompt.clone(),
        turn_waits: *turn_waits,
        is_shown,
    });
    open.collect()
}

fn session_id(conversation: ConversationId) -> SessionId {
    SessionId::new(conversation.to_string())
}

fn modes(current: Mode) -> SessionModeState {
    let mode = |id: &'static str, name: &str, description: &str| {
        SessionMode::new(id, name).description(description.to_owned())
    };
    let current = match current {
        Mode::Plan => "plan",
        Mode::Act => "act",
    };
    let act = mode("act", "Act", "Tools may change things; what matters asks first.");
    let plan = mode("plan", "Plan", "Only tools that read; the agent presents a plan.");
    SessionModeState::new(current, vec![act, plan])
}

fn folder(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| errors::invalid("cwd: it is not Unicode"))
}
