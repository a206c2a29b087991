//! What a project decides about the guardrail (G-5): a policy, rules switched
//! off, rules added, and how long a message may be.

use serde::{Deserialize, Serialize};

use super::learned::TableError;
use super::rule::{Action, Category, Rule};

/// What a match means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Every rule blocks.
    #[default]
    Strict,
    /// Attempts block; a bare mention is logged and passes.
    Balanced,
    /// Nothing blocks, everything is logged.
    Monitor,
}

impl Policy {
    /// What this policy does about a built-in rule.
    pub fn action(self, rule: &Rule) -> Action {
        match self {
            Self::Strict => rule.strict,
            Self::Balanced => rule.balanced,
            Self::Monitor => Action::Log,
        }
    }

    /// What this policy does about a rule that the project added itself.
    pub fn action_of_added(self, added: Action) -> Action {
        match self {
            Self::Strict | Self::Balanced => added,
            Self::Monitor => Action::Log,
        }
    }
}

/// A project's settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GuardSettings {
    /// What a match means.
    pub policy: Policy,
    /// The longest message, in Unicode scalars (G-4).
    pub max_chars: usize,
    /// Ids of rules that are switched off.
    pub off: Vec<String>,
    /// Rules that are added.
    pub add: Vec<AddedRule>,
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self { policy: Policy::default(), max_chars: 10_000, off: Vec::new(), add: Vec::new() }
    }
}

/// A rule of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedRule {
    /// Its name in logs.
    pub id: String,
    /// A regular expression. It reads folded text, as the built-in rules do:
    /// case and accents do not matter, white space is one space, punctuation stays.
    pub pattern: String,
    /// What it is about.
    #[serde(default = "custom")]
    pub category: Category,
    /// What happens on a match under `strict` and `balanced`.
    #[serde(default = "block")]
    pub action: Action,
}

fn custom() -> Category {
    Category::Custom
}

fn block() -> Action {
    Action::Block
}

/// Settings that cannot be used, and what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardrailError {
    /// A rule to switch off does not exist.
    #[error("there is no rule '{id}' to switch off; did you mean '{nearest}'?")]
    UnknownRule {
        /// As it was written.
        id: String,
        /// The rule whose name is most like it.
        nearest: String,
    },
    /// A rule that is added has the name of another.
    #[error("the rule '{0}' is there already; give the added rule another id")]
    DuplicateRule(String),
    /// A pattern is no regular expression, or too large.
    #[error("the pattern of rule '{id}' cannot be used: {why}")]
    BadPattern {
        /// Which rule.
        id: String,
        /// What the compiler says.
        why: String,
    },
    /// The program was built with a table that cannot be used.
    #[error(transparent)]
    BadTable(#[from] TableError),
    /// A pattern would match every message.
    #[error("the pattern of rule '{0}' matches the empty text, and so every message")]
    MatchesEverything(String),
}
