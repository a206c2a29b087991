//! What the guardrail found, and the text of a refusal.

use parlor_protocol::ErrorCode;
use serde::Serialize;

use super::normalise::View;
use super::rule::{Action, Category};

/// The guardrail's own message, word for word (G-1). Clients translate by the code.
const BLOCKED: &str = "Comando não permitido";

/// A rule that matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its id.
    pub rule: Box<str>,
    /// What it is about.
    pub category: Category,
    /// What the policy says about it.
    pub action: Action,
    /// How the text had to be read to see it.
    pub view: View,
    /// What weighed most, in the folded words of the text itself; empty for a rule with patterns.
    pub words: Vec<Box<str>>,
}

impl Finding {
    /// Whether it only marks a document: an order inside data, which stops nothing by itself.
    pub fn is_label(&self) -> bool {
        self.category == Category::Document
    }
}

/// A text that is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// For programs, and for clients to translate by.
    pub code: ErrorCode,
    /// For people.
    pub message: String,
    /// The rule, if a rule refused it. For the audit, not for the person.
    pub finding: Option<Finding>,
}

impl Refusal {
    pub(super) fn blocked(finding: Finding) -> Self {
        Self { code: ErrorCode::InputBlocked, message: BLOCKED.to_owned(), finding: Some(finding) }
    }

    pub(super) fn of_form(code: ErrorCode, message: String) -> Self {
        Self { code, message, finding: None }
    }
}
