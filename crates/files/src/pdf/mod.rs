//! The text of a PDF.
//!
//! 1. The server writes a PDF with its [`Limits`] to a process of its own.
//! 2. [`answer`] is all that this process does: it interprets the pages one after the other
//!    ([`read`]), keeps what they draw as text ([`layout`]), and says what came of it in one line.
//! 3. [`Answer::parse`] reads that line. A process that ended without one was stopped by its
//!    limits, or by its parser.

mod layout;
mod read;

use serde::{Deserialize, Serialize};

pub use read::answer;

/// How much of a PDF is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The most pages.
    pub pages: usize,
    /// The most characters.
    pub chars: usize,
}

/// What came of reading a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Answer {
    /// It was read.
    Text {
        /// How many pages it has.
        pages: usize,
        /// What stands on them; empty if they are pictures.
        text: String,
        /// Whether somebody restricted what may be done with it: vendors may refuse it.
        protected: bool,
    },
    /// It needs a password.
    Encrypted,
    /// It cannot be parsed, or has no pages.
    Damaged,
    /// It has more pages than are read.
    TooManyPages {
        /// How many.
        pages: usize,
    },
    /// It has more text than is read.
    TooMuchText,
}

impl Answer {
    /// The line.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the line.
    pub fn parse(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

#[cfg(test)]
mod tests;
