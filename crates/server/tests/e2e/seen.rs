//! A stream of events, and what a client has seen of a conversation: nothing may come twice, out of
//! order, or change.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use parlor_protocol::EventId;
use serde_json::Value;

/// An event, as a client reads it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: EventId,
    pub(crate) name: String,
    pub(crate) data: Value,
}

/// A stream of events.
pub(crate) struct Events {
    body: std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<bytes::Bytes>> + Send>>,
    buffer: String,
}

impl Events {
    pub(crate) fn of(response: reqwest::Response) -> Self {
        assert_eq!(response.status(), 200);
        Self { body: Box::pin(response.bytes_stream()), buffer: String::new() }
    }

    /// The next event; `None` if the connection broke or ended.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.buffer.find("\n\n") {
                let block: String = self.buffer.drain(..end + 2).collect();
                if let Some(event) = parse(&block) {
                    return Some(event);
                }
                continue;
            }
            let chunk = tokio::time::timeout(Duration::from_secs(60), self.body.next()).await;
            let bytes = chunk.expect("something must come")?.ok()?;
            self.buffer.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    pub(crate) async fn until_done(&mut self, seen: &mut Seen) {
        while let Some(event) = self.next().await {
            let done = event.name == "done";
            seen.take(event);
            if done {
                return;
            }
        }
        panic!("the stream ended without done");
    }
}

fn parse(block: &str) -> Option<Event> {
    let field = |name: &str| {
        block.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim_start())
    };
    Some(Event {
        id: field("id:")?.parse().unwrap(),
        name: field("event:")?.to_owned(),
        data: serde_json::from_str(field("data:")?).unwrap(),
    })
}

/// What a client has seen of a conversation, as a page would keep it.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) last: Option<EventId>,
    /// Durable events by number; none may come twice.
    pub(crate) durable: BTreeMap<u64, Event>,
    pub(crate) texts: BTreeMap<String, String>,
}

impl Seen {
    pub(crate) fn take(&mut self, event: Event) {
        let text = || event.data["text"].as_str().unwrap_or_default().to_owned();
        let message = event.data["message_id"].as_str().unwrap_or_default().to_owned();
        match event.name.as_str() {
            "chunk" => {
                assert!(self.last < Some(event.id), "{} after {:?}", event.id, self.last);
                self.texts.entry(message).or_default().push_str(&text());
            }
            "snapshot" => {
                self.texts.insert(message, text());
            }
            _ => {
                assert!(self.last < Some(event.id), "{} after {:?}", event.id, self.last);
                let twice = self.durable.insert(event.id.seq, event.clone());
                assert_eq!(twice, None, "a number came twice");
            }
        }
        if event.name == "message" && event.data["role"] == "assistant" {
            let id = event.data["id"].as_str().unwrap().to_owned();
            let content = event.data["content"].as_str().unwrap().to_owned();
            if let Some(streamed) = self.texts.insert(id, content.clone()) {
                assert!(
                    streamed.starts_with(&content) || content.starts_with(&streamed),
                    "{streamed:?} became {content:?}"
                );
            }
        }
        self.last = Some(event.id);
    }
}
