//! A stream of server-sent events, as a client reads it.

use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use crate::event::Event;

/// A server says every second that it is alive; one that does not is left.
const SILENCE: Duration = Duration::from_secs(5);

/// An open stream.
#[derive(Debug)]
pub(crate) struct EventStream {
    response: reqwest::Response,
    buffer: Vec<u8>,
}

impl EventStream {
    pub(super) fn new(response: reqwest::Response) -> Self {
        Self { response, buffer: Vec::new() }
    }

    /// The next event; `None` if the connection broke, ended or fell silent. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some(block) = next_block(&mut self.buffer) {
                if let Some(event) = parse(&block) {
                    return Some(event);
                }
            }
            let chunk = timeout(SILENCE, self.response.chunk()).await.ok()?.ok()??;
            self.buffer.extend_from_slice(&chunk);
        }
    }
}

/// Takes the next block of lines, up to an empty one.
fn next_block(buffer: &mut Vec<u8>) -> Option<String> {
    let end = buffer.windows(2).position(|two| two == b"\n\n")?;
    let block: Vec<u8> = buffer.drain(..end + 2).collect();
    Some(String::from_utf8_lossy(&block).into_owned())
}

/// Reads a block; `None` if it is no event.
fn parse(block: &str) -> Option<Event> {
    let field = |name: &str| {
        block.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim_start())
    };
    let data: Value = serde_json::from_str(field("data:")?).ok()?;
    Some(Event::of_sse(field("id:"), field("event:")?, &data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Body;

    #[test]
    fn events_are_read_from_pieces() {
        let stream = ": keep-alive\n\nid: 7.3\nevent: chunk\ndata: {\"text\":\"é x\",\
                      \"message_id\":\"m\"}\n\nretry: 1000\n\nid: 8\nevent: do";
        let mut buffer = Vec::new();
        let mut events = Vec::new();
        for byte in stream.bytes() {
            buffer.push(byte);
            events.extend(next_block(&mut buffer).and_then(|block| parse(&block)));
        }
        let body = Body::Text { message: "m".into(), text: "é x".into() };
        assert_eq!(events, [Event { at: "7.3".parse().ok(), body }]);
        assert_eq!(buffer, b"id: 8\nevent: do");
    }
}
