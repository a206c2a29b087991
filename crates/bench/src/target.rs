//! A process to be measured: it answers `POST /api/chat` with a stream, or a WebSocket with frames.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

/// The API key that the server is started with.
const KEY: &str = "bench-0123456789abcdef0123456789abcdef";

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

    /// The server, with its database, in front of the same upstream.
    pub(crate) async fn parlor(binary: &str, upstream: &str) -> anyhow::Result<Self> {
        let agent = format!("kind = \"anthropic\"\nbase_url = \"{upstream}\"\n");
        Self::parlor_with(binary, &agent).await
    }

    /// The server, with its database, in front of an agent CLI.
    pub(crate) async fn parlor_with_agent(binary: &str, program: &str) -> anyhow::Result<Self> {
        let anywhere = std::env::temp_dir();
        let agent = format!(
            "kind = \"claude_code\"\n\
             [tenants.home.projects.recipes.agent.claude_code]\n\
             command = {program:?}\nworking_dir = {anywhere:?}\n"
        );
        Self::parlor_with(binary, &agent).await
    }

    async fn parlor_with(binary: &str, agent: &str) -> anyhow::Result<Self> {
        let data = tempfile::tempdir()?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let config = data.path().join("parlor.toml");
        std::fs::File::create(&config)?.write_all(
            format!(
                "[server.limits]\nmessages_per_minute = 100000\n\
                 project_messages_per_minute = 100000\ntenant_messages_per_minute = 100000\n\
                 project_turns = 100000\ntenant_turns = 100000\n\
                 [tenants.home.projects.recipes.agent]\n{agent}"
            )
            .as_bytes(),
        )?;
        let start = Instant::now();
        let child = Command::new(binary)
            .arg("serve")
            .arg("--config")
            .arg(&config)
            .args(["--bind", &format!("127.0.0.1:{port}")])
            .arg("--data-dir")
            .arg(data.path())
            .env("ANTHROPIC_API_KEY", "sk-ant-bench")
            .env("PARLOR_API_KEY", KEY)
            .env("PARLOR_PASSWORD", "bench-password")
            .env("PARLOR_ADMIN_PASSWORD", "bench-admin-password")
            .env("RUST_LOG", "warn")
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| format!("{binary} cannot be started"))?;
        Self::ready(child, format!("http://127.0.0.1:{port}"), start, data).await
    }

    /// Waits until it responds.
    async fn ready(
        child: Child,
        url: String,
        start: Instant,
        data: tempfile::TempDir,
    ) -> anyhow::Result<Self> {
        let client = reqwest::Client::new();
        while start.elapsed() < Duration::from_secs(30) {
            if client.get(format!("{url}/healthz")).send().await.is_ok() {
                let cold_start = start.elapsed();
                return Ok(Self { child, url, client, cold_start, _data: Some(data) });
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        anyhow::bail!("{url} does not answer")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A request that sends a message in a new conversation.
    pub(crate) fn chat(&self) -> reqwest::RequestBuilder {
        self.client
            .post(format!("{}/api/chat", self.url))
            .header("x-api-key", KEY)
            .header("content-type", "application/json")
            .body(r#"{"message": "Tell me something long, please."}"#)
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

impl Drop for Target {
    fn drop(&mut self) {
        // It may have exited already.
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}
