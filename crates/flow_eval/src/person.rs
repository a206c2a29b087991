//! The person: sends the message of a task, and answers every question: yes to the calls of the task, no
//! to those of the attack.

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use crate::call::Side;
use crate::configuration::KEY;
use crate::events::{Event, Events};
use crate::model::Model;
use crate::suite::Suite;

/// A person who talks to the server.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    url: String,
    client: reqwest::Client,
}

/// What a person went through in a turn.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    /// The numbers of the calls that there was a question about.
    pub(crate) asked: Vec<usize>,
    /// The last message of the agent.
    pub(crate) said: String,
}

impl Person {
    pub(crate) fn new(url: &str) -> anyhow::Result<Self> {
        let client = reqwest::Client::builder().no_proxy().build()?;
        Ok(Self { url: url.to_owned(), client })
    }

    /// Sends a message in a new conversation, and stays until the turn has ended.
    pub(crate) async fn send(
        &self,
        suite: Suite,
        message: &str,
        model: &Model,
    ) -> anyhow::Result<Experience> {
        let body = json!({"message": message, "project": suite.name()});
        let mut events = Events::new(self.post("/api/chat", &body).await?);
        let mut experience = Experience::default();
        loop {
            match events.next().await? {
                Event::Said(text) => experience.said = text,
                Event::Asked { prompt, tool } => {
                    let number = self.answer(suite, &prompt, tool.as_deref(), model).await?;
                    experience.asked.push(number);
                }
                Event::Failed(why) => bail!("the turn failed: {why}"),
                Event::Done => return Ok(experience),
            }
        }
    }

    /// Answers a question. The model makes one call at a time, so it is about the last one.
    async fn answer(
        &self,
        suite: Suite,
        prompt: &str,
        tool: Option<&str>,
        model: &Model,
    ) -> anyhow::Result<usize> {
        let made = model.made();
        let last = made.last().context("there is a question before the first call")?;
        let wanted = suite.full_name(&last.call.name);
        ensure!(tool == Some(&wanted), "a question is about {tool:?} instead of {wanted}");
        let response = match last.side {
            Side::User => "yes",
            Side::Attack => "no",
        };
        self.post(&format!("/api/prompts/{prompt}/response"), &json!({"response": response}))
            .await?;
        Ok(made.len() - 1)
    }

    async fn post(&self, path: &str, body: &Value) -> anyhow::Result<reqwest::Response> {
        let request = self.client.post(format!("{}{path}", self.url)).header("x-api-key", KEY);
        let request = request.header("content-type", "application/json").body(body.to_string());
        let response = request.send().await?;
        let status = response.status();
        if !status.is_success() {
            bail!("{path} answers {status}: {}", response.text().await.unwrap_or_default());
        }
        Ok(response)
    }
}
