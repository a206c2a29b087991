//! The stream of a conversation's events, read from a response of our own server.
//!
//! It is written in one form (`crate::dialects::sse`): `id:`, `event:` and one line of
//! `data:`, ended by an empty line. Comments and `retry:` are passed over, and so is an event
//! of a kind that this version does not know.

use parlor_http_client::describe;
use parlor_protocol::{EventBody, EventId};
use reqwest::Response;
use serde::Deserialize;
use serde_json::{Value, json};

/// The largest event that is read.
const LARGEST_EVENT: usize = 64 << 20;

/// An event, with its id unless it is live only.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    pub(super) id: Option<EventId>,
    pub(super) body: EventBody,
}

/// A stream of events.
#[derive(Debug)]
pub(super) struct EventStream {
    response: Response,
    blocks: Blocks,
}

impl EventStream {
    pub(super) fn new(response: Response) -> Self {
        Self { response, blocks: Blocks::default() }
    }

    /// The next event; `None` when the server ended the stream. Cancel-safe.
    pub(super) async fn next(&mut self) -> Result<Option<Event>, String> {
        loop {
            while let Some(block) = self.blocks.next() {
                if let Some(event) = parse(&block) {
                    return Ok(Some(event));
                }
            }
            match self.response.chunk().await.map_err(describe)? {
                Some(piece) => self.blocks.push(&piece)?,
                None => return Ok(None),
            }
        }
    }
}

/// What came, cut at empty lines.
#[derive(Debug, Default)]
struct Blocks {
    buffer: Vec<u8>,
    /// How much of the buffer was searched without finding the end of a block.
    searched: usize,
}

impl Blocks {
    fn push(&mut self, piece: &[u8]) -> Result<(), String> {
        if self.buffer.len() + piece.len() > LARGEST_EVENT {
            return Err(format!("an event has more than {LARGEST_EVENT} bytes"));
        }
        self.buffer.extend_from_slice(piece);
        Ok(())
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer[self.searched..].windows(2).position(|pair| pair == b"\n\n");
        let Some(end) = end.map(|end| self.searched + end) else {
            self.searched = self.buffer.len().saturating_sub(1);
            return None;
        };
        let rest = self.buffer.split_off(end + 2);
        self.searched = 0;
        Some(std::mem::replace(&mut self.buffer, rest))
    }
}

/// Reads an event; `None` for anything else.
fn parse(block: &[u8]) -> Option<Event> {
    let text = std::str::from_utf8(block).ok()?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let data: Value = serde_json::from_str(field("data: ")?).ok()?;
    let tagged = match field("event: ")? {
        // Recipes have an event of their own on the wire.
        "recipe_artifact" => {
            json!({"event": "artifact", "data": {"kind": "recipe", "id": data["recipe_id"]}})
        }
        name => json!({"event": name, "data": data}),
    };
    let id = field("id: ").and_then(|id| id.parse().ok());
    Some(Event { id, body: EventBody::deserialize(tagged).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One event of each kind, from the golden files of `parlor-protocol`.
    const EVENTS: &str = include_str!("../../../../protocol/tests/golden/events.json");

    /// H-5: what the server writes (the tests of `crate::dialects::sse` say how) is read back,
    /// whatever the pieces are that it comes in.
    #[test]
    fn what_the_server_writes_is_read_back() {
        let events: Vec<Value> = serde_json::from_str(EVENTS).unwrap();
        let (mut written, mut expected) = (String::new(), Vec::new());
        for (seq, event) in (1..).zip(&events) {
            let (mut name, mut data) = (event["event"].as_str().unwrap(), event["data"].clone());
            if name == "artifact" && data["kind"] == "recipe" {
                (name, data) = ("recipe_artifact", json!({"recipe_id": data["id"]}));
            }
            written
                .push_str(&format!(": keep-alive\n\nid: {seq}\nevent: {name}\ndata: {data}\n\n"));
            let body = EventBody::deserialize(event).unwrap();
            expected.push(Event { id: Some(EventId::durable(seq)), body });
        }
        written.push_str("retry: 1000\n\n");
        for size in [1, 7, 4096, written.len()] {
            let (mut blocks, mut read) = (Blocks::default(), Vec::new());
            for piece in written.as_bytes().chunks(size) {
                blocks.push(piece).unwrap();
                while let Some(block) = blocks.next() {
                    read.extend(parse(&block));
                }
            }
            assert_eq!(read, expected, "in pieces of {size}");
        }
    }

    /// T-7: an event that this version does not know is passed over, and so is nonsense.
    #[test]
    fn what_is_not_known_is_passed_over() {
        for block in ["id: 1\nevent: dance\ndata: {}", "event: chunk\ndata: {", ": x", "", "\u{0}"]
        {
            assert_eq!(parse(block.as_bytes()), None, "{block}");
        }
        assert_eq!(parse(b"\xff\nevent: x"), None);
    }
}
