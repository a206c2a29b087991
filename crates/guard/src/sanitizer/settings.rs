//! What a project may change about masking (S-6), and what it may not.
//!
//! The settings are read from the configuration file as they are; resolving them
//! into patterns finds every mistake, and each error says what to do about it.

use std::collections::{BTreeMap, BTreeSet};

use regex_automata::util::syntax;
use serde::Deserialize;

use super::{
    automaton::{Automaton, Pattern},
    known::{self, KnownValues},
    paths::{self, HOME, HOME_REPLACEMENT, WORKSPACE},
    rule::{ANY, MaskGroup, MaskRule},
    rules::builtin_rules,
    stream::RUN_LIMIT,
    table::BuildFailure,
};
use crate::nearest::nearest;

/// The settings of the sanitizer.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SanitizerSettings {
    /// Whether the names and flags of assistants and providers are masked. Secrets
    /// and the directories below are masked in any case.
    pub mask_provider: bool,
    /// Whether the agent is a CLI behind a bridge: then a bare `Claude` or `Opus` is
    /// masked too, and what the CLI writes for its model. Not set, the agent's kind
    /// decides.
    pub behind_bridge: Option<bool>,
    /// Ids of rules that are switched off. Rules that mask secrets cannot be.
    pub off: Vec<String>,
    /// Other replacements, by rule id.
    pub replace: BTreeMap<String, String>,
    /// Rules of the project's own.
    pub add: Vec<AddedRule>,
    /// The agent's home directory; paths below it become `[config]`.
    pub home: Option<String>,
    /// The agent's working directory; paths below it become relative.
    pub workspace: Option<String>,
    /// What else the configuration names. It is never written here, but resolved.
    #[serde(skip)]
    pub known: KnownValues,
}

impl Default for SanitizerSettings {
    fn default() -> Self {
        Self {
            mask_provider: true,
            behind_bridge: None,
            off: Vec::new(),
            replace: BTreeMap::new(),
            add: Vec::new(),
            home: None,
            workspace: None,
            known: KnownValues::default(),
        }
    }
}

/// A rule of the project's own.
///
/// The pattern has the syntax of Rust's regular expressions. `\b` is an ASCII word
/// border, `^` and `$` are the borders of a line. A match that is not complete
/// after 256 bytes is none.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedRule {
    /// The name of the rule.
    pub id: String,
    /// The regular expression.
    pub pattern: String,
    /// What a match becomes.
    pub replacement: String,
    /// Whether `a` is not also `A`.
    #[serde(default)]
    pub case_sensitive: bool,
}

/// What is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SanitizerError {
    /// No rule has this id.
    #[error("there is no sanitizer rule `{id}`; did you mean `{nearest}`?")]
    UnknownRule {
        /// The id in the settings.
        id: String,
        /// The known id that is most like it.
        nearest: String,
    },
    /// Rules that mask secrets stay.
    #[error("rule `{id}` masks secrets and cannot be switched off; remove it from `off`")]
    SecretRule {
        /// The id in the settings.
        id: String,
    },
    /// Two rules have this id.
    #[error("there is already a sanitizer rule `{id}`; give the added rule another id")]
    DuplicateRule {
        /// The id in the settings.
        id: String,
    },
    /// The pattern cannot be compiled.
    #[error("the pattern of rule `{id}` is not valid: {reason}")]
    InvalidPattern {
        /// The id of the rule.
        id: String,
        /// What the compiler says.
        reason: String,
    },
    /// The pattern matches nothing at all, which is everywhere.
    #[error("the pattern of rule `{id}` matches the empty text; require at least one character")]
    EmptyMatch {
        /// The id of the rule.
        id: String,
    },
    /// The pattern never matches.
    #[error("the pattern of rule `{id}` can never match: {reason}")]
    NeverMatches {
        /// The id of the rule.
        id: String,
        /// Why not, and what to do.
        reason: &'static str,
    },
    /// The pattern needs too much memory.
    #[error("{what} too large; use smaller repetitions such as `{{1,20}}`, and `[a-z]` for `\\w`")]
    TooLarge {
        /// The rule or the rules.
        what: String,
    },
    /// Not a directory that can be looked for.
    #[error(
        "`{key}` must be an absolute path of 2 to 128 bytes and not the root, but it is `{path}`"
    )]
    InvalidPath {
        /// `home` or `workspace`.
        key: &'static str,
        /// The path in the settings.
        path: String,
    },
}

impl SanitizerSettings {
    /// Compiles the settings, and what finds the known secrets alone.
    pub(super) fn compile(&self) -> Result<(Automaton, Option<Automaton>), SanitizerError> {
        self.check_ids()?;
        let mut patterns = Vec::new();
        for rule in &self.add {
            patterns.push(rule.resolve()?);
        }
        patterns.extend(self.path_patterns()?);
        patterns.extend(self.known.patterns(!self.mask_provider));
        for rule in builtin_rules().iter().filter(|rule| self.is_active(rule)) {
            patterns.extend(rule.resolve(self.replace.get(rule.id)));
        }
        let secrets = known::secrets(&self.known.secrets).map_err(refusal)?;
        Ok((Automaton::build(&patterns).map_err(refusal)?, secrets))
    }

    /// Compiles the rules about keys and tokens, and the known secrets.
    pub(super) fn compile_keys(&self) -> Result<Automaton, SanitizerError> {
        let mut patterns = self.known.patterns(true);
        let keys = builtin_rules().iter().filter(|rule| rule.group == MaskGroup::Token);
        patterns.extend(keys.flat_map(|rule| rule.resolve(None)));
        Automaton::build(&patterns).map_err(refusal)
    }

    fn is_active(&self, rule: &MaskRule) -> bool {
        let wanted = self.mask_provider && !self.off.iter().any(|id| id == rule.id);
        rule.is_secret()
            || (wanted && (self.behind_bridge.unwrap_or_default() || !rule.bridge_only))
    }

    /// Finds ids that are unknown, taken or protected.
    fn check_ids(&self) -> Result<(), SanitizerError> {
        let mut known: BTreeSet<&str> = builtin_rules().iter().map(|rule| rule.id).collect();
        known.extend([HOME, WORKSPACE]);
        for rule in &self.add {
            if !known.insert(&rule.id) {
                return Err(SanitizerError::DuplicateRule { id: rule.id.clone() });
            }
        }
        for id in self.off.iter().chain(self.replace.keys()) {
            if !known.contains(id.as_str()) {
                let nearest = nearest(id, known.iter().copied()).to_owned();
                return Err(SanitizerError::UnknownRule { id: id.clone(), nearest });
            }
        }
        let mut secrets = builtin_rules().iter().filter(|rule| rule.is_secret());
        match secrets.find(|rule| self.off.iter().any(|id| id == rule.id)) {
            Some(rule) => Err(SanitizerError::SecretRule { id: rule.id.to_owned() }),
            None => Ok(()),
        }
    }

    fn path_patterns(&self) -> Result<Vec<Pattern>, SanitizerError> {
        let home = self.directory(HOME, self.home.as_deref())?;
        let workspace = self.directory(WORKSPACE, self.workspace.as_deref())?;
        let mut patterns = Vec::new();
        if let Some(home) = home {
            let replacement = self.replace.get(HOME).map_or(HOME_REPLACEMENT, String::as_str);
            patterns.extend(paths::home_patterns(home, workspace, replacement));
        }
        if let Some(workspace) = workspace {
            let replacement = self.replace.get(WORKSPACE).map(String::as_str);
            patterns.extend(paths::workspace_patterns(workspace, replacement));
        }
        Ok(patterns)
    }

    /// The directory of a path rule, unless the rule is off.
    fn directory<'a>(
        &self,
        key: &'static str,
        path: Option<&'a str>,
    ) -> Result<Option<&'a str>, SanitizerError> {
        let Some(path) = path.filter(|_| !self.off.iter().any(|id| id == key)) else {
            return Ok(None);
        };
        match paths::normalise(path) {
            Some(path) => Ok(Some(path)),
            None => Err(SanitizerError::InvalidPath { key, path: path.to_owned() }),
        }
    }
}

impl MaskRule {
    fn resolve(&self, replacement: Option<&String>) -> Vec<Pattern> {
        let replacement = replacement.map_or(self.replacement, String::as_str);
        let flags = if self.ignore_case { "i" } else { "-i" };
        let masking = self.patterns.iter().map(|pattern| (pattern, Some(replacement)));
        let sparing = self.spares.iter().map(|pattern| (pattern, None));
        let patterns = sparing.chain(masking).map(|(pattern, replacement)| Pattern {
            regex: format!("{}(?{flags}:{})", pattern.before, pattern.body),
            unicode: false,
            replacement: replacement.map(str::to_owned),
        });
        patterns.collect()
    }
}

impl AddedRule {
    /// Checks the pattern by itself, so that an error names the rule.
    fn resolve(&self) -> Result<Pattern, SanitizerError> {
        let id = || self.id.clone();
        let body = ascii_borders(&self.pattern);
        let invalid = |reason: String| SanitizerError::InvalidPattern { id: id(), reason };
        let config = syntax::Config::new().multi_line(true);
        let tree =
            syntax::parse_with(&body, &config).map_err(|error| invalid(error.to_string()))?;
        let shape = tree.properties();
        if shape.minimum_len() == Some(0) {
            return Err(SanitizerError::EmptyMatch { id: id() });
        }
        if shape.minimum_len().is_none_or(|length| length >= RUN_LIMIT) {
            let reason = "it needs more than 255 bytes, or nothing fits; shorten it";
            return Err(SanitizerError::NeverMatches { id: id(), reason });
        }
        if shape.look_set().contains_anchor_haystack() {
            let reason =
                "a stream has no `\\A` and no `\\z`; use `^` and `$`, the borders of a line";
            return Err(SanitizerError::NeverMatches { id: id(), reason });
        }
        let flags = if self.case_sensitive { "-i" } else { "i" };
        let pattern = Pattern {
            regex: format!("(?-u:{ANY})(?{flags}:{body})"),
            unicode: true,
            replacement: Some(self.replacement.clone()),
        };
        match Automaton::build(std::slice::from_ref(&pattern)) {
            Ok(_) => Ok(pattern),
            Err(BuildFailure::TooLarge) => {
                Err(too_large(&format!("the pattern of rule `{}` is", self.id)))
            }
            Err(BuildFailure::Unsupported(reason)) => Err(invalid(reason)),
        }
    }
}

fn refusal(failure: BuildFailure) -> SanitizerError {
    match failure {
        BuildFailure::TooLarge => too_large("all rules together are"),
        BuildFailure::Unsupported(reason) => {
            SanitizerError::InvalidPattern { id: "*".to_owned(), reason }
        }
    }
}

fn too_large(what: &str) -> SanitizerError {
    SanitizerError::TooLarge { what: what.to_owned() }
}

/// Writes `\b` and `\B` as ASCII borders: an automaton cannot look at whole
/// Unicode characters on both sides of a position.
fn ascii_borders(pattern: &str) -> String {
    let mut result = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(position) = rest.find('\\') {
        let (before, escape) = rest.split_at(position);
        result.push_str(before);
        let length = 1 + escape[1..].chars().next().map_or(0, char::len_utf8);
        let length = match escape.as_bytes().get(1) {
            Some(b'b') if escape[2..].starts_with("{start") || escape[2..].starts_with("{end") => {
                escape.find('}').map_or(length, |end| end + 1)
            }
            _ => length,
        };
        let (escape, after) = escape.split_at(length);
        if escape.starts_with("\\b") || escape == "\\B" {
            result.extend(["(?-u:", escape, ")"]);
        } else {
            result.push_str(escape);
        }
        rest = after;
    }
    result.push_str(rest);
    result
}
