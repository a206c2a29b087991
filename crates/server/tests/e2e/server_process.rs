//! The real binary as a process of its own, which can be killed.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use parlor_testkit::ScriptedModel;
use reqwest::{Client, RequestBuilder, Response};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::logs::{self, LogCheck};
use crate::test_app::PATIENCE;

const STORAGE_URL: &str = "PARLOR_STORAGE_URL";
pub(crate) const KEY: &str = "survival-0123456789abcdef0123456789";
const MODEL_KEY: &str = "sk-ant-survival";
const PASSWORD: &str = "a-family-password";
const ADMIN_PASSWORD: &str = "an-admin-password";

/// The variable with the database of a data directory, if that is not a file in it.
pub(crate) fn storage(data: &Path) -> Option<(&'static str, String)> {
    parlor_test_database::url(&data.join("parlor.db")).map(|url| (STORAGE_URL, url))
}

/// Writes a configuration with a scripted model and further sections.
pub(crate) fn configure(data: &Path, model: &ScriptedModel, more: &str) -> PathBuf {
    let config = data.join("parlor.toml");
    let agent = format!("kind = \"anthropic\"\nbase_url = \"{}\"\n", model.base_url());
    let sections = format!("[tenants.home.projects.recipes.agent]\n{agent}\n{more}");
    std::fs::write(&config, sections).unwrap();
    config
}

/// A port that is free now.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The server as a process of its own.
pub(crate) struct Server {
    child: Child,
    url: String,
    client: Client,
    log: LogCheck,
}

impl Server {
    /// Starts the server, and waits until it responds.
    pub(crate) async fn start(data: &Path, model: &ScriptedModel) -> Self {
        Self::spawn(data, model).ready().await
    }

    /// Starts the server with further sections of the configuration and variables, and waits until
    /// it responds.
    pub(crate) async fn start_with(
        data: &Path,
        model: &ScriptedModel,
        more: &str,
        variables: &[(&str, &str)],
    ) -> Self {
        Self::spawn_with(data, model, more, variables, free_port()).ready().await
    }

    /// Starts the server at this port, and waits until it responds.
    pub(crate) async fn start_at(
        port: u16,
        data: &Path,
        model: &ScriptedModel,
        more: &str,
    ) -> Self {
        Self::spawn_with(data, model, more, &[], port).ready().await
    }

    async fn ready(self) -> Self {
        let ready = async {
            while self.client.get(format!("{}/healthz", self.url)).send().await.is_err() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, ready).await.expect("the server did not start");
        self
    }

    /// Starts the server without waiting.
    pub(crate) fn spawn(data: &Path, model: &ScriptedModel) -> Self {
        Self::spawn_with(data, model, "", &[], free_port())
    }

    fn spawn_with(
        data: &Path,
        model: &ScriptedModel,
        more: &str,
        variables: &[(&str, &str)],
        port: u16,
    ) -> Self {
        let _installed = rustls::crypto::ring::default_provider().install_default();
        for known in [KEY, MODEL_KEY, PASSWORD, ADMIN_PASSWORD] {
            logs::secret(known);
        }
        let config = configure(data, model, more);
        // Not in the data directory, which a test may fill, break or forbid.
        let log = tempfile::NamedTempFile::new().unwrap().into_temp_path().keep().unwrap();
        let written = std::fs::File::create(&log).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_parlor"))
            .args(["serve", "--bind", &format!("127.0.0.1:{port}")])
            .arg("--config")
            .arg(&config)
            .arg("--data-dir")
            .arg(data)
            .env("ANTHROPIC_API_KEY", MODEL_KEY)
            .env("PARLOR_API_KEY", KEY)
            .env("PARLOR_PASSWORD", PASSWORD)
            .env("PARLOR_ADMIN_PASSWORD", ADMIN_PASSWORD)
            .envs(storage(data))
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(written)
            .spawn()
            .unwrap();
        let client = Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        let log = LogCheck::of_file(log);
        Self { child, url: format!("http://127.0.0.1:{port}"), client, log }
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url)).header("x-api-key", KEY)
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.url)).header("x-api-key", KEY)
    }

    pub(crate) fn put(&self, path: &str) -> RequestBuilder {
        self.client.put(format!("{}{path}", self.url)).header("x-api-key", KEY)
    }

    pub(crate) fn patch(&self, path: &str) -> RequestBuilder {
        self.client.patch(format!("{}{path}", self.url)).header("x-api-key", KEY)
    }

    /// The same, with a session.
    pub(crate) fn patch_as(&self, path: &str, cookie: &str) -> RequestBuilder {
        let request = self.client.patch(format!("{}{path}", self.url));
        request.header("origin", &self.url).header("cookie", cookie)
    }

    pub(crate) fn delete(&self, path: &str) -> RequestBuilder {
        self.client.delete(format!("{}{path}", self.url)).header("x-api-key", KEY)
    }

    /// A request without the key.
    pub(crate) fn anonymous(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.url))
    }

    /// A request without credentials.
    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        self.client.request(method, format!("{}{path}", self.url))
    }

    /// A request without the key, from a page of the server.
    pub(crate) fn anonymous_post(&self, path: &str) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.url)).header("origin", &self.url)
    }

    /// Logs in; returns the cookie.
    pub(crate) async fn log_in(&self, password: &str) -> String {
        let form = format!("tenant=home&password={password}");
        let form = self.anonymous_post("/login").body(form);
        let form = form.header("content-type", "application/x-www-form-urlencoded");
        let response = form.send().await.unwrap();
        let cookie = response.headers()["set-cookie"].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// What it wrote to its log so far.
    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// Whether the process has exited.
    pub(crate) fn is_dead(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) async fn send(&self, body: &Value) -> Response {
        let request = self.client.post(format!("{}/api/chat", self.url)).body(body.to_string());
        let request = request.header("content-type", "application/json").header("x-api-key", KEY);
        request.send().await.unwrap()
    }

    pub(crate) async fn resume(&self, conversation: &str, after: &str) -> Response {
        let path = format!("/api/conversations/{conversation}/events");
        self.get(&path).header("last-event-id", after).send().await.unwrap()
    }

    pub(crate) async fn conversation(&self, id: &str) -> Value {
        let response = self.get(&format!("/api/conversations/{id}")).send().await.unwrap();
        serde_json::from_str(&response.text().await.unwrap()).unwrap()
    }

    /// The prompt that waits.
    pub(crate) async fn open_prompt(&self) -> Value {
        eventually("no prompt opened", async || {
            let list = self.get("/api/prompts?status=open").send().await.unwrap();
            let list: Value = serde_json::from_str(&list.text().await.unwrap()).unwrap();
            let prompts = list["prompts"].as_array().unwrap();
            prompts.first().map(|open| open["prompt"].clone())
        })
        .await
    }

    /// Answers a prompt.
    pub(crate) async fn answer(&self, prompt: &Value, response: &Value) {
        let path = format!("/api/prompts/{}/response", prompt["messageId"].as_str().unwrap());
        let body = serde_json::json!({ "response": response });
        let taken = self.post(&path).json(&body).send().await.unwrap();
        assert_eq!(taken.status(), 200, "{}", taken.text().await.unwrap());
    }

    /// Waits until no turn of a conversation runs.
    pub(crate) async fn until_idle(&self, conversation: &str) {
        eventually("its turn never ended", async || {
            let view = self.conversation(conversation).await;
            (view["running"] == false).then_some(())
        })
        .await;
    }

    /// Waits until an MCP server of the first project is ready.
    pub(crate) async fn until_mcp_is_ready(&self, server: &str) {
        let ready = format!(r#""server":"{server}","state":"ready""#);
        eventually("the MCP server is not ready", async || {
            let status = self.get("/api/admin/status").send().await.unwrap();
            status.text().await.unwrap().contains(&ready).then_some(())
        })
        .await;
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Asks it to stop.
    pub(crate) fn terminate(&self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
    }

    /// Waits until it has exited; returns its exit code.
    pub(crate) async fn ended(mut self) -> Option<i32> {
        let ended = async {
            loop {
                if let Some(status) = self.child.try_wait().unwrap() {
                    return status.code();
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, ended).await.expect("it does not end")
    }

    /// Kills it, as a crash would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Looks again and again until there is something.
pub(crate) async fn eventually<T>(otherwise: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.unwrap_or_else(|_| panic!("{otherwise}"))
}

/// `parlor audit export`, line by line.
pub(crate) fn audit(data: &Path) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
    command.args(["audit", "export", "--config"]).arg(data.join("parlor.toml"));
    command.arg("--data-dir").arg(data).envs(storage(data));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
