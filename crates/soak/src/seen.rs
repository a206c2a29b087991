//! What one reader saw of one conversation, over all of its connections.
//!
//! Events are judged as they come, so that only their numbers have to be kept: ids must increase,
//! the id of a piece of text must be the number of bytes that the reader has with it, and a message
//! must say what was streamed. While nothing is broken, nothing that was shown may be withdrawn. What
//! the reader should have seen is for the checker to say, which knows what is stored.

use std::collections::{BTreeMap, HashMap};

use crate::event::{Body, Event, Message, Position};
use crate::violation::{Kind, Violation};

/// A reader's view of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Who read.
    pub(crate) reader: String,
    pub(crate) conversation: String,
    /// What the reader knew before its first event.
    pub(crate) from: u64,
    /// The last event, which is where the next connection continues.
    pub(crate) last: Position,
    /// The fingerprints of durable events by their numbers.
    pub(crate) durable: BTreeMap<u64, u64>,
    /// Whether the reader was connected when everything had ended.
    pub(crate) stayed: bool,
    pub(crate) events: u64,
    pub(crate) snapshots: u64,
    pub(crate) violations: Vec<Violation>,
    /// Text that streams, by its message.
    texts: HashMap<String, Streamed>,
    /// Whether an event came over the current connection.
    is_connected: bool,
    /// Snapshots in the middle of a connection, while nothing was broken.
    withdrawn: u64,
}

#[derive(Debug, Default)]
struct Streamed {
    text: String,
    /// A gap is reported once.
    has_gap: bool,
}

impl Seen {
    /// A reader who knows everything up to a number.
    pub(crate) fn new(reader: &str, conversation: &str, from: u64) -> Self {
        Self {
            reader: reader.to_owned(),
            conversation: conversation.to_owned(),
            from,
            last: Position { seq: from, offset: None },
            ..Self::default()
        }
    }

    /// A connection begins. What it begins with may replace what was shown before.
    pub(crate) fn connected(&mut self) {
        self.is_connected = false;
    }

    /// Takes the next event, while nothing is broken or while something is.
    pub(crate) fn take(&mut self, event: &Event, is_calm: bool) {
        self.events += 1;
        let Some(at) = event.at else { return };
        let was_connected = std::mem::replace(&mut self.is_connected, true);
        match &event.body {
            Body::Text { message, text } => self.take_text(at, message, text),
            Body::Snapshot { message, text } => {
                self.take_snapshot(at, message, text);
                if was_connected && is_calm {
                    self.withdraw(at);
                }
            }
            body => self.take_durable(at, body),
        }
    }

    fn take_text(&mut self, at: Position, message: &str, text: &str) {
        if at <= self.last {
            return self.out_of_order(at, "text");
        }
        self.last = at;
        let streamed = self.texts.entry(message.to_owned()).or_default();
        streamed.text.push_str(text);
        let has = streamed.text.len() as u64;
        if at.offset != Some(has) && !std::mem::replace(&mut streamed.has_gap, true) {
            self.violate(Kind::TextGap, format!("at {at} there are {has} bytes"));
        }
    }

    fn take_snapshot(&mut self, at: Position, message: &str, text: &str) {
        self.snapshots += 1;
        if at.seq < self.last.seq {
            return self.out_of_order(at, "snapshot");
        }
        self.last = at;
        let streamed = Streamed { text: text.to_owned(), has_gap: false };
        self.texts.insert(message.to_owned(), streamed);
    }

    /// It is reported once.
    fn withdraw(&mut self, at: Position) {
        self.withdrawn += 1;
        if self.withdrawn == 1 {
            self.violate(Kind::TextWithdrawn, format!("first at {at}"));
        }
    }

    fn take_durable(&mut self, at: Position, body: &Body) {
        let fingerprint = body.fingerprint();
        if at <= self.last {
            let known = self.durable.get(&at.seq);
            // A frame that is not stored has the id of the event before it.
            let is_live = at == self.last && known != Some(&fingerprint);
            if !is_live {
                self.out_of_order(at, body.name());
            }
            return;
        }
        self.last = at;
        self.durable.insert(at.seq, fingerprint);
        match body {
            Body::Message(message) => self.compare(at, message),
            Body::Done { .. } => self.expect_no_text(at),
            _ => {}
        }
    }

    /// A message replaces what was streamed, which must have been the same.
    fn compare(&mut self, at: Position, message: &Message) {
        let Some(streamed) = self.texts.remove(&message.id) else { return };
        if streamed.text != message.content {
            let (shown, said) = (tail(&streamed.text), tail(&message.content));
            let what = format!("at {at}: streamed …{shown:?}, message …{said:?}");
            self.violate(Kind::TextDiffers, what);
        }
    }

    fn expect_no_text(&mut self, at: Position) {
        for (message, streamed) in std::mem::take(&mut self.texts) {
            if !streamed.text.is_empty() {
                let what = format!("at {at}: message {message}, …{:?}", tail(&streamed.text));
                self.violate(Kind::TextLost, what);
            }
        }
    }

    fn out_of_order(&mut self, at: Position, name: &str) {
        let is_again = at.offset.is_none() && self.durable.contains_key(&at.seq);
        let kind = if is_again { Kind::EventTwice } else { Kind::EventOutOfOrder };
        self.violate(kind, format!("{name} {at} after {}", self.last));
    }

    fn violate(&mut self, kind: Kind, what: String) {
        let Self { reader, conversation, .. } = self;
        self.violations.push(kind.because(format!("{reader} in {conversation}: {what}")));
    }
}

/// The end of a text, for a report.
fn tail(text: &str) -> &str {
    let from = text.len().saturating_sub(60);
    let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(at: &str, body: Body) -> Event {
        Event { at: Some(at.parse().unwrap()), body }
    }

    fn piece(at: &str, text: &str) -> Event {
        event(at, Body::Text { message: "m".into(), text: text.into() })
    }

    fn snapshot(at: &str, text: &str) -> Event {
        event(at, Body::Snapshot { message: "m".into(), text: text.into() })
    }

    fn message(at: &str, content: &str) -> Event {
        let message = Message { id: "m".into(), content: content.into(), ..Message::default() };
        event(at, Body::Message(message))
    }

    fn done(at: &str) -> Event {
        event(at, Body::Done { turn: "t".into(), reason: "complete".into() })
    }

    fn kinds(events: &[Event]) -> Vec<Kind> {
        let mut seen = Seen::new("r", "c", 0);
        events.iter().for_each(|event| seen.take(event, false));
        seen.violations.iter().map(|violation| violation.kind).collect()
    }

    #[test]
    fn a_good_stream_is_good() {
        let events =
            [piece("1.1", "a"), piece("1.3", "é"), message("2", "aé"), done("3"), done("4")];
        assert_eq!(kinds(&events), []);
    }

    #[test]
    fn a_snapshot_replaces_what_was_shown() {
        let events = [piece("1.3", "abc"), snapshot("1.1", "a"), message("2", "a"), done("3")];
        assert_eq!(kinds(&events), []);
        // None of it was stored, and another message begins.
        assert_eq!(kinds(&[piece("1.3", "abc"), snapshot("1.0", ""), done("3")]), []);
    }

    #[test]
    fn text_that_is_withdrawn_without_a_reason_is_found_once() {
        let mut seen = Seen::new("r", "c", 0);
        seen.take(&piece("1.3", "abc"), true);
        seen.connected();
        seen.take(&snapshot("1.2", "ab"), true);
        assert_eq!(seen.violations, [], "a new connection may begin with it");
        seen.take(&snapshot("1.1", "a"), false);
        assert_eq!(seen.violations, [], "something may be broken");
        seen.take(&snapshot("1.0", ""), true);
        seen.take(&snapshot("1.0", ""), true);
        let kinds: Vec<Kind> = seen.violations.iter().map(|violation| violation.kind).collect();
        assert_eq!(kinds, [Kind::TextWithdrawn]);
    }

    #[test]
    fn a_live_frame_has_the_id_before_it() {
        let live = event("2", Body::Other { name: "tool_use".into(), data: String::new() });
        assert_eq!(kinds(&[message("2", ""), live, done("3")]), []);
    }

    #[test]
    fn an_event_that_comes_twice_is_found() {
        assert_eq!(kinds(&[done("2"), done("2")]), [Kind::EventTwice]);
        assert_eq!(kinds(&[done("2"), done("3"), done("2")]), [Kind::EventTwice]);
        assert_eq!(kinds(&[piece("1.1", "a"), piece("1.1", "a")]), [Kind::EventOutOfOrder]);
    }

    #[test]
    fn an_event_out_of_order_is_found() {
        assert_eq!(kinds(&[done("3"), done("2")]), [Kind::EventOutOfOrder]);
        assert_eq!(kinds(&[done("3"), snapshot("2.0", "")]), [Kind::EventOutOfOrder]);
    }

    #[test]
    fn a_gap_in_the_text_is_found_once() {
        let events = [piece("1.1", "a"), piece("1.3", "c"), piece("1.4", "d")];
        assert_eq!(kinds(&events), [Kind::TextGap]);
    }

    #[test]
    fn a_message_that_says_something_else_is_found() {
        assert_eq!(kinds(&[piece("1.1", "a"), message("2", "b")]), [Kind::TextDiffers]);
    }

    #[test]
    fn text_that_becomes_no_message_is_found() {
        assert_eq!(kinds(&[piece("1.1", "a"), done("2")]), [Kind::TextLost]);
    }
}
