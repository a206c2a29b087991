//! A server for one test: port 0, a directory of its own, and a scripted model.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parlor_process::Supervisor;
use parlor_protocol::TenantId;
use parlor_recipes::RecipeStore;
use parlor_server::app::App;
use parlor_server::auth::prepare_credentials;
use parlor_server::clock::Clock;
use parlor_server::compose::compile;
use parlor_server::config::{Config, PublicUrl, Sources};
use parlor_server::mcp_logins::{McpLogins, SealingKey};
use parlor_server::membership::membership;
use parlor_server::serve::serve;
use parlor_server::worker_threads::WorkerThreads;
use parlor_storage::Store;
use parlor_testkit::{Script, ScriptedModel};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::logs::{self, LogCheck};
use crate::server_process::storage;

pub(crate) const PASSWORD: &str = "family password";
pub(crate) const ADMIN_PASSWORD: &str = "admin password";
pub(crate) const ADMIN_KEY: &str = "scripts-use-this-key";
const MODEL_KEY: &str = "sk-test";
/// A timeout that only turns a hang into a failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Lines of the configuration, by section.
#[derive(Default)]
pub(crate) struct Settings<'s> {
    pub(crate) limits: &'s str,
    /// Settings of the project `recipes` in the tenant `home`.
    pub(crate) project: &'s str,
    pub(crate) agent: &'s str,
    /// Whether Recipe Vault runs, as a real child process.
    pub(crate) vault: bool,
    /// Further sections of the configuration.
    pub(crate) more: &'s str,
}

pub(crate) struct TestApp {
    pub(crate) address: SocketAddr,
    pub(crate) model: ScriptedModel,
    pub(crate) clock: Clock,
    pub(crate) data_dir: PathBuf,
    client: Client,
    stop: CancellationToken,
    server: Option<JoinHandle<()>>,
    _dir: tempfile::TempDir,
    _log: LogCheck,
}

impl TestApp {
    pub(crate) async fn start() -> Self {
        Self::with("").await
    }

    /// Starts with settings of `[server.limits]`.
    pub(crate) async fn with(limits: &str) -> Self {
        Self::configured(Settings { limits, ..Settings::default() }).await
    }

    /// Starts with Recipe Vault as a real child process.
    pub(crate) async fn with_vault() -> Self {
        let limits = "messages_per_minute = 1000";
        Self::configured(Settings { limits, vault: true, ..Settings::default() }).await
    }

    pub(crate) async fn configured(settings: Settings<'_>) -> Self {
        Self::at(0, settings).await
    }

    /// Starts on a port that somebody knows beforehand.
    pub(crate) async fn at(port: u16, settings: Settings<'_>) -> Self {
        let _already = rustls::crypto::ring::default_provider().install_default();
        for known in [PASSWORD, ADMIN_PASSWORD, ADMIN_KEY, MODEL_KEY] {
            logs::secret(known);
        }
        let log = LogCheck::within();
        let dir = tempfile::tempdir().unwrap();
        let model = ScriptedModel::start().await.unwrap();
        model.always(Script::answer().text("Hel").text("lo"));
        let config = config(dir.path(), &model, &settings);
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let clock = Clock::default();
        let store = Store::open(config.storage.chat(dir.path())).await.unwrap();
        prepare_credentials(&store, &clock, &tenant("home"), &config.credentials).await.unwrap();
        let key = BTreeMap::from([("ANTHROPIC_API_KEY".to_owned(), MODEL_KEY.to_owned())]);
        let sealing = SealingKey::of_server(None, dir.path()).unwrap();
        let own = PublicUrl::of_address(address);
        let logins = McpLogins::new(store.clone(), sealing, clock.clone(), own);
        let compiled = compile(&config, key, supervisor(), logins, &clock).await.unwrap();
        let membership = membership(&config, &store).await.unwrap();
        let fanout = membership.fanout.clone();
        let composed = compiled.open(store.clone(), membership).await.unwrap();
        let recipes = RecipeStore::open(config.storage.recipes(dir.path())).await.unwrap();
        let app = App::new(config, address, store, recipes, composed, clock.clone(), fanout);
        let app = Arc::new(app);
        let stop = CancellationToken::new();
        let workers = WorkerThreads::start().unwrap();
        let server = tokio::spawn(serve(listener, app, workers, stop.clone().cancelled_owned()));
        Self {
            address,
            model,
            clock,
            data_dir: dir.path().to_owned(),
            client: Client::builder().redirect(Policy::none()).no_proxy().build().unwrap(),
            stop,
            server: Some(server),
            _dir: dir,
            _log: log,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A request without credentials.
    pub(crate) fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        self.client.request(method, self.url(path))
    }

    /// A request with the admin's key.
    pub(crate) fn admin(&self, method: &str, path: &str) -> RequestBuilder {
        self.request(method, path).header("x-api-key", ADMIN_KEY)
    }

    pub(crate) async fn post_login(&self, password: &str) -> Response {
        let body = format!("password={}", password.replace(' ', "+"));
        self.request("POST", "/login")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body)
            .send()
            .await
            .unwrap()
    }

    /// Logs in and returns the cookie.
    pub(crate) async fn log_in(&self, password: &str) -> String {
        let response = self.post_login(password).await;
        assert_eq!(response.status(), 303);
        let cookie = response.headers()["set-cookie"].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    /// Posts a message with the admin's key.
    pub(crate) async fn send(&self, body: &Value) -> Response {
        self.admin("POST", "/api/chat")
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await
            .unwrap()
    }

    /// Runs the binary on this server's data and returns its output. The server keeps running
    /// meanwhile: it may hold the lock that the binary waits for.
    pub(crate) async fn parlor(&self, arguments: &[&str], input: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.args(arguments).args(["--config", "parlor.toml"]).current_dir(&self.data_dir);
        command.env("PARLOR_DATA_DIR", &self.data_dir).env_remove("RUST_LOG");
        command.envs(storage(&self.data_dir));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let input = input.to_owned();
        let run = move || {
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
            child.wait_with_output().unwrap()
        };
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A key of the tenant `other`.
    pub(crate) async fn other_tenants_key(&self, role: &str) -> String {
        self.parlor(&["keys", "create", "--tenant", "other", "--role", role], "").await
    }

    /// Asks the server to stop.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits until it has stopped.
    pub(crate) async fn stopped(&mut self) {
        let server = self.server.take().unwrap();
        tokio::time::timeout(PATIENCE, server).await.unwrap().unwrap();
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// The status and the code of a refusal, whose format is checked.
pub(crate) async fn refusal(response: Response) -> (u16, String) {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let body: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status}: {text}"));
    assert!(body["error"]["message"].is_string(), "{text}");
    (status, body["error"]["code"].as_str().unwrap().to_owned())
}

pub(crate) async fn json(response: Response) -> Value {
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

/// Children are supervised by the real binary.
pub(crate) fn supervisor() -> Supervisor {
    Supervisor {
        executable: env!("CARGO_BIN_EXE_parlor").into(),
        arguments: vec!["supervise".to_owned()],
    }
}

pub(crate) fn tenant(id: &str) -> TenantId {
    id.parse().unwrap()
}

fn config(dir: &std::path::Path, model: &ScriptedModel, settings: &Settings<'_>) -> Config {
    let Settings { limits, project, agent, vault, more } = settings;
    let url = model.base_url();
    let scripted =
        format!("kind = \"anthropic\"\nbase_url = \"{url}\"\nretry_delay_seconds = 0.01\n{agent}");
    let agent = if agent.contains("kind =") { (*agent).to_owned() } else { scripted };
    let text = format!(
        "[server.limits]\n{limits}\n
         [tenants.home.projects.recipes]\nrecipe_vault = {vault}\n{project}\n
         [tenants.home.projects.recipes.agent]\n{agent}\n
         [tenants.home.projects.sauces.agent]\n{agent}\n
         [tenants.other.projects.recipes]\nrecipe_vault = false\n
         [tenants.other.projects.recipes.agent]\n{agent}\n{more}\n"
    );
    let file = dir.join("parlor.toml");
    std::fs::write(&file, text).unwrap();
    let environment = [
        ("PARLOR_PASSWORD", PASSWORD),
        ("PARLOR_ADMIN_PASSWORD", ADMIN_PASSWORD),
        ("PARLOR_API_KEY", ADMIN_KEY),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let storage = storage(dir).map(|(name, url)| (name.to_owned(), url));
    let environment = environment.into_iter().chain(storage).collect();
    Config::load(&Sources {
        file: Some(file),
        data_dir: Some(dir.to_owned()),
        environment,
        ..Sources::default()
    })
    .unwrap()
}
