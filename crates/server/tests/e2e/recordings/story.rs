//! A conversation with the server, and every event that a page would read of it.

use std::time::Duration;

use parlor_testkit::{Gate, Script};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::check;
use crate::streams::{Event, Events, text};
use crate::test_app::{PATIENCE, Settings, TestApp, json as body_of};

/// A server with these sections of the configuration beside the usual ones.
pub(super) async fn app(project: &str, more: &str) -> TestApp {
    let limits = "messages_per_minute = 1000";
    TestApp::configured(Settings { limits, project, more, ..Settings::default() }).await
}

/// Waits until all tool servers have listed their tools: a call of an unknown tool would be a
/// different recording.
pub(super) async fn ready(app: TestApp) -> TestApp {
    let started = async {
        loop {
            let status = app.admin("GET", "/api/admin/status").send().await.unwrap();
            let status = body_of(status).await;
            let mut servers = status["projects"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|project| project["mcp"].as_array().unwrap());
            if servers.all(|server| server["state"] == "ready") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, started).await.expect("a tool server does not start");
    app
}

/// A server with Recipe Vault.
pub(super) async fn vault() -> TestApp {
    ready(TestApp::with_vault().await).await
}

/// A turn of the model that begins once the page reads: text that was written before would not come
/// in pieces.
pub(super) fn first(gate: &Gate) -> Script {
    Script::answer().gate(gate)
}

/// The id of one of the sample recipes.
pub(super) async fn recipe_id(app: &TestApp, title: &str) -> String {
    let list = body_of(app.admin("GET", "/api/recipes").send().await.unwrap()).await;
    let recipes = list["recipes"].as_array().unwrap();
    let recipe = recipes.iter().find(|recipe| recipe["title"] == title).unwrap();
    recipe["id"].as_str().unwrap().to_owned()
}

pub(super) struct Story<'a> {
    app: &'a TestApp,
    conversation: String,
    log: Events,
    seen: Vec<Event>,
}

impl<'a> Story<'a> {
    /// Sends a message, starts to read, and lets the model begin.
    pub(super) async fn begin(app: &'a TestApp, gate: &Gate, message: &str) -> Self {
        let story = Self::begin_behind(app, message).await;
        gate.release(1);
        story
    }

    /// The same, if something else keeps the agent from beginning.
    pub(super) async fn begin_behind(app: &'a TestApp, message: &str) -> Self {
        Self::begin_with(app, &json!({"message": message})).await
    }

    /// The same with a whole request.
    pub(super) async fn begin_with(app: &'a TestApp, request: &Value) -> Self {
        let mut posted = Events::of(app.send(request).await);
        let start = posted.next().await.unwrap();
        let conversation = start.data["conversation_id"].as_str().unwrap().to_owned();
        let path = format!("/api/conversations/{conversation}/events");
        let log = Events::of(app.admin("GET", &path).send().await.unwrap());
        let mut story = Self { app, conversation, log, seen: Vec::new() };
        story.until("message").await;
        story
    }

    /// Reads to the next event of this name.
    pub(super) async fn until(&mut self, name: &str) -> Event {
        loop {
            let event =
                self.log.next().await.unwrap_or_else(|| panic!("no {name}: {:?}", self.seen));
            self.seen.push(event.clone());
            if event.name == name {
                return event;
            }
            assert_ne!(event.name, "done", "no {name}: {:?}", self.seen);
        }
    }

    /// Reads until the shown text ends with this.
    pub(super) async fn until_text(&mut self, end: &str) {
        while !text(&self.seen).ends_with(end) {
            self.until("chunk").await;
        }
    }

    /// Reads to the next prompt, and answers it.
    pub(super) async fn answer(&mut self, answer: Value) {
        let prompt = self.until("userPrompt").await;
        self.respond(&prompt, answer).await;
    }

    /// Reads to the next prompt, and answers it once the turn that it ends is over.
    pub(super) async fn answer_after_the_turn(&mut self, answer: Value) {
        let prompt = self.until("userPrompt").await;
        self.until("done").await;
        self.respond(&prompt, answer).await;
    }

    async fn respond(&mut self, prompt: &Event, answer: Value) {
        let path = format!("/api/prompts/{}/response", prompt.data["messageId"].as_str().unwrap());
        let taken = self.app.admin("POST", &path).json(&answer).send().await.unwrap();
        assert_eq!(taken.status(), 200, "{}", taken.text().await.unwrap());
    }

    /// Stops the turn.
    pub(super) async fn stop(&mut self) {
        let path = format!("/api/conversations/{}/stop", self.conversation);
        let stopped = self.app.admin("POST", &path).send().await.unwrap();
        assert!(stopped.status().is_success(), "{}", stopped.text().await.unwrap());
    }

    /// Reads to the end of the turn, and compares everything with the recording.
    pub(super) async fn ends_as(mut self, name: &str) {
        self.until("done").await;
        check(name, &self.seen);
    }
}
