//! A process to be measured: it answers `POST /api/chat` with a stream, or a WebSocket with frames.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

/// The API key that the server is started with.
pub(crate) const KEY: &str = "bench-0123456789abcdef0123456789abcdef";

/// A server process, and how to reach it. It is killed when this is dropped.
pub(crate) struct Target {
    child: Child,
    pub(crate) url: String,
    pub(crate) client: reqwest::Client,
    pub(crate) cold_start: Duration,
    _data: Option<tempfile::TempDir>,
}

impl Target {
    /// This binary as a bare pass-through; the arguments name its upstream.
    pub(crate) async fn passthrough(words: &[&str]) -> anyhow::Result<Self> {
        let start = Instant::now();
        let mut child =
            Command::new(std::env::current_exe()?).args(words).stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take().context("no output")?;
        let mut address = String::new();
        // It prints its address once it listens.
        BufReader::new(stdout).read_line(&mut address)?;
        let (url, client) = (format!("http://{}", address.trim()), reqwest::Client::new());
        Ok(Self { child, url, client, cold_start: start.elapsed(), _data: None })
    }

    /// Waits until it responds.
    pub(crate) async fn ready(
        child: Child,
        url: String,
        start: Instant,
        data: tempfile::TempDir,
    ) -> anyhow::Result<Self> {
        let (client, cold_start) = (reqwest::Client::new(), Duration::ZERO);
        let mut target = Self { child, url, client, cold_start, _data: Some(data) };
        while start.elapsed() < Duration::from_secs(30) {
            if target.client.get(format!("{}/healthz", target.url)).send().await.is_ok() {
                target.cold_start = start.elapsed();
                return Ok(target);
            }
            if let Some(status) = target.child.try_wait()? {
                anyhow::bail!("the server does not start ({status})");
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        anyhow::bail!("{} does not answer", target.url)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A request that sends a message in a new conversation.
    pub(crate) fn chat(&self) -> reqwest::RequestBuilder {
        self.chat_in(None)
    }

    /// A request that sends a message in this conversation, or in a new one.
    pub(crate) fn chat_in(&self, conversation: Option<&str>) -> reqwest::RequestBuilder {
        let mut body = json!({"message": "Tell me something long, please."});
        if let Some(conversation) = conversation {
            body["conversation_id"] = conversation.into();
        }
        self.client
            .post(format!("{}/api/chat", self.url))
            .header("x-api-key", KEY)
            .header("content-type", "application/json")
            .body(body.to_string())
    }

    /// A request for a stream that stays open.
    pub(crate) fn events(&self, conversation: &str) -> reqwest::RequestBuilder {
        self.client
            .get(format!("{}/api/conversations/{conversation}/events", self.url))
            .header("x-api-key", KEY)
    }

    /// The address of a WebSocket.
    pub(crate) fn socket(&self, query: &str) -> Address {
        let host = self.url.trim_start_matches("http://").to_owned();
        Address { url: format!("ws://{host}/ws/chat/home/recipes{query}"), host }
    }
}

/// The address of a WebSocket.
pub(crate) struct Address {
    host: String,
    url: String,
}

impl Address {
    pub(crate) async fn open(&self) -> anyhow::Result<WebSocketStream<TcpStream>> {
        let mut request = self.url.as_str().into_client_request()?;
        request.headers_mut().insert("x-api-key", KEY.parse()?);
        let tcp = TcpStream::connect(&self.host).await?;
        tcp.set_nodelay(true)?;
        Ok(client_async(request, tcp).await?.0)
    }
}

/// The conversation that the beginning of a stream names.
pub(crate) fn conversation_in(stream: &str) -> Option<&str> {
    stream.split("\"conversation_id\":\"").nth(1)?.split('"').next()
}

impl Drop for Target {
    fn drop(&mut self) {
        // It may have exited already.
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}
