//! The stream of a turn, as a client reads it: only the events that matter here.

use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::Value;
use tokio::time::timeout;

/// How long nothing may come: a server says every 15 seconds that it is alive.
const SILENCE: Duration = Duration::from_secs(40);

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// A finished message of the agent.
    Said(String),
    /// Somebody has to answer: the prompt's id, and the tool that it is about.
    Asked { prompt: String, tool: Option<String> },
    /// Something went wrong.
    Failed(String),
    /// The turn has ended.
    Done,
}

/// An open stream.
#[derive(Debug)]
pub(crate) struct Events {
    response: reqwest::Response,
    buffer: Vec<u8>,
}

impl Events {
    pub(crate) fn new(response: reqwest::Response) -> Self {
        Self { response, buffer: Vec::new() }
    }

    /// The next event that matters.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Event> {
        loop {
            while let Some(block) = next_block(&mut self.buffer) {
                if let Some(event) = parse(&block) {
                    return Ok(event);
                }
            }
            let chunk = timeout(SILENCE, self.response.chunk()).await;
            match chunk.context("the stream of the turn is silent")?? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None => bail!("the stream ended before the turn"),
            }
        }
    }
}

/// Takes the next block of lines, up to an empty one.
fn next_block(buffer: &mut Vec<u8>) -> Option<String> {
    let end = buffer.windows(2).position(|two| two == b"\n\n")?;
    let block: Vec<u8> = buffer.drain(..end + 2).collect();
    Some(String::from_utf8_lossy(&block).into_owned())
}

/// Reads a block; `None` if it does not matter.
fn parse(block: &str) -> Option<Event> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let data: Value = serde_json::from_str(field("data:")?).ok()?;
    let text = |pointer: &str| data.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    match field("event:")? {
        "message" if data["role"] == "assistant" => Some(Event::Said(text("/content")?)),
        "userPrompt" => {
            Some(Event::Asked { prompt: text("/messageId")?, tool: text("/toolCall/name") })
        }
        "error" => Some(Event::Failed(data.to_string())),
        "done" => Some(Event::Done),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_matter_are_read_from_pieces() {
        let stream = ": keep-alive\n\nid: 7\nevent: message\ndata: {\"role\":\"tool\",\
                      \"content\":\"x\"}\n\nevent: message\ndata: {\"role\":\"assistant\",\
                      \"content\":\"é\"}\n\nevent: userPrompt\ndata: {\"messageId\":\"p\",\
                      \"toolCall\":{\"name\":\"t\"}}\n\nevent: done\ndata: {}\n\nevent: mess";
        let (mut buffer, mut events) = (Vec::new(), Vec::new());
        for byte in stream.bytes() {
            buffer.push(byte);
            events.extend(next_block(&mut buffer).and_then(|block| parse(&block)));
        }
        let asked = Event::Asked { prompt: "p".to_owned(), tool: Some("t".to_owned()) };
        assert_eq!(events, [Event::Said("é".to_owned()), asked, Event::Done]);
        assert_eq!(buffer, b"event: mess");
    }
}
