//! Nodes on a database of their own, with or without Redis between them.

use std::path::Path;

use parlor_database::Location;
use parlor_test_database::new_postgres;
use parlor_testkit::ScriptedModel;
use serde_json::{Value, json};

use crate::mcp::faulty_program;
use crate::seen::{Events, Seen};
use crate::server_process::Server;
use crate::test_app::PATIENCE;

/// The lease of the nodes in these tests.
pub(crate) const LEASE_SECONDS: u64 = 2;

/// What carries hints between the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Postgres,
    Redis,
}

/// A database, and the nodes that share it.
pub(crate) struct Cluster {
    pub(crate) model: ScriptedModel,
    pub(crate) dir: tempfile::TempDir,
    variables: Vec<(&'static str, String)>,
    config: String,
}

impl Cluster {
    /// `None` without a server for it: then the test is skipped, and says so.
    pub(crate) async fn new(channel: Channel) -> Option<Self> {
        Self::with(channel, "").await
    }

    /// The same, with further sections of the configuration.
    pub(crate) async fn with(channel: Channel, more: &str) -> Option<Self> {
        let Location::Server(url) = new_postgres().await? else { return None };
        let mut variables = vec![
            ("PARLOR_STORAGE_URL", url.expose().to_owned()),
            ("PARLOR_NODES_LEASE", format!("{LEASE_SECONDS}s")),
        ];
        if channel == Channel::Redis {
            variables.push(("PARLOR_FANOUT_URL", parlor_testkit::redis::url()?));
        }
        let config = format!(
            "[server.limits]\nmessages_per_minute = 1000\n[tenants.home.projects.recipes]\n\
             recipe_vault = false\nprompt_timeout = \"0\"\n\
             [tenants.home.projects.recipes.mcp.s]\ncommand = {:?}\n{more}",
            faulty_program()
        );
        let model = ScriptedModel::start().await.unwrap();
        Some(Self { model, dir: tempfile::tempdir().unwrap(), variables, config })
    }

    /// Starts a node. The same name has the same data directory.
    pub(crate) async fn node(&self, name: &str) -> Server {
        self.node_with(name, &[]).await
    }

    /// The same, with further variables.
    pub(crate) async fn node_with(&self, name: &str, more: &[(&str, &str)]) -> Server {
        let data = self.dir.path().join(name);
        std::fs::create_dir_all(&data).unwrap();
        let mut variables: Vec<(&str, &str)> =
            self.variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        variables.push(("PARLOR_NODES_NAME", name));
        variables.extend(more);
        Server::start_with(&data, &self.model, &self.config, &variables).await
    }

    /// The calls that arrived at the tool.
    pub(crate) fn marks(&self) -> Vec<Value> {
        marks(&self.marks_file())
    }

    /// The arguments of a call that is counted.
    pub(crate) fn mark(&self) -> Value {
        json!({"text": self.marks_file(), "number": 1})
    }

    fn marks_file(&self) -> std::path::PathBuf {
        self.dir.path().join("marks")
    }
}

fn marks(file: &Path) -> Vec<Value> {
    let marks = std::fs::read_to_string(file).unwrap_or_default();
    marks.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Sends a message and reads until the turn has begun; returns the conversation.
pub(crate) async fn begin(node: &Server, message: &str) -> (String, Events) {
    let mut events = Events::of(node.send(&json!({"message": message})).await);
    let start = events.next().await.unwrap();
    (start.data["conversation_id"].as_str().unwrap().to_owned(), events)
}

/// Reads a conversation on a node from its beginning until its turn is done.
pub(crate) async fn read(node: &Server, conversation: &str) -> Seen {
    let mut seen = Seen::default();
    Events::of(node.resume(conversation, "0").await).until_done(&mut seen).await;
    seen
}

/// The open prompt, as a node shows it.
pub(crate) async fn open_prompt(node: &Server) -> String {
    let find = async {
        loop {
            let list = node.get("/api/prompts?status=open").send().await.unwrap();
            let list: Value = serde_json::from_str(&list.text().await.unwrap()).unwrap();
            if let Some(id) = list["prompts"][0]["prompt"]["messageId"].as_str() {
                return id.to_owned();
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, find).await.expect("no prompt opens")
}

/// Answers a prompt; returns the status.
pub(crate) async fn answer(node: &Server, prompt: &str, answer: &Value) -> u16 {
    let path = format!("/api/prompts/{prompt}/response");
    node.post(&path).json(answer).send().await.unwrap().status().as_u16()
}

/// The names of the durable events that were seen.
pub(crate) fn names(seen: &Seen) -> Vec<&str> {
    seen.durable.values().map(|event| event.name.as_str()).collect()
}

/// How the turn ended.
pub(crate) fn reason(seen: &Seen) -> &str {
    seen.durable.values().next_back().and_then(|done| done.data["reason"].as_str()).unwrap()
}
