//! Events with numbers that follow from the log alone: whoever asks again gets the same ones.
//!
//! An event counts one; a piece of text counts its bytes, and has the number of its last byte. How a
//! text was cut into pieces therefore changes no number after it, and a client can resume in the
//! middle of a text.

use bytes::{BufMut, BytesMut};
use serde_json::{Value, json};

/// Writes events.
#[derive(Debug)]
pub(super) struct Numbered {
    next: u64,
    /// The last number that the client has.
    after: Option<u64>,
    /// Whether anything is written at all.
    is_stream: bool,
}

impl Numbered {
    pub(super) fn new(is_stream: bool, after: Option<u64>) -> Self {
        Self { next: 0, after, is_stream }
    }

    /// The number of the next event.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// The next event gets this number: what came before was replaced.
    pub(super) fn continue_at(&mut self, number: u64) {
        self.next = number;
    }

    /// Writes an event.
    pub(super) fn event(&mut self, kind: &str, data: Value, to: &mut BytesMut) {
        let number = self.next;
        self.next += 1;
        if self.after.is_none_or(|after| number > after) {
            self.write(number, kind, data, to);
        }
    }

    /// Writes a piece of text as `delta`; of a piece that the client has in part, the rest.
    pub(super) fn text(&mut self, kind: &str, mut data: Value, text: &str, to: &mut BytesMut) {
        let first = self.next;
        self.next += text.len() as u64;
        let known = self.after.map_or(0, |after| after.saturating_add(1).saturating_sub(first));
        let known = usize::try_from(known).unwrap_or(usize::MAX).min(text.len());
        let rest = &text[text.floor_char_boundary(known)..];
        if !rest.is_empty() && known < text.len() {
            data["delta"] = json!(rest);
            self.write(self.next - 1, kind, data, to);
        }
    }

    /// Writes the last event. Whoever asks again has not seen the end, or saw a text that was
    /// replaced by a shorter one.
    pub(super) fn last(&mut self, kind: &str, data: Value, to: &mut BytesMut) {
        self.after = None;
        self.event(kind, data, to);
    }

    /// Writes an event that has no number.
    pub(super) fn lost(&self, data: Value, to: &mut BytesMut) {
        self.write(self.next, "error", data, to);
    }

    fn write(&self, number: u64, kind: &str, mut data: Value, to: &mut BytesMut) {
        if !self.is_stream {
            return;
        }
        data["type"] = json!(kind);
        data["sequence_number"] = json!(number);
        let before = to.len();
        to.extend_from_slice(format!("event: {kind}\ndata: ").as_bytes());
        match serde_json::to_writer(to.writer(), &data) {
            Ok(()) => to.extend_from_slice(b"\n\n"),
            // Values always serialize; half an event must not go out.
            Err(_) => to.truncate(before),
        }
    }
}
