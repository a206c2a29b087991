//! How a server is started to be measured.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;

use crate::target::{KEY, Target};

/// Nobody is refused because of a limit. The agent's table is the last one, so that what it has in
/// tables of its own can follow.
const LIMITS: &str = "[server.limits]\nmessages_per_minute = 6000000\n\
     project_messages_per_minute = 6000000\ntenant_messages_per_minute = 6000000\n\
     project_turns = 100000\ntenant_turns = 100000\nagent_processes = 1000\n\
     [tenants.home.projects.recipes.agent]\n";

/// A server that is not started yet: on SQLite, unless something else is said.
#[derive(Debug, Clone)]
pub(crate) struct Parlor {
    binary: String,
    agent: String,
    environment: Vec<(&'static str, String)>,
}

impl Parlor {
    /// In front of a model.
    pub(crate) fn with_model(binary: &str, upstream: &str) -> Self {
        Self::with(binary, format!("kind = \"anthropic\"\nbase_url = \"{upstream}\"\n"))
    }

    /// In front of an agent CLI.
    pub(crate) fn with_agent(binary: &str, program: &str) -> Self {
        let anywhere = std::env::temp_dir();
        let agent = format!(
            "kind = \"claude_code\"\n\
             [tenants.home.projects.recipes.agent.claude_code]\n\
             command = {program:?}\nworking_dir = {anywhere:?}\n\
             max_processes = 1000\n"
        );
        Self::with(binary, agent)
    }

    fn with(binary: &str, agent: String) -> Self {
        Self { binary: binary.to_owned(), agent, environment: Vec::new() }
    }

    /// On a PostgreSQL database.
    pub(crate) fn on(self, database: &str) -> Self {
        self.setting("PARLOR_STORAGE_URL", database)
    }

    /// With Redis between the nodes.
    pub(crate) fn fanout(self, redis: &str) -> Self {
        self.setting("PARLOR_FANOUT_URL", redis)
    }

    /// With a setting, by its environment variable.
    pub(crate) fn setting(mut self, variable: &'static str, value: &str) -> Self {
        self.environment.push((variable, value.to_owned()));
        self
    }

    /// Starts it with an empty data directory, and waits until it responds.
    pub(crate) async fn start(self) -> anyhow::Result<Target> {
        let data = tempfile::tempdir()?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let config = data.path().join("parlor.toml");
        std::fs::File::create(&config)?.write_all(format!("{LIMITS}{}", self.agent).as_bytes())?;
        let start = Instant::now();
        let child = Command::new(&self.binary)
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
            .envs(self.environment)
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| format!("{} cannot be started", self.binary))?;
        Target::ready(child, format!("http://127.0.0.1:{port}"), start, data).await
    }
}
