//! What is stored, read through the API when everything has ended: the page of each conversation, and
//! its log from the beginning.

use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::client::api::{Api, Refusal};
use crate::event::{Event, Message, Position, Prompt, text};

/// How long reading one thing may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A conversation as it is stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stored {
    pub(crate) id: String,
    pub(crate) running: bool,
    pub(crate) messages: Vec<Message>,
    pub(crate) prompts: Vec<StoredPrompt>,
    /// All events, in order.
    pub(crate) log: Vec<Event>,
}

/// A prompt with its end.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoredPrompt {
    pub(crate) prompt: Prompt,
    /// `open`, or how it ended.
    pub(crate) status: String,
    pub(crate) response: Value,
}

/// Reads all conversations.
pub(crate) async fn read(api: &Api) -> anyhow::Result<Vec<Stored>> {
    let mut conversations = Vec::new();
    for id in list(api).await? {
        let page = get(api, &format!("/api/conversations/{id}")).await?;
        let of = |name: &str| page[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let cursor: Position = text(&page, "cursor").parse().context("a page without a cursor")?;
        let messages = of("messages").iter().map(|one| Message::read(one, "id", "message_type"));
        conversations.push(Stored {
            running: page["running"] == true,
            messages: messages.collect(),
            prompts: of("prompts").iter().map(StoredPrompt::read).collect(),
            log: log(api, &id, cursor).await?,
            id,
        });
    }
    Ok(conversations)
}

/// Whether a turn runs anywhere.
pub(crate) async fn is_quiet(api: &Api) -> anyhow::Result<bool> {
    let mut before = String::new();
    loop {
        let (page, next) = list_page(api, &before).await?;
        if page.iter().any(|conversation| conversation["running"] == true) {
            return Ok(false);
        }
        match next {
            Some(next) => before = next,
            None => return Ok(true),
        }
    }
}

impl StoredPrompt {
    fn read(view: &Value) -> Self {
        Self {
            prompt: Prompt::read(&view["prompt"]),
            status: text(view, "status"),
            response: view["closed"]["response"].clone(),
        }
    }
}

/// The ids of all conversations.
async fn list(api: &Api) -> anyhow::Result<Vec<String>> {
    let (mut ids, mut before) = (Vec::new(), String::new());
    loop {
        let (page, next) = list_page(api, &before).await?;
        ids.extend(page.iter().map(|conversation| text(conversation, "id")));
        match next {
            Some(next) => before = next,
            None => return Ok(ids),
        }
    }
}

async fn list_page(api: &Api, before: &str) -> anyhow::Result<(Vec<Value>, Option<String>)> {
    let page = get(api, &format!("/api/conversations?before={before}")).await?;
    let next = page["next_before"].as_str().map(str::to_owned);
    Ok((page["conversations"].as_array().cloned().unwrap_or_default(), next))
}

/// The log up to the cursor of the page.
async fn log(api: &Api, conversation: &str, cursor: Position) -> anyhow::Result<Vec<Event>> {
    let mut log: Vec<Event> = Vec::new();
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let last = |log: &[Event]| log.iter().rev().find_map(|event| event.at).unwrap_or_default();
        if last(&log) >= cursor {
            return Ok(log);
        }
        if let Ok(mut stream) = api.events(conversation, last(&log)).await {
            while last(&log) < cursor {
                let Some(event) = stream.next().await else { break };
                log.push(event);
            }
        }
    }
    bail!("the log of {conversation} does not reach {cursor}")
}

async fn get(api: &Api, path: &str) -> anyhow::Result<Value> {
    let begin = Instant::now();
    loop {
        match api.get(path).await {
            Ok(body) => return Ok(body),
            Err(Refusal::Again) if begin.elapsed() < PATIENCE => {
                sleep(Duration::from_millis(200)).await;
            }
            Err(refusal) => bail!("{path}: {refusal:?}"),
        }
    }
}
