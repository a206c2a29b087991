//! What a rule is: data, not code.
//!
//! A rule names a class of attempts, says what each policy does about it, and
//! holds patterns. Patterns are written for folded text (see `normalise`), so
//! they are lower-case, without accents, and never need to think about white
//! space. `{name}` in a pattern stands for a class of words of the lexicon.

use serde::{Deserialize, Serialize};

/// One class of attempts and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Stable name, `category.what`: it stands in logs and in configurations.
    pub id: &'static str,
    /// What the attempt is after.
    pub category: Category,
    /// Which form of the text the patterns are written for.
    pub reads: Reads,
    /// What the `strict` policy does.
    pub strict: Action,
    /// What the `balanced` policy does.
    pub balanced: Action,
    /// One sentence for the administrator: what it catches, and why `balanced` does what it does.
    pub about: &'static str,
    /// Regular expressions, any of which is a match.
    pub patterns: &'static [&'static str],
}

/// The form of the text that a rule is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Letters and digits only, one space between words and one at either end:
    /// `Ignore, *all* previous_instructions!` is ` ignore all previous instructions `.
    Words,
    /// Punctuation stays, white space is one space: for code and for delimiters.
    Text,
    /// The words of a long message. The rule has no patterns itself: it
    /// matches when several different [`Sign`]s stand near each other.
    Signs,
    /// A stage of its own; the rule has no patterns.
    Stage(Stage),
}

/// What finds something without patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// One token or glyph repeated before an order, in a message.
    Flood,
    /// The learned weights for messages.
    Message,
    /// The learned weights for documents.
    Document,
    /// The evidence of an order inside a document.
    Order,
}

/// Something that is no attempt by itself, but that attempts are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    /// Its name.
    pub name: &'static str,
    /// One sentence for the administrator: what it looks for.
    pub about: &'static str,
    /// Regular expressions over words, any of which shows the sign.
    pub patterns: &'static [&'static str],
}

/// What happens on a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It passes, and a line is written.
    Log,
    /// It does not pass.
    Block,
}

/// What an attempt is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Talks the agent out of its limits: "DAN mode", "do anything now".
    Jailbreak,
    /// Puts the agent into a role that has no limits.
    Roleplay,
    /// Replaces the instructions that the agent works under.
    Override,
    /// Makes the agent forget its instructions.
    Memory,
    /// Asks for the instructions that the agent works under.
    Extraction,
    /// Imitates the marks that separate the system's words from a person's.
    Delimiter,
    /// Code that runs a program on the server.
    CodeExecution,
    /// Keys, passwords and environment of the server.
    Credentials,
    /// Text in a document that addresses the agent instead of the reader.
    Injection,
    /// Drowns the agent's instructions in repetitions.
    Flood,
    /// Weighs like known attacks.
    Learned,
    /// Reads like an order inside a document. A finding of this category is a label: it marks a
    /// tool's result or a file, and stops nothing.
    Document,
    /// A rule of the configuration file that names no category.
    Custom,
}

impl Action {
    /// The action's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Block => "block",
        }
    }
}

impl Category {
    /// The category's name in logs and in configurations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jailbreak => "jailbreak",
            Self::Roleplay => "roleplay",
            Self::Override => "override",
            Self::Memory => "memory",
            Self::Extraction => "extraction",
            Self::Delimiter => "delimiter",
            Self::CodeExecution => "code_execution",
            Self::Credentials => "credentials",
            Self::Injection => "injection",
            Self::Flood => "flood",
            Self::Learned => "learned",
            Self::Document => "document",
            Self::Custom => "custom",
        }
    }
}
