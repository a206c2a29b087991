//! Server-sent events: `id:`, `event:` and one line of `data:`, written straight into
//! the buffer that is sent.

use bytes::{BufMut, BytesMut};
use parlor_protocol::{ConversationId, EventBody, EventId};
use parlor_storage::{Logged, Served};
use serde::Serialize;

use super::event_writer::{EventWriter, streamed_text, write_event};

/// Writes an event.
pub fn write(event: &Logged, to: &mut BytesMut) {
    write_body(Some(event.id), event.body.get(), to);
}

/// Writes an event that is not stored. It has no id, so that a client that comes back
/// asks for what follows the last one that has.
pub fn write_live(body: &Served<EventBody>, to: &mut BytesMut) {
    write_body(None, body.get(), to);
}

/// A whole event, for readers that get it in pieces.
pub fn whole(_: ConversationId, event: &Logged) -> Vec<u8> {
    let mut to = BytesMut::new();
    write(event, &mut to);
    to.into()
}

/// Writes a comment, which shows that the stream is alive.
pub fn keep_alive(to: &mut BytesMut) {
    to.extend_from_slice(b": keep-alive\n\n");
}

/// Tells the reader when to reconnect, before the server stops.
pub fn reconnect(to: &mut BytesMut) {
    to.extend_from_slice(b"retry: 1000\n\n");
}

fn write_body(id: Option<EventId>, body: &EventBody, to: &mut BytesMut) {
    // Reserved once: a buffer that grows piece by piece is copied each time.
    to.reserve(OVERHEAD + streamed_text(body).len());
    write_event(body, &mut SseWriter { id, to });
}

/// What an event has besides its text, ids included.
const OVERHEAD: usize = 256;

/// Writes `id:`, `event:` and `data:`.
struct SseWriter<'a> {
    id: Option<EventId>,
    to: &'a mut BytesMut,
}

impl EventWriter for SseWriter<'_> {
    fn event(&mut self, name: &'static str, data: &impl Serialize) {
        let before = self.to.len();
        match self.fields(name, data) {
            Ok(()) => self.to.extend_from_slice(b"\n\n"),
            // Our own types always serialize; half an event must not go out.
            Err(_) => self.to.truncate(before),
        }
    }
}

impl SseWriter<'_> {
    /// JSON has no bare line breaks, so the data is one line.
    fn fields(&mut self, name: &str, data: &impl Serialize) -> serde_json::Result<()> {
        if let Some(EventId { seq, offset }) = self.id {
            self.to.extend_from_slice(b"id: ");
            self.json(&seq)?;
            if let Some(offset) = offset {
                self.to.extend_from_slice(b".");
                self.json(&offset)?;
            }
            self.to.extend_from_slice(b"\n");
        }
        self.to.extend_from_slice(b"event: ");
        self.to.extend_from_slice(name.as_bytes());
        self.to.extend_from_slice(b"\ndata: ");
        self.json(data)
    }

    fn json(&mut self, value: &impl Serialize) -> serde_json::Result<()> {
        serde_json::to_writer((&mut *self.to).writer(), value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// One event of each kind, from the golden files of `parlor-protocol`.
    const EVENTS: &str = include_str!("../../../protocol/tests/golden/events.json");

    fn written(id: EventId, body: &EventBody) -> String {
        let mut to = BytesMut::new();
        write_body(Some(id), body, &mut to);
        String::from_utf8(to.to_vec()).unwrap()
    }

    fn body(json: &str) -> EventBody {
        serde_json::from_str(json).unwrap()
    }

    /// H-1: every event has the name and the data that `parlor-protocol` defines.
    #[test]
    fn every_event_has_the_name_and_the_data_of_the_protocol() {
        let events: Vec<Value> = serde_json::from_str(EVENTS).unwrap();
        for event in &events {
            let body: EventBody = serde_json::from_value(event.clone()).unwrap();
            if matches!(body, EventBody::Artifact { .. }) {
                continue;
            }
            let expected = format!(
                "id: 7\nevent: {}\ndata: {}\n\n",
                event["event"].as_str().unwrap(),
                event["data"],
            );
            assert_eq!(written(EventId::durable(7), &body), expected);
        }
    }

    /// Golden: byte for byte.
    #[test]
    fn text_is_written_like_this() {
        let chunk = body(
            r#"{"event": "chunk", "data": {"text": "Olá \"you\"\n\u2028 data: x", "message_id": "0198c5a2-7b1e-7cc0-8000-000000000003"}}"#,
        );
        assert_eq!(
            written(EventId::delta(41, 380), &chunk),
            "id: 41.380\nevent: chunk\ndata: {\"text\":\"Olá \\\"you\\\"\\n\u{2028} data: x\",\
             \"message_id\":\"0198c5a2-7b1e-7cc0-8000-000000000003\"}\n\n"
        );
    }

    #[test]
    fn recipes_have_an_event_of_their_own() {
        let recipe = body(r#"{"event": "artifact", "data": {"kind": "recipe", "id": "r1"}}"#);
        assert_eq!(
            written(EventId::durable(3), &recipe),
            "id: 3\nevent: recipe_artifact\ndata: {\"recipe_id\":\"r1\"}\n\n"
        );
        let other = body(r#"{"event": "artifact", "data": {"kind": "chart", "id": "c1"}}"#);
        assert_eq!(
            written(EventId::durable(4), &other),
            "id: 4\nevent: artifact\ndata: {\"kind\":\"chart\",\"id\":\"c1\"}\n\n"
        );
    }

    #[test]
    fn keep_alive_and_reconnect_are_no_events() {
        let mut to = BytesMut::new();
        keep_alive(&mut to);
        reconnect(&mut to);
        assert_eq!(&to[..], b": keep-alive\n\nretry: 1000\n\n");
    }
}
