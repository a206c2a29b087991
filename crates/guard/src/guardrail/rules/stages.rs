//! Stages that find something without patterns: by the shape of a message, by weights that were
//! learned, by the evidence of an order inside a document. They are listed as rules, so that they
//! have ids, can be switched off, and say what they do.

use crate::guardrail::rule::{Action, Category, Reads, Rule, Stage};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "flood.before_order",
        category: Category::Flood,
        reads: Reads::Stage(Stage::Flood),
        strict: Action::Block,
        balanced: Action::Block,
        about: "One token or glyph repeated many times, and words behind it, so that the agent loses sight of its instructions; pictures, tables, separators and laughter are none. Messages only.",
        patterns: &[],
    },
    Rule {
        id: "learned.message",
        category: Category::Learned,
        reads: Reads::Stage(Stage::Message),
        strict: Action::Block,
        balanced: Action::Block,
        about: "The words of a message weigh like those of known attacks (a linear model, see docs/guard.md); the finding names the words that weighed most. Messages only.",
        patterns: &[],
    },
    Rule {
        id: "document.order_inside",
        category: Category::Document,
        reads: Reads::Stage(Stage::Order),
        strict: Action::Log,
        balanced: Action::Log,
        about: "An order inside a tool's result or a file: an imperative with something worth taking, an address, a tool's name or urgency beside it. A label, because ordinary mails have such sentences too.",
        patterns: &[],
    },
    Rule {
        id: "document.learned",
        category: Category::Document,
        reads: Reads::Stage(Stage::Document),
        strict: Action::Log,
        balanced: Action::Log,
        about: "The words of a passage in a tool's result or a file weigh like those of injections into e-mails (a linear model, see docs/guard.md). A label.",
        patterns: &[],
    },
];
