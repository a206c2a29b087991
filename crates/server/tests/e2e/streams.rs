//! Reads a stream of server-sent events.

use reqwest::Response;
use serde_json::Value;
use tokio::time::timeout;

use crate::test_app::PATIENCE;

/// One event, as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    /// Empty for a live event, which is not stored.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) data: Value,
}

pub(crate) struct Events {
    response: Response,
    buffer: Vec<u8>,
    /// How much of the buffer was searched without finding the end of an event.
    searched: usize,
    /// The lines between events: comments and `retry`.
    pub(crate) remarks: Vec<String>,
}

impl Events {
    /// Reads a response, which must be a stream.
    pub(crate) fn of(response: Response) -> Self {
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, buffer: Vec::new(), searched: 0, remarks: Vec::new() }
    }

    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            let block = self.next_block().await?;
            if is_event(&block) {
                return Some(parse(&block));
            }
            self.remarks.push(block);
        }
    }

    /// Waits for a comment, while no event comes.
    pub(crate) async fn find_remark(&mut self, remark: &str) {
        while self.remarks.last().is_none_or(|last| last != remark) {
            let block = self.next_block().await.expect("the stream ended");
            assert!(!is_event(&block), "an event came: {block}");
            self.remarks.push(block);
        }
    }

    async fn next_block(&mut self) -> Option<String> {
        loop {
            if let Some(block) = self.block() {
                return Some(block);
            }
            let chunk = timeout(PATIENCE, self.response.chunk()).await.expect("the stream hangs");
            match chunk.unwrap() {
                Some(bytes) => self.buffer.extend_from_slice(&bytes),
                None => {
                    assert_eq!(self.buffer, b"", "half an event came");
                    return None;
                }
            }
        }
    }

    /// The bytes up to the next empty line. They are complete, while the buffer may end within a
    /// character.
    fn block(&mut self) -> Option<String> {
        let end = self.buffer[self.searched..].windows(2).position(|pair| pair == b"\n\n");
        let Some(end) = end.map(|end| self.searched + end) else {
            self.searched = self.buffer.len().saturating_sub(1);
            return None;
        };
        let block = String::from_utf8(self.buffer[..end].to_vec()).unwrap();
        self.buffer.drain(..end + 2);
        self.searched = 0;
        Some(block)
    }

    /// The next event of this name, skipping others.
    pub(crate) async fn find(&mut self, name: &str) -> Event {
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("no {name} came"));
            if event.name == name {
                return event;
            }
        }
    }

    /// All events until the end.
    pub(crate) async fn rest(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// The streamed text of an answer.
pub(crate) fn text(events: &[Event]) -> String {
    let chunks = events.iter().filter(|event| event.name == "chunk");
    chunks.map(|event| event.data["text"].as_str().unwrap()).collect()
}

/// Live events have no id.
fn is_event(block: &str) -> bool {
    block.starts_with("id: ") || block.starts_with("event: ")
}

fn parse(block: &str) -> Event {
    let find = |name: &str| {
        block.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).map(str::to_owned)
    };
    let field = |name: &str| find(name).unwrap_or_else(|| panic!("no {name} in {block}"));
    let data = serde_json::from_str(&field("data")).unwrap();
    Event { id: find("id").unwrap_or_default(), name: field("event"), data }
}
