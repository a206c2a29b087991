//! What stands behind a call that a person is asked about (F-2): what the agent read before that
//! others may have written, and where each value of the call comes from.

use serde::{Deserialize, Serialize};

use crate::message::Timestamp;

/// Whose words the result of a tool can hold (F-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Those of the people who use Parlor, and of systems of theirs.
    Own,
    /// Those of others too: mail, web pages, files that are shared.
    Others,
}

impl Content {
    /// Its name where it is stored and configured.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Others => "others",
        }
    }

    /// What a stored name means: in doubt, others.
    pub fn from_name(name: Option<&str>) -> Self {
        match name {
            Some("own") => Self::Own,
            _ => Self::Others,
        }
    }
}

/// What may have influenced a call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Influence {
    /// What was read, the newest first.
    pub sources: Vec<Source>,
    /// How many older ones are left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u32>", optional))]
    pub more: u32,
    /// Where the values of the call come from.
    pub values: Vec<ValueOrigin>,
}

/// A result of a tool that others may have written words of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Source {
    /// The server of the tool.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What it read: a path, an address, words that were searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// When it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Whether it reads like orders.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>", optional))]
    pub suspicious: bool,
}

/// Where a value of a call comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ValueOrigin {
    /// The value, as a JSON pointer into the arguments.
    pub pointer: String,
    /// Where it stands.
    #[serde(flatten)]
    pub found: Found,
}

/// Where a value was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Found {
    /// In the person's own words.
    Person,
    /// In something that was read.
    Source {
        /// Which of the sources.
        source: u32,
        /// The text before it.
        before: String,
        /// The value as it stands there, or the part of it that does.
        text: String,
        /// The text after it.
        after: String,
    },
    /// Nowhere: the agent made it up, or put it together.
    Nowhere,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
