//! A chat whose agent calls tools and asks questions.

use std::sync::Arc;
use std::time::Duration;

use parlor_chat::{Accepted, Chat, ChatError};
use parlor_guard::guardrail::Policy;
use parlor_protocol::{EventBody, PromptAnswer, PromptId, PromptStatus, UserPrompt};
use parlor_storage::{Logged, PromptView};
use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use super::kitchen::Kitchen;
use super::{Setup, caller, open_with, read, request};

/// A chat whose agent has tools; it can be restarted.
pub(crate) struct Scene {
    pub(crate) chat: Chat,
    pub(crate) model: ScriptedModel,
    pub(crate) kitchen: Arc<Kitchen>,
    setup: Setup,
    pub(crate) dir: tempfile::TempDir,
}

impl Scene {
    pub(crate) async fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::with(scripts, Policy::Balanced, Duration::ZERO).await
    }

    pub(crate) async fn with(
        scripts: impl IntoIterator<Item = Script>,
        policy: Policy,
        prompt_timeout: Duration,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let model = ScriptedModel::start().await.unwrap();
        for script in scripts {
            model.push(script);
        }
        let kitchen = Arc::new(Kitchen::default());
        let tools = Some(Arc::<Kitchen>::clone(&kitchen) as _);
        let setup = Setup { tools, policy, prompt_timeout, ..Setup::default() };
        let chat = open_with(&dir.path().join("parlor.db"), &model, setup.clone()).await;
        Self { chat, model, kitchen, setup, dir }
    }

    /// Starts another run of the server on the same files; the old one can no longer write.
    pub(crate) async fn restart(&mut self) {
        let path = self.dir.path().join("parlor.db");
        self.chat = open_with(&path, &self.model, self.setup.clone()).await;
    }

    pub(crate) async fn send(&self, text: &str) -> Accepted {
        let project = "recipes".parse().unwrap();
        self.chat.send(&caller(), &project, request(text, None)).await.unwrap()
    }

    /// The first prompt of a turn.
    pub(crate) async fn prompt(&self, at: &Accepted) -> UserPrompt {
        let mut reader =
            self.chat.subscribe(&caller(), at.conversation_id, Some(at.after)).await.unwrap();
        loop {
            for event in super::events(reader.next().await) {
                if let EventBody::UserPrompt(prompt) = event.body.into_inner() {
                    return *prompt;
                }
            }
        }
    }

    /// Waits for an open prompt; the newest one.
    pub(crate) async fn open_prompt(&self) -> PromptView {
        super::eventually("a prompt opens", async || {
            let page = self.chat.prompts(&caller(), Some(PromptStatus::Open), None).await.unwrap();
            page.prompts.into_iter().next()
        })
        .await
    }

    pub(crate) async fn answer(&self, id: PromptId, response: Value) -> Result<(), ChatError> {
        self.answer_with(id, PromptAnswer { response, ..blank() }).await
    }

    pub(crate) async fn answer_with(
        &self,
        id: PromptId,
        answer: PromptAnswer,
    ) -> Result<(), ChatError> {
        self.chat.answer(&caller(), id, answer).await.map(|_| ())
    }

    pub(crate) async fn rest(&self, at: &Accepted) -> Vec<Logged> {
        read(&self.chat, at.conversation_id, at.after).await
    }

    /// The tool results in the model's last request.
    pub(crate) fn told(&self) -> String {
        let requests = self.model.requests();
        let messages = requests.last().unwrap()["messages"].as_array().unwrap().clone();
        let results: Vec<Value> = messages
            .iter()
            .flat_map(|m| m["content"].as_array().unwrap().clone())
            .filter(|block| block["type"] == "tool_result")
            .map(|block| block["content"].clone())
            .collect();
        json!(results).to_string()
    }
}

pub(crate) fn blank() -> PromptAnswer {
    PromptAnswer {
        response: Value::Null,
        cancelled: false,
        input: None,
        reason: None,
        remember: None,
    }
}

pub(crate) fn burn() -> Script {
    Script::answer().text("I will.").tool_use("t1", "burn", &json!({"what": "toast"}))
}
