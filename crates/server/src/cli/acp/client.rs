//! The client of Parlor's own HTTP API: all that an editor does goes through it, to a server
//! elsewhere or to the one in this process.
//!
//! What the server refuses keeps its code and its sentence. A message that may have been lost
//! on the way is sent again with the same id, which begins one turn (H-5).

use std::time::Duration;

use parlor_http_client::describe;
use parlor_protocol::{
    ChatRequest, ConversationId, ErrorBody, ErrorEnvelope, EventBody, EventId, MessageId, Mode,
    ProjectId, PromptAnswer, PromptId, PromptStatus, TenantId, Timestamp, TurnId, UserPrompt,
};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::sleep;
use url::Url;

use super::event_stream::EventStream;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A stream says that it is alive every 15 seconds.
const SILENCE: Duration = Duration::from_secs(60);
/// How often a message is sent before the server counts as unreachable.
const ATTEMPTS: u32 = 4;
const FIRST_DELAY: Duration = Duration::from_millis(250);
/// The longest response that is read. A conversation may be long.
const LONGEST_RESPONSE: usize = 256 << 20;

/// A client with a key.
#[derive(Debug, Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    base: Url,
    /// Whether people find the conversations there in a browser.
    has_pages: bool,
}

/// Why a request had no success, by what the person does next.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum ClientError {
    /// Do what the server says.
    #[error("{}", .0.message)]
    Refused(Box<ErrorBody>),
    /// Use another key.
    #[error("Parlor does not accept the key in PARLOR_API_KEY; `parlor keys create` makes one")]
    Unauthorized,
    /// Look after the server or the network.
    #[error("Parlor does not answer at {url}: {why}")]
    Unreachable { url: String, why: String },
    /// Use a server of this version.
    #[error("what answers at {url} is not a Parlor of this version: {why}")]
    NotParlor { url: String, why: String },
}

/// A conversation in a list.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Conversation {
    pub(super) id: ConversationId,
    pub(super) project: ProjectId,
    pub(super) title: String,
    pub(super) mode: Mode,
    pub(super) folder: Option<String>,
    pub(super) updated_at: Timestamp,
    pub(super) running: bool,
}

/// A page of the list.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Page {
    pub(super) conversations: Vec<Conversation>,
    pub(super) next_before: Option<String>,
}

/// A conversation with its prompts, at one moment.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct View {
    #[serde(flatten)]
    pub(super) conversation: Conversation,
    pub(super) prompts: Vec<PromptView>,
    pub(super) cursor: EventId,
}

/// A prompt with its status.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct PromptView {
    pub(super) prompt: UserPrompt,
    pub(super) status: PromptStatus,
    pub(super) turn_waits: bool,
}

/// A message that was taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begun {
    pub(super) turn: TurnId,
    pub(super) message: Option<MessageId>,
}

/// An answer that was taken.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Answered {
    /// The turn that it began, if none waited for it.
    pub(super) turn_id: Option<TurnId>,
}

/// Who asks `GET /api/me`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Me {
    pub(super) tenant: TenantId,
    projects: Vec<MyProject>,
}

#[derive(Debug, Clone, Deserialize)]
struct MyProject {
    id: ProjectId,
}

impl Me {
    /// The names of all projects.
    pub(super) fn projects(&self) -> String {
        let names: Vec<&str> = self.projects.iter().map(|project| project.id.as_str()).collect();
        names.join(", ")
    }
}

impl Client {
    /// For a server elsewhere.
    pub(super) fn remote(base: Url, key: &SecretString) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder();
        Ok(Self { http: build(http, key)?, base, has_pages: true })
    }

    /// For the server in this process. No proxy is between the two.
    pub(super) fn local(base: Url, key: &SecretString) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().no_proxy();
        Ok(Self { http: build(http, key)?, base, has_pages: false })
    }

    /// The address of a conversation for a browser, if it has one that stays.
    pub(super) fn page(&self, conversation: ConversationId) -> Option<String> {
        self.has_pages.then(|| self.url(&format!("/c/{conversation}")))
    }

    pub(super) async fn me(&self) -> Result<Me, ClientError> {
        self.json(self.request(Method::GET, "/api/me")).await
    }

    /// Creates a conversation whose first message is yet to come.
    pub(super) async fn create(
        &self,
        tenant: Option<&TenantId>,
        project: &ProjectId,
        folder: &str,
    ) -> Result<Conversation, ClientError> {
        let new = json!({"tenant": tenant, "project": project, "folder": folder});
        self.json(with_body(self.request(Method::POST, "/api/conversations"), &new)).await
    }

    /// A page of the conversations of a project, newest first.
    pub(super) async fn list(
        &self,
        project: &ProjectId,
        folder: Option<&str>,
        before: Option<&str>,
    ) -> Result<Page, ClientError> {
        let mut url = self.base.clone();
        url.set_path("/api/conversations");
        url.query_pairs_mut()
            .append_pair("project", project.as_str())
            .append_pair("folder", folder.unwrap_or_default())
            .append_pair("before", before.unwrap_or_default());
        self.json(self.http.get(url)).await
    }

    /// A conversation with its prompts.
    pub(super) async fn view(&self, id: ConversationId) -> Result<View, ClientError> {
        self.json(self.request(Method::GET, &format!("/api/conversations/{id}"))).await
    }

    pub(super) async fn set_mode(&self, id: ConversationId, mode: Mode) -> Result<(), ClientError> {
        let request = self.request(Method::PATCH, &format!("/api/conversations/{id}"));
        self.json::<Value>(with_body(request, &json!({"mode": mode}))).await.map(drop)
    }

    /// Stops the running turn, if there is one.
    pub(super) async fn stop(&self, id: ConversationId) -> Result<(), ClientError> {
        let request = self.request(Method::POST, &format!("/api/conversations/{id}/stop"));
        self.json::<Value>(request).await.map(drop)
    }

    /// Sends a message, again if the connection broke. Its `client_message_id` must be set.
    pub(super) async fn send(&self, message: &ChatRequest) -> Result<Begun, ClientError> {
        let mut delay = FIRST_DELAY;
        for _ in 1..ATTEMPTS {
            match self.send_once(message).await {
                Err(ClientError::Unreachable { .. }) => sleep(delay).await,
                outcome => return outcome,
            }
            delay *= 2;
        }
        self.send_once(message).await
    }

    /// The turn goes on without this stream: only its beginning is read.
    async fn send_once(&self, message: &ChatRequest) -> Result<Begun, ClientError> {
        let request = with_body(self.request(Method::POST, "/api/chat"), message);
        let mut stream = EventStream::new(self.accepted(request).await?);
        loop {
            match stream.next().await {
                Ok(Some(event)) => {
                    if let EventBody::Start { turn_id, message_id, .. } = event.body {
                        return Ok(Begun { turn: turn_id, message: message_id });
                    }
                }
                Ok(None) => return Err(self.unreachable("the stream ended".to_owned())),
                Err(why) => return Err(self.unreachable(why)),
            }
        }
    }

    /// Answers a prompt.
    pub(super) async fn answer(
        &self,
        id: PromptId,
        answer: &PromptAnswer,
    ) -> Result<Answered, ClientError> {
        let request = self.request(Method::POST, &format!("/api/prompts/{id}/response"));
        self.json(with_body(request, answer)).await
    }

    pub(super) async fn prompt(&self, id: PromptId) -> Result<PromptView, ClientError> {
        self.json(self.request(Method::GET, &format!("/api/prompts/{id}"))).await
    }

    /// The events of a conversation after an event.
    pub(super) async fn events(
        &self,
        id: ConversationId,
        after: EventId,
    ) -> Result<EventStream, ClientError> {
        let request = self.request(Method::GET, &format!("/api/conversations/{id}/events"));
        let request = request.header("last-event-id", after.to_string());
        Ok(EventStream::new(self.accepted(request).await?))
    }

    /// The error for a connection that broke.
    pub(super) fn unreachable(&self, why: String) -> ClientError {
        ClientError::Unreachable { url: self.origin(), why }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url(path))
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin())
    }

    fn origin(&self) -> String {
        self.base.as_str().trim_end_matches('/').to_owned()
    }

    async fn json<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, ClientError> {
        let body = read(self.accepted(request).await?).await;
        let body = body.map_err(|why| self.unreachable(why))?;
        serde_json::from_slice(&body).map_err(|error| self.not_parlor(error.to_string()))
    }

    /// The response, if the server did what was asked.
    async fn accepted(&self, request: RequestBuilder) -> Result<Response, ClientError> {
        let response = request.send().await.map_err(|error| self.unreachable(describe(error)))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status == StatusCode::UNAUTHORIZED {
            return Err(ClientError::Unauthorized);
        }
        let body = read(response).await.map_err(|why| self.unreachable(why))?;
        match serde_json::from_slice::<ErrorEnvelope>(&body) {
            Ok(ErrorEnvelope { error }) => Err(ClientError::Refused(Box::new(error))),
            // A proxy has pages of its own.
            Err(_) if status.is_server_error() => Err(self.unreachable(status.to_string())),
            Err(_) => Err(self.not_parlor(status.to_string())),
        }
    }

    fn not_parlor(&self, why: String) -> ClientError {
        ClientError::NotParlor { url: self.origin(), why }
    }
}

/// The key goes with every request, and to no other server: redirects are not followed.
fn build(http: reqwest::ClientBuilder, key: &SecretString) -> anyhow::Result<reqwest::Client> {
    let mut value = HeaderValue::from_str(key.expose_secret())
        .map_err(|_| anyhow::anyhow!("PARLOR_API_KEY holds characters that no key has"))?;
    value.set_sensitive(true);
    let headers = HeaderMap::from_iter([(HeaderName::from_static("x-api-key"), value)]);
    let tls = parlor_http_client::trusted().map_err(anyhow::Error::msg)?;
    let http = http.redirect(Policy::none()).connect_timeout(CONNECT_TIMEOUT);
    let http = http.read_timeout(SILENCE).default_headers(headers).tls_backend_preconfigured(tls);
    Ok(http.build()?)
}

fn with_body(request: RequestBuilder, body: &impl Serialize) -> RequestBuilder {
    // Our own types always serialize.
    let body = serde_json::to_vec(body).unwrap_or_default();
    request.header(CONTENT_TYPE, "application/json").body(body)
}

/// The whole body, if it is not absurdly long.
async fn read(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(describe)? {
        if body.len() + piece.len() > LONGEST_RESPONSE {
            return Err(format!("it sent more than {LONGEST_RESPONSE} bytes"));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}
