//! The sanitizer: masks what must not leave the server for a person (S-1 to S-6).
//!
//! Steps:
//!
//! 1. [`SanitizerSettings`] and the built-in `rules` give a list of patterns.
//! 2. `automaton` compiles them into one table, `outlook` works out when a
//!    match is certain, and `filter` finds the positions worth a run.
//! 3. `stream` runs the table over text in chunks. A whole text is one chunk, and
//!    `json` masks every string of a value.
//! 4. What only the server knows (secrets, models, addresses) is compiled with the
//!    rules; the ids of CLI sessions get a small table of their own that runs after them
//!    (`known`).
//!
//! Limits: rules match what is written, not what is meant; a name in another
//! spelling passes. Masking twice finds no more secrets and no more words, with two
//! exceptions: where something was *removed* (flags, `tool_use_id`, the workspace's
//! path) the text on both sides comes together and may read like a new match, and
//! where two names were written as one word (`geminicodex`) the second, once masked,
//! becomes the border that the first lacked.

mod automaton;
mod filter;
mod json;
mod known;
mod outlook;
mod paths;
#[cfg(test)]
mod reference;
mod rule;
mod rules;
mod settings;
mod stream;
mod table;

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

use serde_json::Value;

use self::automaton::Automaton;
pub use self::{
    json::Masked,
    known::KnownValues,
    rule::{MaskGroup, MaskPattern, MaskRule},
    rules::builtin_rules,
    settings::{AddedRule, SanitizerError, SanitizerSettings},
    stream::StreamSanitizer,
};

/// Masks text. Cloning is cheap: the compiled rules are shared.
#[derive(Debug, Clone)]
pub struct Sanitizer {
    automaton: Arc<Automaton>,
    /// Finds the ids of CLI sessions in what the rules have left.
    sessions: Option<Arc<Automaton>>,
    /// Finds the secrets that the configuration names, and nothing else.
    secrets: Option<Arc<Automaton>>,
}

impl Sanitizer {
    /// Compiles the rules of a project.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the settings and what to do about it.
    pub fn new(settings: &SanitizerSettings) -> Result<Self, SanitizerError> {
        let (automaton, secrets) = settings.compile()?;
        Ok(Self { automaton: Arc::new(automaton), sessions: None, secrets: secrets.map(Arc::new) })
    }

    /// Masks keys and tokens alone, and these values: for logs, whose readers may know
    /// everything else.
    ///
    /// # Errors
    ///
    /// The values are too many to be looked for.
    pub fn for_log(secrets: Vec<String>) -> Result<Self, SanitizerError> {
        let known = KnownValues { secrets, ..KnownValues::default() };
        let automaton =
            SanitizerSettings { known, ..SanitizerSettings::default() }.compile_keys()?;
        Ok(Self { automaton: Arc::new(automaton), sessions: None, secrets: None })
    }

    /// The same, for a conversation with these CLI sessions: their ids become
    /// `[session]`, wherever they stand.
    #[must_use]
    pub fn with_sessions(&self, ids: &[String]) -> Self {
        // A few literals always compile; if they did not, the rules would still hold.
        let sessions = known::sessions(ids).ok().flatten().map(Arc::new);
        Self { sessions, ..self.clone() }
    }

    /// Masks the secrets that the configuration names and nothing else, in a text that
    /// arrives in chunks: for what a model reads again. Nothing if none are named.
    #[must_use]
    pub fn secrets_stream(&self) -> Option<StreamSanitizer> {
        self.secrets.as_ref().map(|secrets| StreamSanitizer::new(Arc::clone(secrets)))
    }

    /// The same for a whole text.
    #[must_use]
    pub fn without_secrets(&self, text: String) -> String {
        let Some(stream) = self.secrets_stream() else { return text };
        match stream.whole(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(masked) => masked,
        }
    }

    /// The same for every string of a value.
    #[must_use]
    pub fn json_without_secrets(&self, value: Value) -> Value {
        match &self.secrets {
            None => value,
            Some(secrets) => {
                let alone = Self { automaton: Arc::clone(secrets), sessions: None, secrets: None };
                alone.sanitize_json(&value).value
            }
        }
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
        let rules = StreamSanitizer::new(Arc::clone(&self.automaton));
        match &self.sessions {
            Some(sessions) => StreamSanitizer::new(Arc::clone(sessions)).after(rules),
            None => rules,
        }
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
