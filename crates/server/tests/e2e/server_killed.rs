//! The real binary, killed during turns: acknowledged data is still there, ids are never reused,
//! and no turn runs forever (FAULTS 1).

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use parlor_protocol::EventId;
use parlor_testkit::{Script, ScriptedModel};
use serde_json::{Value, json};

use crate::server_process::Server;

/// An event, as a client reads it.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    id: EventId,
    name: String,
    data: Value,
}

/// A stream of events.
struct Events {
    body: std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<bytes::Bytes>> + Send>>,
    buffer: String,
}

impl Events {
    fn of(response: reqwest::Response) -> Self {
        assert_eq!(response.status(), 200);
        Self { body: Box::pin(response.bytes_stream()), buffer: String::new() }
    }

    /// The next event; `None` if the connection broke or ended.
    async fn next(&mut self) -> Option<Event> {
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

    async fn until_done(&mut self, seen: &mut Seen) {
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
struct Seen {
    last: Option<EventId>,
    /// Durable events by number; none may come twice.
    durable: BTreeMap<u64, Event>,
    texts: BTreeMap<String, String>,
}

impl Seen {
    fn take(&mut self, event: Event) {
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

/// FAULTS 1: ten kills, each after a different event.
#[tokio::test]
async fn kills_in_the_middle_of_a_turn_lose_nothing_that_was_acknowledged() {
    let data = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start().await.unwrap();
    model.always(Script::answer().steady(40, Duration::from_millis(15), |n| format!("word{n} ")));
    let mut conversation: Option<String> = None;
    let mut seen = Seen::default();
    for round in 0..10_usize {
        let server = Server::start(data.path(), &model).await;
        let said = format!("message {round}");
        let body = json!({"message": said, "conversation_id": conversation});
        let mut events = Events::of(server.send(&body).await);
        for _ in 0..(2 + round * 4) {
            let Some(event) = events.next().await else { break };
            if let Some(id) = event.data["conversation_id"].as_str() {
                conversation = Some(id.to_owned());
            }
            seen.take(event);
        }
        server.kill();

        let server = Server::start(data.path(), &model).await;
        let id = conversation.clone().unwrap();
        let after = seen.last.unwrap().to_string();
        if seen.durable.values().next_back().is_none_or(|event| event.name != "done") {
            let mut rest = Events::of(server.resume(&id, &after).await);
            rest.until_done(&mut seen).await;
        }
        let view = server.conversation(&id).await;
        assert_eq!(view["running"], false, "no turn runs for ever");
        let messages = view["messages"].as_array().unwrap();
        let kept = messages.iter().filter(|m| m["role"] == "user" && m["content"] == said.as_str());
        assert_eq!(kept.count(), 1, "{said} was acknowledged");
        server.kill();
    }
    // What the client assembled is what is stored.
    let server = Server::start(data.path(), &model).await;
    let id = conversation.unwrap();
    let mut stored = Seen::default();
    let mut events = Events::of(server.resume(&id, "0").await);
    let last = *seen.durable.keys().next_back().unwrap();
    while stored.durable.keys().next_back() != Some(&last) {
        stored.take(events.next().await.unwrap());
    }
    assert_eq!(seen.durable, stored.durable);
}
