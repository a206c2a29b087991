//! How events are written: every way that the standard allows, not only the usual one.

use crate::frame::{Data, Frame};

/// The ways to write a stream of events.
#[derive(Debug, Clone)]
pub(crate) struct Framing {
    pub(crate) line_end: &'static str,
    pub(crate) split: Option<usize>,
    pub(crate) comments: bool,
    pub(crate) multi_line: bool,
}

impl Default for Framing {
    fn default() -> Self {
        Self { line_end: "\n", split: None, comments: false, multi_line: false }
    }
}

impl Framing {
    /// What stands before the first event.
    pub(crate) fn prelude(&self) -> String {
        let end = self.line_end;
        if self.comments { format!("\u{feff}: hello{end}{end}") } else { String::new() }
    }

    /// An event as text.
    pub(crate) fn event(&self, frame: &Frame) -> String {
        let end = self.line_end;
        let mut text = String::new();
        if let Some(name) = &frame.name {
            text.push_str(&format!("event: {name}{end}"));
        }
        if self.comments {
            text.push_str(&format!(": a comment{end}id: 7{end}"));
        }
        let data = match &frame.data {
            // JSON may have line breaks between its parts, never inside a string.
            Data::Json(event) if self.multi_line => format!("{event:#}"),
            Data::Json(event) => event.to_string(),
            Data::Word(word) => (*word).to_owned(),
        };
        for line in data.lines() {
            text.push_str(&format!("data: {line}{end}"));
        }
        text.push_str(end);
        if self.comments {
            text.push_str(&format!(":{end}{end}"));
        }
        text
    }

    /// The pieces that a text is sent in.
    pub(crate) fn pieces<'a>(&self, text: &'a [u8]) -> std::slice::Chunks<'a, u8> {
        text.chunks(self.split.unwrap_or(text.len()).max(1))
    }
}
