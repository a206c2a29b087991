//! `Clean<T>`: proof that it may leave the server (S-5).
//!
//! Only this crate makes a `Clean`, and only by taking a value apart field by
//! field: the patterns in [`fields`] name every field and have no `..`, so a
//! field that is added to the vocabulary does not compile until it is
//! decided whether it has to be masked. A `Clean` cannot be deserialized.
//!
//! A text is first made readable ([`readable`]: no terminal codes, nothing that hides)
//! and then masked. What a person approves has nothing invisible in it at all
//! ([`visible`]).

mod fields;
mod options;
mod readable;
mod visible;

use parlor_protocol::{Branch, EventBody, Message};
use serde::Serialize;

use crate::sanitizer::{Sanitizer, StreamSanitizer};

pub use options::clean_options;
use readable::{Readable, readable};

/// Something that went through the sanitizer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Clean<T>(T);

impl<T> Clean<T> {
    /// What may be shown.
    pub fn get(&self) -> &T {
        &self.0
    }

    /// What may be shown, given away.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl Clean<Message> {
    /// The event that shows a clean message.
    pub fn to_event(&self) -> Clean<EventBody> {
        Clean(EventBody::Message(Box::new(self.0.clone())))
    }
}

impl Clean<EventBody> {
    /// The same beginning of a turn, on a branch. Ids have nothing to mask.
    #[must_use]
    pub fn on_branch(mut self, of: Branch) -> Self {
        if let EventBody::Start { branch, .. } = &mut self.0 {
            *branch = Some(of);
        }
        self
    }
}

impl<T: Cleanable> Clean<T> {
    /// Masks every part of a value that did not come from the person who reads it.
    pub fn new(sanitizer: &Sanitizer, value: T) -> Self {
        Self(value.cleaned(sanitizer))
    }
}

/// What knows its own parts, and which of them have to be masked.
pub trait Cleanable: fields::Sealed {
    /// The same with every part masked.
    #[doc(hidden)]
    fn cleaned(self, sanitizer: &Sanitizer) -> Self;
}

/// A text that is cleaned while it streams. What comes out, put together, is
/// what the whole text would have been (S-4).
#[derive(Debug)]
pub struct CleanStream {
    readable: Readable,
    masks: StreamSanitizer,
}

impl CleanStream {
    /// Begins a text.
    pub fn new(sanitizer: &Sanitizer) -> Self {
        Self { readable: Readable::default(), masks: sanitizer.stream() }
    }

    /// Takes the next piece and appends what is certain by now.
    pub fn push(&mut self, chunk: &str, to: &mut String) {
        self.masks.push(&self.readable.push(chunk), to);
    }

    /// Ends the text and appends what was held back.
    pub fn finish(mut self, to: &mut String) {
        let mut rest = String::new();
        self.readable.finish(&mut rest);
        self.masks.push(&rest, to);
        self.masks.finish(to);
    }
}

/// A whole text, cleaned.
fn clean_text(sanitizer: &Sanitizer, text: &str) -> String {
    sanitizer.sanitize(&readable(text))
}
