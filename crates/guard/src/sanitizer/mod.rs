//! The sanitizer: masks what must not leave the server for a person (S-1 to S-6).
//!
//! Steps:
//!
//! 1. [`SanitizerSettings`] and the built-in `rules` give a list of patterns.
//! 2. `automaton` compiles them into one table, `outlook` works out when a
//!    match is certain, and `filter` says where a look is worth it.
//! 3. `stream` runs the table over text in chunks. A whole text is one chunk, and
//!    `json` masks every string of a value.
//!
//! Limits: rules match what is written, not what is meant; a name in another
//! spelling passes. Masking twice finds no more secrets and no more words, with two
//! exceptions: where something was *removed* (flags, `tool_use_id`, the workspace's
//! path) the text on both sides comes together and may read like a new match, and
//! where two names were written as one word (`geminicodex`) the second, once masked,
//! becomes the border that the first lacked.

mod automaton;
mod filter;
mod internals;
mod json;
mod names;
mod outlook;
mod paths;
#[cfg(test)]
mod reference;
mod rules;
mod secrets;
mod settings;
mod stream;

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

use serde_json::Value;

use self::automaton::Automaton;
pub use self::{
    json::Masked,
    rules::{MaskGroup, MaskPattern, MaskRule, builtin_rules},
    settings::{AddedRule, SanitizerError, SanitizerSettings},
    stream::StreamSanitizer,
};

/// Masks text. Cloning is cheap: the compiled rules are shared.
#[derive(Debug, Clone)]
pub struct Sanitizer {
    automaton: Arc<Automaton>,
}

impl Sanitizer {
    /// Compiles the rules of a project.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the settings and what to do about it.
    pub fn new(settings: &SanitizerSettings) -> Result<Self, SanitizerError> {
        Ok(Self { automaton: Arc::new(settings.compile()?) })
    }

    /// Masks a whole text.
    #[must_use]
    pub fn sanitize(&self, text: &str) -> String {
        self.sanitize_cow(text).into_owned()
    }

    /// Masks a whole text; borrowed if nothing was masked.
    #[must_use]
    pub fn sanitize_cow<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.stream().whole(text)
    }

    /// Masks every string and every key of a value and lists what was changed.
    #[must_use]
    pub fn sanitize_json(&self, value: &Value) -> Masked {
        json::sanitize(self, value)
    }

    /// Masks a text that arrives in chunks.
    #[must_use]
    pub fn stream(&self) -> StreamSanitizer {
        StreamSanitizer::new(Arc::clone(&self.automaton))
    }

    /// The number of states of the compiled rules and the bytes that they take.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        self.automaton.size()
    }
}

impl Default for Sanitizer {
    /// The built-in rules; compiled once.
    #[expect(
        clippy::expect_used,
        reason = "the built-in rules are constant, and a test builds them"
    )]
    fn default() -> Self {
        static BUILT_IN: LazyLock<Sanitizer> = LazyLock::new(|| {
            Sanitizer::new(&SanitizerSettings::default()).expect("the built-in rules compile")
        });
        BUILT_IN.clone()
    }
}
