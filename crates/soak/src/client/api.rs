//! Requests of clients, and what their responses mean: done, again later, not now, or wrong.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;
use tokio::time::timeout;

use super::stream::EventStream;
use crate::cluster::{KEY, PASSWORD, PROJECT, TENANT};
use crate::event::Position;
use crate::evidence::Record;
use crate::violation::Kind;

/// How long a response may take. A paused node keeps a request for longer; then it is sent again.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a request was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Nobody knows whether it was; it has to be sent again.
    Again,
    /// It makes no sense now: another turn runs, or a prompt is closed.
    NotNow,
    /// It makes no sense at all, which is a violation.
    Wrong,
}

/// The way to the cluster.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    pub(crate) address: String,
    pub(crate) record: Record,
    /// How a client proves who it is: the headers of each request.
    pub(crate) credentials: Vec<(&'static str, String)>,
    client: reqwest::Client,
}

impl Api {
    pub(crate) fn new(address: &str, record: Record) -> anyhow::Result<Self> {
        // Each request has a connection of its own: a proxy sends it anywhere.
        let client = reqwest::Client::builder()
            .no_proxy()
            .pool_max_idle_per_host(0)
            .connect_timeout(Duration::from_secs(2))
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let credentials = vec![("x-api-key", KEY.to_owned())];
        Ok(Self { address: address.to_owned(), record, credentials, client })
    }

    /// The same, for somebody who logs in: every node must know the session that any node began.
    pub(crate) async fn logged_in(&self) -> anyhow::Result<Self> {
        let origin = self.url("");
        let request = self.client.post(self.url("/login")).header("origin", &origin);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let response = request.body(format!("password={PASSWORD}")).send().await?;
        let cookie = response.headers().get("set-cookie").context("no session was begun")?;
        let cookie = cookie.to_str()?.split(';').next().unwrap_or_default().to_owned();
        Ok(Self { credentials: vec![("cookie", cookie), ("origin", origin)], ..self.clone() })
    }

    /// A response as JSON.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, Refusal> {
        self.json(self.client.get(self.url(path))).await
    }

    /// The response to a request with a body.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, Refusal> {
        self.json(self.with_body(path, body)).await
    }

    /// Sends a message; the response is the stream of its turn.
    pub(crate) async fn chat(&self, body: &Value) -> Result<EventStream, Refusal> {
        Ok(EventStream::new(self.send(self.with_body("/api/chat", body)).await?))
    }

    /// Follows a conversation.
    pub(crate) async fn events(
        &self,
        conversation: &str,
        after: Position,
    ) -> Result<EventStream, Refusal> {
        let url = self.url(&format!("/api/conversations/{conversation}/events"));
        let request = self.client.get(url).header("last-event-id", after.to_string());
        Ok(EventStream::new(self.send(request).await?))
    }

    /// The path of a WebSocket.
    pub(crate) fn socket(conversation: &str, after: Position) -> String {
        format!("/ws/chat/{TENANT}/{PROJECT}?conversation_id={conversation}&after={after}")
    }

    /// Judges an error by its status and code, and writes it down.
    pub(crate) fn judge(&self, status: Option<u16>, code: &str, what: &str) -> Refusal {
        let refusal = match (status, code) {
            (Some(408 | 429 | 502 | 503 | 504), _) | (None, "rate_limited" | "unavailable") => {
                Refusal::Again
            }
            (Some(409), _) | (None, "turn_running" | "prompt_open" | "prompt_closed") => {
                Refusal::NotNow
            }
            _ => Refusal::Wrong,
        };
        let status = status.map_or("frame".to_owned(), |status| status.to_string());
        self.record.refused(&format!("{status} {code}"));
        if refusal == Refusal::Wrong {
            let what = format!("{status} {code} for {what}");
            self.record.violated(Kind::ResponseUnexpected.because(what));
        }
        refusal
    }

    async fn json(&self, request: reqwest::RequestBuilder) -> Result<Value, Refusal> {
        let response = self.send(request).await?;
        let body = timeout(PATIENCE, response.text()).await.map_err(|_| Refusal::Again)?;
        serde_json::from_str(&body.map_err(|_| Refusal::Again)?).map_err(|_| Refusal::Again)
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<reqwest::Response, Refusal> {
        let add = |request: reqwest::RequestBuilder, (name, value): &(&str, String)| {
            request.header(*name, value)
        };
        let request = self.credentials.iter().fold(request, add);
        let sent = timeout(PATIENCE, request.send()).await;
        let Ok(Ok(response)) = sent else {
            self.record.refused("no response");
            return Err(Refusal::Again);
        };
        let (status, path) = (response.status(), response.url().path().to_owned());
        if status.is_success() {
            return Ok(response);
        }
        let body = timeout(PATIENCE, response.text()).await.ok().and_then(Result::ok);
        let body: Value =
            body.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let code = body["error"]["code"].as_str().unwrap_or("of the proxy");
        Err(self.judge(Some(status.as_u16()), code, &path))
    }

    fn with_body(&self, path: &str, body: &Value) -> reqwest::RequestBuilder {
        let request = self.client.post(self.url(path)).header("content-type", "application/json");
        request.body(body.to_string())
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}
