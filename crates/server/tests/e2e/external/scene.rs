//! A server with a tool that needs approval and one that asks, which can be killed and comes back
//! at the same address.

use std::path::PathBuf;

use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::mcp::faulty_program;
use crate::server_process::{Server, free_port};

/// A server, its model and what its tool did.
pub(super) struct Scene {
    pub(super) model: ScriptedModel,
    server: Option<Server>,
    port: u16,
    dir: tempfile::TempDir,
    more: String,
}

impl Scene {
    pub(super) async fn start() -> Self {
        Self::start_with("").await
    }

    /// The same with more settings, the first of them limits.
    pub(super) async fn start_with(more: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let model = ScriptedModel::start().await.unwrap();
        let port = free_port();
        let server = Server::start_at(port, dir.path(), &model, &settings(more)).await;
        // Its tools are known: a client's tool of the same name is refused.
        server.until_mcp_is_ready("s").await;
        Self { model, server: Some(server), port, dir, more: more.to_owned() }
    }

    pub(super) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// An address of the server.
    pub(super) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Kills the server as a crash would, and starts it again at the same address.
    pub(super) async fn kill_and_restart(&mut self) {
        self.server.take().unwrap().kill();
        let (dir, model) = (self.dir.path(), &self.model);
        self.server = Some(Server::start_at(self.port, dir, model, &settings(&self.more)).await);
    }

    /// The model calls the tool that needs approval, and then says something.
    pub(super) fn will_mark(&self, after: &str) {
        let input = json!({"text": self.marks_file(), "number": 1});
        self.model.push(Script::answer().text("I will. ").tool_use("t1", "s_mark", &input));
        self.model.push(Script::answer().text(after));
    }

    /// How often that tool has run.
    pub(super) fn marks(&self) -> usize {
        std::fs::read_to_string(self.marks_file()).unwrap_or_default().lines().count()
    }

    /// The one open prompt.
    pub(super) async fn open_prompt(&self) -> Value {
        let list = self.get("/api/prompts?status=open").await;
        let prompts = list["prompts"].as_array().unwrap();
        assert_eq!(prompts.len(), 1, "{list}");
        prompts[0]["prompt"].clone()
    }

    /// Another device answers the one open prompt.
    pub(super) async fn answer_elsewhere(&self, response: &str) {
        let id = self.open_prompt().await["messageId"].as_str().unwrap().to_owned();
        let request = self.server().post(&format!("/api/prompts/{id}/response"));
        let body = json!({"response": response}).to_string();
        let answered = request.header("content-type", "application/json").body(body);
        assert_eq!(answered.send().await.unwrap().status(), 200);
    }

    /// The messages of the only conversation, as `role: text`.
    pub(super) async fn messages(&self) -> Vec<String> {
        let list = self.get("/api/conversations").await;
        let conversations = list["conversations"].as_array().unwrap();
        assert_eq!(conversations.len(), 1, "{list}");
        let id = conversations[0]["id"].as_str().unwrap();
        let view = self.server().conversation(id).await;
        let messages = view["messages"].as_array().unwrap().iter();
        messages
            .map(|message| {
                let text = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
                format!("{}: {}", text("role"), text("content"))
            })
            .collect()
    }

    /// How many conversations there are.
    pub(super) async fn conversations(&self) -> usize {
        self.get("/api/conversations").await["conversations"].as_array().unwrap().len()
    }

    async fn get(&self, path: &str) -> Value {
        let response = self.server().get(path).send().await.unwrap();
        serde_json::from_str(&response.text().await.unwrap()).unwrap()
    }

    fn marks_file(&self) -> PathBuf {
        self.dir.path().join("marks")
    }
}

/// `s_mark` needs approval, `s_ask` does not; prompts do not expire.
fn settings(more: &str) -> String {
    format!(
        "[server.limits]\nmessages_per_minute = 1000\n{more}\
         [tenants.home.projects.recipes]\nrecipe_vault = false\nprompt_timeout = \"0\"\n\
         [tenants.home.projects.recipes.mcp.s]\ncommand = {:?}\n\
         [tenants.home.projects.recipes.mcp.s.tools.ask]\naction = \"allow\"\n",
        faulty_program()
    )
}
