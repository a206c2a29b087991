//! What is measured: a process that answers `POST /api/chat` with a stream.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

/// The key that the server is started with.
const KEY: &str = "bench-0123456789abcdef0123456789abcdef";

/// A server process and how to talk to it. It ends with this value.
pub(crate) struct Target {
    child: Child,
    pub(crate) url: String,
    pub(crate) client: reqwest::Client,
    pub(crate) cold_start: Duration,
    _data: Option<tempfile::TempDir>,
}

impl Target {
    /// This binary as a bare pass-through.
    pub(crate) async fn passthrough(upstream: &str) -> anyhow::Result<Self> {
        let start = Instant::now();
        let mut child = Command::new(std::env::current_exe()?)
            .args(["passthrough", upstream])
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().context("no output")?;
        let mut address = String::new();
        BufReader::new(stdout).read_line(&mut address)?;
        Self::ready(child, format!("http://{}", address.trim()), start, None).await
    }

    /// The server, with storage on, in front of the same upstream.
    pub(crate) async fn parlor(binary: &str, upstream: &str) -> anyhow::Result<Self> {
        let data = tempfile::tempdir()?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let config = data.path().join("parlor.toml");
        std::fs::File::create(&config)?.write_all(
            format!(
                "[server.limits]\nmessages_per_minute = 100000\n\
                 [tenants.home.projects.recipes.agent]\nkind = \"anthropic\"\nbase_url = \"{upstream}\"\n"
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
        Self::ready(child, format!("http://127.0.0.1:{port}"), start, Some(data)).await
    }

    /// Waits until it answers.
    async fn ready(
        child: Child,
        url: String,
        start: Instant,
        data: Option<tempfile::TempDir>,
    ) -> anyhow::Result<Self> {
        let client = reqwest::Client::new();
        while start.elapsed() < Duration::from_secs(30) {
            if client.get(format!("{url}/healthz")).send().await.is_ok() {
                let cold_start = start.elapsed();
                return Ok(Self { child, url, client, cold_start, _data: data });
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        anyhow::bail!("{url} does not answer")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A message that begins a new conversation.
    pub(crate) fn chat(&self) -> reqwest::RequestBuilder {
        self.client
            .post(format!("{}/api/chat", self.url))
            .header("x-api-key", KEY)
            .header("content-type", "application/json")
            .body(r#"{"message": "Tell me something long, please."}"#)
    }

    /// A stream that stays open.
    pub(crate) fn events(&self, conversation: &str) -> reqwest::RequestBuilder {
        self.client
            .get(format!("{}/api/conversations/{conversation}/events", self.url))
            .header("x-api-key", KEY)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // It may be gone already; then there is nothing to end.
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}
