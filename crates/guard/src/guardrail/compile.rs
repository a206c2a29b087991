//! From rules as data to automata: expands the lexicon, folds the patterns,
//! and compiles one set for each form of text.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{RegexSet, RegexSetBuilder};

use super::anchored::Starts;
use super::learned::Learned;
use super::normalise::fold;
use super::policy::{GuardSettings, GuardrailError, Policy};
use super::rule::{Action, Category, Reads, Rule, Stage};
use super::rules;
use super::sign_set::SignSet;
use super::word_set::{Later, WordSet};
use crate::nearest::nearest;

/// Memory that the lazily built states of the text patterns may take, per thread.
const STATE_CACHE: usize = 2 << 20;
/// The largest compiled set; a configuration cannot take the server's memory.
const COMPILED_LIMIT: usize = 64 << 20;

/// The rules that are in force.
#[derive(Debug)]
pub(super) struct Rulebook {
    rules: Vec<ActiveRule>,
    /// For the words of a text.
    pub(super) words: PatternSet,
    /// For a text with its punctuation.
    pub(super) text: PatternSet,
    /// For the words of a long text, unless that rule is switched off.
    pub(super) signs: Option<PatternSet>,
    /// The rules of stages that are not switched off.
    stages: Vec<(Stage, usize)>,
    /// The weights of the learned stages.
    pub(super) learned: Learned,
    /// For words without spaces between them; only letters that stood alone
    /// need it, so it is compiled when the first such message comes.
    compact: Later<Option<PatternSet>>,
}

/// A rule that is in force.
#[derive(Debug)]
pub(super) struct ActiveRule {
    pub(super) id: Box<str>,
    pub(super) category: Category,
    source: Source,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    BuiltIn(&'static Rule),
    Added(Action),
}

impl ActiveRule {
    pub(super) fn action(&self, policy: Policy) -> Action {
        match self.source {
            Source::BuiltIn(rule) => policy.action(rule),
            Source::Added(action) => policy.action_of_added(action),
        }
    }
}

/// Patterns of many rules as one automaton.
#[derive(Debug)]
pub(super) enum PatternSet {
    /// Patterns over words.
    Words(WordSet),
    /// Patterns over text: they begin anywhere, and hold no gaps of words.
    Text { set: RegexSet, owners: Vec<usize> },
    /// Patterns over words of which several must match.
    Signs(SignSet),
}

impl PatternSet {
    /// Calls `found` with each rule that matches, maybe more than once, until
    /// it returns true; returns whether it did.
    pub(super) fn each_match(&self, text: &str, mut found: impl FnMut(usize) -> bool) -> bool {
        match self {
            Self::Words(set) => set.each_match(text, |rule, _| found(rule)),
            // Nearly every text matches nothing, and `is_match` knows that faster.
            Self::Text { set, owners } => {
                set.is_match(text)
                    && set.matches(text).into_iter().any(|pattern| found(owners[pattern]))
            }
            Self::Signs(set) => set.matched(text).is_some_and(found),
        }
    }
}

impl Rulebook {
    pub(super) fn new(settings: &GuardSettings, learned: Learned) -> Result<Self, GuardrailError> {
        check_ids(settings)?;
        let mut rules = Vec::new();
        let (mut words, mut text) = (Vec::new(), Vec::new());
        let (mut signs, mut stages) = (None, Vec::new());
        for rule in rules::all().filter(|rule| !settings.off.iter().any(|off| off == rule.id)) {
            let index = rules.len();
            match rule.reads {
                Reads::Words => {
                    words.extend(rule.patterns.iter().map(|p| (index, expand_words(p))));
                }
                Reads::Text => text.extend(rule.patterns.iter().map(|p| (index, expand(p)))),
                Reads::Signs => signs = Some(SignSet::new(index, sign_patterns())),
                Reads::Stage(stage) => stages.push((stage, index)),
            }
            rules.push(ActiveRule {
                id: rule.id.into(),
                category: rule.category,
                source: Source::BuiltIn(rule),
            });
        }
        for added in &settings.add {
            check_pattern(&added.id, &added.pattern)?;
            text.push((rules.len(), format!("(?i:{})", fold::pattern(&added.pattern))));
            rules.push(ActiveRule {
                id: added.id.as_str().into(),
                category: added.category,
                source: Source::Added(added.action),
            });
        }
        let compact: Vec<_> =
            words.iter().map(|(rule, pattern)| (*rule, without_spaces(pattern))).collect();
        Ok(Self {
            words: over_words(words, Starts::Words).map_err(built_in_is_bad)?,
            text: over_text(text).map_err(|error| built_in_is_bad(error.to_string().into()))?,
            stages,
            learned,
            signs: signs.transpose().map_err(built_in_is_bad)?.map(PatternSet::Signs),
            // Removing spaces from a pattern that compiled leaves one that
            // compiles; a test makes sure.
            compact: LazyLock::new(Box::new(move || over_words(compact, Starts::Everywhere).ok())),
            rules,
        })
    }

    pub(super) fn rule(&self, index: usize) -> &ActiveRule {
        &self.rules[index]
    }

    /// The rule of a stage, unless it is switched off.
    pub(super) fn stage(&self, stage: Stage) -> Option<usize> {
        self.stages.iter().find(|(other, _)| *other == stage).map(|(_, index)| *index)
    }

    pub(super) fn compact(&self) -> Option<&PatternSet> {
        self.compact.as_ref()
    }
}

fn check_ids(settings: &GuardSettings) -> Result<(), GuardrailError> {
    let known = |id: &str| rules::all().any(|rule| rule.id == id);
    if let Some(id) = settings.off.iter().find(|id| !known(id)) {
        let nearest = nearest(id, rules::all().map(|rule| rule.id)).to_owned();
        return Err(GuardrailError::UnknownRule { id: id.clone(), nearest });
    }
    for (index, added) in settings.add.iter().enumerate() {
        if known(&added.id) || settings.add[..index].iter().any(|other| other.id == added.id) {
            return Err(GuardrailError::DuplicateRule(added.id.clone()));
        }
    }
    Ok(())
}

/// Looks at an added pattern alone, so that the error names its rule.
fn check_pattern(id: &str, pattern: &str) -> Result<(), GuardrailError> {
    let bad = |why: regex::Error| GuardrailError::BadPattern {
        id: id.to_owned(),
        why: why.to_string().replace('\n', " "),
    };
    let regex = regex::RegexBuilder::new(&fold::pattern(pattern))
        .case_insensitive(true)
        .size_limit(1 << 20)
        .build()
        .map_err(bad)?;
    if regex.is_match("") {
        return Err(GuardrailError::MatchesEverything(id.to_owned()));
    }
    Ok(())
}

/// Added patterns are looked at one by one before, so this is one of ours; a
/// test compiles them all.
fn built_in_is_bad(why: Box<str>) -> GuardrailError {
    GuardrailError::BadPattern { id: "of the catalogue".to_owned(), why: why.into() }
}

fn over_words(patterns: Vec<(usize, String)>, starts: Starts) -> Result<PatternSet, Box<str>> {
    WordSet::new(patterns, starts).map(PatternSet::Words)
}

/// Every pattern of every sign, with the number of its sign.
fn sign_patterns() -> Vec<(usize, String)> {
    let signs = rules::SIGNS.iter().enumerate();
    signs.flat_map(|(sign, of)| of.patterns.iter().map(move |p| (sign, expand_words(p)))).collect()
}

fn over_text(patterns: Vec<(usize, String)>) -> Result<PatternSet, regex::Error> {
    let (owners, patterns): (Vec<usize>, Vec<String>) = patterns.into_iter().unzip();
    let set = RegexSetBuilder::new(patterns)
        .size_limit(COMPILED_LIMIT)
        .dfa_size_limit(STATE_CACHE)
        .build()?;
    Ok(PatternSet::Text { set, owners })
}

/// Each class of the lexicon as a group, classes inside classes resolved.
static CLASSES: LazyLock<HashMap<&'static str, String>> = LazyLock::new(|| {
    let mut classes = HashMap::new();
    for (name, alternatives) in rules::LEXICON {
        let group = format!("(?:{})", alternatives.join("|"));
        let group = resolve(&group, &classes);
        classes.insert(*name, group);
    }
    classes
});

/// Turns a pattern as it is written in a rule into one that the engine takes.
fn expand(pattern: &str) -> String {
    // Unicode borders would make the automaton give up on every letter that is
    // not ASCII; in folded text the ASCII border is the same thing.
    fold::pattern(&resolve(pattern, &CLASSES)).replace(r"\b", r"(?-u:\b)")
}

/// The same for a pattern over words. It is tried where a word begins, so the
/// space that it may begin with is there. That a word in between is made of
/// bytes other than a space makes a far smaller automaton than that it is made
/// of characters, and says the same.
fn expand_words(pattern: &str) -> String {
    expand(pattern.strip_prefix(' ').unwrap_or(pattern))
        .replace("[^ ]+", "(?-u:[^ ])+")
        .replace("[^ ]*", "(?-u:[^ ])*")
}

/// Puts classes for `{name}` and words for `{gap3}`. Repetitions such as
/// `{0,3}` begin with a digit and stay.
fn resolve(pattern: &str, classes: &HashMap<&'static str, String>) -> String {
    let mut out = String::with_capacity(pattern.len() * 4);
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        let (before, from_open) = rest.split_at(open);
        out.push_str(before);
        let name = from_open[1..].split('}').next().unwrap_or_default();
        let class = classes.get(name).cloned().or_else(|| gap(name));
        match class {
            Some(class) => {
                out.push_str(&class);
                rest = &from_open[name.len() + 2..];
            }
            None => {
                out.push('{');
                rest = &from_open[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn gap(name: &str) -> Option<String> {
    let most: u8 = name.strip_prefix("gap")?.parse().ok()?;
    Some(format!("(?: [^ ]+){{0,{most}}}"))
}

/// The same pattern for words that are written without gaps. A space is only
/// where they end.
fn without_spaces(pattern: &str) -> String {
    pattern.replace("[^ ]", "[a-z]").replace(" ?", "").replace(' ', "").replace('$', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_that_a_rule_names_exists() {
        let of_rules = rules::all().map(|rule| (rule.id, rule.patterns));
        let of_signs = rules::SIGNS.iter().map(|sign| (sign.name, sign.patterns));
        for (name, patterns) in of_rules.chain(of_signs) {
            for pattern in patterns {
                let expanded = expand(pattern);
                let expanded = expanded.replace(r"\{", "");
                let named = expanded.match_indices('{').any(|(at, _)| {
                    expanded[at + 1..].starts_with(|c: char| c.is_ascii_lowercase())
                });
                assert!(!named, "{name}: a class that does not exist in {pattern}");
            }
        }
    }

    #[test]
    fn what_is_compiled_later_compiles() {
        let book = Rulebook::new(&GuardSettings::default(), Learned::built_in().unwrap()).unwrap();
        for set in [&book.words, book.compact().unwrap(), book.signs.as_ref().unwrap()] {
            assert!(match set {
                PatternSet::Words(set) => set.compiles(),
                PatternSet::Signs(set) => set.compiles(),
                PatternSet::Text { .. } => false,
            });
        }
    }

    /// G-5: rules have unique ids that begin with their category.
    #[test]
    fn ids_are_unique_and_named_after_their_category() {
        let mut seen = std::collections::HashSet::new();
        for rule in rules::all() {
            assert!(seen.insert(rule.id), "{} stands twice", rule.id);
            let prefix = format!("{}.", rule.category.as_str());
            assert!(rule.id.starts_with(&prefix), "{} should begin with {prefix}", rule.id);
            assert!(rule.about.ends_with('.'), "{}: about is a sentence", rule.id);
        }
    }
}
