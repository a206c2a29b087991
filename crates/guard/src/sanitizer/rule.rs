//! What a masking rule is, and the parts that its patterns are made of.
//!
//! How to read a pattern: [`MaskPattern::before`] is the class of the one byte that
//! must stand before the match, and [`MaskPattern::body`] is the match itself. Both
//! are byte-oriented (`\w` is ASCII). At one position the longest match of all rules
//! wins; of equal ones the earlier, with a rule's *spares* before its patterns. Where a
//! spare wins, the text stays: `Geminid` is longer than `Gemini`.
//!
//! A body must be certain after a few dozen bytes, hence the bounded gaps; the tail
//! after that may be unbounded, because it is swallowed and not held. A tail takes
//! in a dot only if a digit or a path goes on behind it, never the end of a sentence.

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaskGroup {
    /// Names of assistants, their tools and models (S-1).
    Assistant,
    /// Names of the companies behind them (S-2).
    Provider,
    /// Internal commands (S-3).
    Workflow,
    /// Internal services (S-3).
    Service,
    /// Flags and fields of the agent CLIs (S-3).
    Flag,
    /// Keys and tokens (S-3); these stay masked always (S-6).
    Token,
    /// Internal ids (S-3); these stay masked always, but may stand in a log.
    Id,
    /// Directories of the agent (S-3).
    Path,
    /// Text that a CLI writes for its model, not for people (S-5).
    Harness,
}

/// One rule of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct MaskRule {
    /// The name under which a project switches the rule off or changes it.
    pub id: &'static str,
    /// What the rule is about.
    pub group: MaskGroup,
    /// What a match becomes.
    pub replacement: &'static str,
    /// One sentence for the documentation.
    pub about: &'static str,
    /// What is masked.
    pub patterns: &'static [MaskPattern],
    /// What looks alike and stays.
    pub spares: &'static [MaskPattern],
    /// Whether `a` also means `A`.
    pub ignore_case: bool,
    /// Whether the rule is active only behind a bridge to an agent CLI.
    pub bridge_only: bool,
}

impl MaskRule {
    /// Whether the rule masks secrets, and hence cannot be switched off.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        matches!(self.group, MaskGroup::Token | MaskGroup::Id)
    }
}

/// A regular expression and the byte before it.
#[derive(Debug, Clone, Copy)]
pub struct MaskPattern {
    /// The class of the byte before the match.
    pub before: &'static str,
    /// The match.
    pub body: &'static str,
}

/// What the rules have in common.
pub(super) const BLANK: MaskRule = MaskRule {
    id: "",
    group: MaskGroup::Assistant,
    replacement: "",
    about: "",
    patterns: &[],
    spares: &[],
    ignore_case: true,
    bridge_only: false,
};

pub(super) const fn pattern(before: &'static str, body: &'static str) -> MaskPattern {
    MaskPattern { before, body }
}

/// Any byte may stand before: the text is unmistakable, also inside a word.
pub(super) const ANY: &str = r"[\x00-\xFF]";
/// No letter may stand before.
pub(super) const NO_LETTER: &str = "[^A-Za-z]";
/// A lower-case letter stands before: the border inside `myClient`.
pub(super) const CAMEL: &str = "[a-z]";
/// No part of a word or of another flag may stand before.
pub(super) const NO_WORD: &str = "[^A-Za-z0-9_-]";

/// White space, a hyphen, an underscore, or a Unicode variant of one: the no-break
/// space, and U+2000 to U+203F with the spaces and dashes that models like to write.
macro_rules! gap {
    () => {
        r"(?:[\s_-]|\xC2\xA0|\xE2\x80[\x80-\xBF])"
    };
}
pub(super) use gap;

/// The same on one line: what begins the next line, such as the number of a list,
/// is not the version of what ended the last.
macro_rules! near {
    () => {
        r"(?:[ \t_-]|\xC2\xA0|\xE2\x80[\x80-\xA7\xAA-\xBF])"
    };
}
pub(super) use near;
