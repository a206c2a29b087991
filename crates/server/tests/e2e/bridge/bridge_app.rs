//! A server with an agent CLI for one test: the real binary, a scripted model, and a workspace of
//! its own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use parlor_testkit::ScriptedModel;
use reqwest::{Client, Method, RequestBuilder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::mcp::served::{SECRETS, Served};
use crate::mcp::{gone, until};
use crate::npm::install;
use crate::programs::testkit_program;

/// The path of its WebSocket.
pub(crate) const SOCKET: &str = "/ws/chat/home/desk";
const LIMITS: &str = "[server.limits]\nmessages_per_minute = 1000";
/// The project and the agent's settings; a test can add to them.
const CONFIG: &str = r#"
[server.limits]
messages_per_minute = 1000

[tenants.home.projects.desk]
recipe_vault = false
[tenants.home.projects.desk.agent]
kind = "claude_code"
base_url = "MODEL_URL"
[tenants.home.projects.desk.agent.claude_code]
command = "COMMAND"
working_dir = "WORKSPACE"
SETTINGS
[tenants.home.projects.desk.agent.claude_code.env]
HOME = "HOME_DIR"
ANTHROPIC_API_KEY = { env = "ANTHROPIC_API_KEY" }
"#;

pub(crate) struct BridgeApp {
    pub(crate) model: ScriptedModel,
    config: String,
    /// What no frame may name, beside directories and secrets.
    names: &'static [&'static str],
    served: Option<Served>,
    dir: tempfile::TempDir,
}

/// What no frame may name of the real CLI.
const NAMES: &[&str] =
    &["claude", "anthropic", "opus", "sonnet", "haiku", "sk-ant", "toolu_", "msg_"];

impl BridgeApp {
    /// The real CLI, with further settings and environment variables.
    pub(crate) async fn with_cli(settings: &str, env: &str) -> Self {
        Self::start(&cli().await, settings, env).await
    }

    /// The misbehaving agent of the testkit, with further settings and environment variables.
    pub(crate) async fn with_fake(settings: &str, env: &str) -> Self {
        let program = tokio::task::spawn_blocking(|| testkit_program("fake-agent")).await.unwrap();
        Self::start(program, settings, env).await
    }

    /// The same, with limits for the whole server.
    pub(crate) async fn limited(limits: &str) -> Self {
        let program = tokio::task::spawn_blocking(|| testkit_program("fake-agent")).await.unwrap();
        Self::configured(program, &CONFIG.replace(LIMITS, limits), "", "").await
    }

    async fn start(program: &Path, settings: &str, env: &str) -> Self {
        Self::configured(program, CONFIG, settings, env).await
    }

    async fn configured(program: &Path, config: &str, settings: &str, env: &str) -> Self {
        let model = ScriptedModel::start().await.unwrap();
        let config = config.replace("COMMAND", program.to_str().unwrap());
        let config = config.replace("SETTINGS", settings) + env;
        let mut app = Self::prepared(model, &config, NAMES);
        app.start_server();
        app
    }

    /// A server that is not started yet: its configuration with the places of this test, and the
    /// directories that it names.
    pub(crate) fn prepared(
        model: ScriptedModel,
        config: &str,
        names: &'static [&'static str],
    ) -> Self {
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let dir = tempfile::tempdir().unwrap();
        let [workspace, home] = ["workspace", "home"].map(|name| dir.path().join(name));
        fs::create_dir(&workspace).unwrap();
        fs::create_dir(&home).unwrap();
        let config = config
            .replace("MODEL_URL", &model.base_url())
            .replace("WORKSPACE", workspace.to_str().unwrap())
            .replace("HOME_DIR", home.to_str().unwrap());
        Self { model, config, names, served: None, dir }
    }

    /// Starts the server on the same data, for the first time or again.
    pub(crate) fn start_server(&mut self) {
        self.start_server_until("");
    }

    /// The same; the server stops at this fail point (`crates/chat/src/fail_point.rs`).
    pub(crate) fn start_server_until(&mut self, step: &str) {
        let log = File::options().create(true).append(true).open(self.dir.path().join("log"));
        let program = Path::new(env!("CARGO_BIN_EXE_parlor"));
        let to_file = |command: &mut std::process::Command| {
            command.stderr(log.unwrap());
            if !step.is_empty() {
                command.env("PARLOR_ABORT_AT", step);
            }
        };
        self.served = Some(Served::start(program, self.dir.path(), &self.config, to_file));
    }

    pub(crate) fn server(&self) -> &Served {
        self.served.as_ref().unwrap()
    }

    /// Asks the server to stop; it must exit with 0.
    pub(crate) fn stop_server(&mut self) {
        assert_eq!(self.served.take().unwrap().terminate(), Some(0), "{}", self.log());
    }

    /// Kills the server, as a crash would.
    pub(crate) fn kill_server(&mut self) {
        self.served.take().unwrap().kill();
    }

    /// Waits until the server has stopped at its fail point, and all its processes are gone.
    pub(crate) async fn is_cut_off(&mut self) {
        let agents = self.agents();
        gone(&[self.server().id()]).await;
        self.kill_server();
        gone(&agents).await;
    }

    /// A request with the server's key.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let (_, key) = SECRETS.iter().find(|(name, _)| *name == "PARLOR_API_KEY").unwrap();
        let url = format!("http://{}{path}", self.server().address());
        Client::new().request(method, url).header("x-api-key", *key)
    }

    /// Deletes a conversation; returns the status of the response.
    pub(crate) async fn delete(&self, conversation: &str) -> u16 {
        let request = self.request(Method::DELETE, &format!("/api/conversations/{conversation}"));
        request.send().await.unwrap().status().as_u16()
    }

    /// The agent's part of the status for admins.
    pub(crate) async fn agent_status(&self) -> Value {
        let response = self.request(Method::GET, "/api/admin/status").send().await.unwrap();
        let status: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        status["projects"][0]["agent"].clone()
    }

    /// The server's log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file of the agent's workspace.
    pub(crate) fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.dir.path().join("workspace").join(name)).ok()
    }

    /// The running agent processes: children of this server's supervisors.
    pub(crate) fn agents(&self) -> Vec<u32> {
        let all = processes();
        let supervises = |pid: u32| {
            let (_, words) = &all[&pid];
            words.contains("\0supervise\0")
        };
        let server = self.server().id();
        let below = |pid: u32| ancestors(&all, pid).contains(&server);
        let is_agent = |pid: &u32| {
            let (parent, words) = &all[pid];
            // The server asks for the version once, when it starts. A process that has exited
            // and is not reaped yet has no words.
            !words.is_empty()
                && !words.contains("\0--version")
                && below(*pid)
                && !supervises(*pid)
                && all.contains_key(parent)
                && supervises(*parent)
        };
        all.keys().copied().filter(is_agent).collect()
    }

    /// Kills the only running agent.
    pub(crate) fn kill_agent(&self) {
        let agents = self.agents();
        let [agent] = agents[..] else { panic!("{agents:?} run") };
        kill_process(Pid::from_raw(agent.try_into().unwrap()).unwrap(), Signal::KILL).unwrap();
    }

    /// Waits until no agent runs.
    pub(crate) async fn is_left(&self) {
        until("no agent is left", || self.agents().is_empty()).await;
    }

    /// What no frame may contain, in lower case: the CLI, its vendor, its models, its directories,
    /// keys and ids.
    pub(crate) fn unspeakable(&self) -> Vec<String> {
        let names = self.names.iter().copied();
        let dir = self.dir.path().to_str().unwrap();
        let secrets = SECRETS.iter().map(|(_, value)| *value);
        names.chain([dir]).chain(secrets).map(str::to_lowercase).collect()
    }
}

/// The native program of the real CLI: the package's install script would only link it.
async fn cli() -> PathBuf {
    let packages = install("bridge/agent_cli").await.join("node_modules/@anthropic-ai");
    let programs = fs::read_dir(&packages).unwrap().map(|entry| entry.unwrap().path());
    let mut programs = programs.map(|package| package.join("claude")).filter(|file| file.is_file());
    programs.next().unwrap_or_else(|| panic!("there is no CLI for this platform"))
}

/// All processes, with parent and command line.
fn processes() -> BTreeMap<u32, (u32, String)> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let process = |pid: u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let is_gone = matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let words = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let words = String::from_utf8_lossy(&words).into_owned();
        (!is_gone).then_some((pid, (parent, words)))
    };
    pids.filter_map(process).collect()
}

fn ancestors(all: &BTreeMap<u32, (u32, String)>, pid: u32) -> Vec<u32> {
    let parent = |pid: &u32| all.get(pid).map(|(parent, _)| *parent);
    std::iter::successors(parent(&pid), parent).collect()
}
