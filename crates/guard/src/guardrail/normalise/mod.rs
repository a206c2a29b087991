//! Normalises text: different spellings become one, so that rules are written once.
//!
//! A message is never changed: what goes to the agent is the person's own text
//! (G-6). For judging it, it is read in several views:
//!
//! 1. `plain`: compatibility forms, full width, case, accents and invisible
//!    characters folded away ([`fold`]).
//! 2. `hidden`: what Unicode's invisible tag characters spell.
//! 3. `lookalike`: letters of other scripts that look Latin, read as Latin.
//! 4. `leet`: digits and signs inside words read as letters.
//! 5. `spaced`: letters that stand alone, joined to words ([`spaced`]).
//! 6. `base64`, `hex`, `escaped`: what an encoded run decodes to ([`encoded`]).
//! 7. `rot13`, `reversed`: the whole text, turned.
//!
//! A view is made only if the message has something for it, the first view
//! with a blocking match ends the search, and every view is capped, so the work
//! is linear in the message's length (G-9).

pub(crate) mod chars;
pub(crate) mod encoded;
pub(crate) mod fold;
mod forms;
pub(crate) mod letters;
pub(crate) mod spaced;
pub(crate) mod views;

use serde::{Deserialize, Serialize};

/// The way of reading a text in which a rule matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// As it stands, folded.
    Plain,
    /// Written in invisible characters.
    Hidden,
    /// Written with letters of other scripts.
    Lookalike,
    /// Written with digits and signs for letters.
    Leet,
    /// Written letter by letter.
    Spaced,
    /// Written in base64.
    Base64,
    /// Written in hexadecimal bytes.
    Hex,
    /// Written in percent, HTML or backslash escapes.
    Escaped,
    /// Written with the alphabet turned by thirteen.
    Rot13,
    /// Written backwards.
    Reversed,
}

impl View {
    /// The view's name in logs and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Hidden => "hidden",
            Self::Lookalike => "lookalike",
            Self::Leet => "leet",
            Self::Spaced => "spaced",
            Self::Base64 => "base64",
            Self::Hex => "hex",
            Self::Escaped => "escaped",
            Self::Rot13 => "rot13",
            Self::Reversed => "reversed",
        }
    }
}

/// The two forms of a text that rules are written for (see `Reads`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folded {
    /// Punctuation kept.
    pub(crate) text: String,
    /// Words only.
    pub(crate) words: String,
}

impl Folded {
    /// Folds a text as it came.
    pub(crate) fn new(raw: &str) -> Self {
        Self::from_folded(fold::text(raw))
    }

    /// Derives the words of a text that is folded already.
    pub(crate) fn from_folded(text: String) -> Self {
        let words = fold::words(&text);
        Self { text, words }
    }
}
