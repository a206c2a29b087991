//! One automaton for all active rules.
//!
//! Steps of the build:
//!
//! 1. Every pattern is compiled into one dense DFA that follows all rules at
//!    the same time, anchored at the byte where a match would begin.
//! 2. The DFA is copied into a [`Table`] of our own, in which each state knows
//!    which outcomes can still come.
//! 3. The [`Filter`] is derived from the first four steps of the table, so that
//!    ordinary prose never enters the automaton at all.
//!
//! A pattern begins with one byte of *context*: the byte before the match (a
//! line feed at the beginning of the text). It is fed to the automaton first and
//! is no part of the match. That gives every rule its own idea of a left border,
//! which `\b` alone cannot express.

use regex_automata::{
    MatchKind,
    dfa::{
        StartKind,
        dense::{self, BuildError},
    },
    nfa::thompson::{self, NFA, WhichCaptures},
    util::syntax,
};

use super::{
    filter::Filter,
    outlook::{Facts, NO_MATCH, Outcome, SPARE},
    table::{BuildFailure, OwnedDfa, Table},
};

/// No automaton may be larger than this; a project's own rules are bounded by it.
const SIZE_LIMIT: usize = 32 << 20;

/// One pattern, ready to be compiled.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// The regular expression, context byte included.
    pub(super) regex: String,
    /// Whether classes such as `\w` and `.` mean Unicode characters or bytes.
    pub(super) unicode: bool,
    /// What a match becomes; `None` leaves the text as it is.
    pub(super) replacement: Option<String>,
}

/// The compiled rules.
#[derive(Debug)]
pub(super) struct Automaton {
    table: Table,
    /// Finds the positions where a run is worth it.
    filter: Filter,
    /// The replacement of each outcome; the one of [`SPARE`] is not used.
    replacements: Vec<String>,
}

impl Automaton {
    /// Compiles the patterns; where two match the same text, the earlier wins.
    pub(super) fn build(patterns: &[Pattern]) -> Result<Self, BuildFailure> {
        let (outcomes, replacements) = outcomes(patterns);
        let table = Table::new(&determinize(patterns)?, outcomes)?;
        let filter = Filter::new(&table);
        Ok(Self { table, filter, replacements })
    }

    /// The state in which a run begins, given the byte before it.
    pub(super) fn start(&self, before: u8) -> u16 {
        self.table.start(before)
    }

    /// The state after one more byte.
    #[inline]
    pub(super) fn step(&self, state: u16, byte: u8) -> u16 {
        self.table.step(state, byte)
    }

    /// What a state knows.
    #[inline]
    pub(super) fn facts(&self, state: u16) -> Facts {
        self.table.facts(state)
    }

    /// The first position at or after `from` where a run is worth it.
    #[inline]
    pub(super) fn candidate(&self, text: &[u8], from: usize) -> Option<usize> {
        self.filter.find(text, from)
    }

    /// What a match with this outcome becomes.
    pub(super) fn replacement(&self, outcome: Outcome) -> &str {
        &self.replacements[usize::from(outcome)]
    }

    /// The number of states and the bytes that the tables take.
    pub(super) fn size(&self) -> (usize, usize) {
        let (states, bytes) = self.table.size();
        (states, size_of::<Self>() + bytes)
    }
}

/// Compiles all patterns into one anchored DFA that reports every match.
fn determinize(patterns: &[Pattern]) -> Result<OwnedDfa, BuildFailure> {
    let config = dense::Config::new()
        .match_kind(MatchKind::All)
        .start_kind(StartKind::Anchored)
        .accelerate(false)
        .dfa_size_limit(Some(SIZE_LIMIT))
        .determinize_size_limit(Some(SIZE_LIMIT));
    let nfa = compile(patterns)?;
    dense::Builder::new().configure(config).build_from_nfa(&nfa).map_err(|error| refusal(&error))
}

fn compile(patterns: &[Pattern]) -> Result<NFA, BuildFailure> {
    let mut trees = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        let config = syntax::Config::new().unicode(pattern.unicode).utf8(false).multi_line(true);
        let tree = syntax::parse_with(&pattern.regex, &config)
            .map_err(|error| BuildFailure::Unsupported(error.to_string()))?;
        trees.push(tree);
    }
    let config = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(SIZE_LIMIT));
    thompson::Compiler::new().configure(config).build_many_from_hir(&trees).map_err(|error| {
        match error.size_limit() {
            Some(_) => BuildFailure::TooLarge,
            None => BuildFailure::Unsupported(error.to_string()),
        }
    })
}

fn refusal(error: &BuildError) -> BuildFailure {
    if error.is_size_limit_exceeded() {
        BuildFailure::TooLarge
    } else {
        BuildFailure::Unsupported(error.to_string())
    }
}

/// Numbers the different replacements: rules that write the same are one outcome,
/// so that a match is certain before it is known which of them it is.
fn outcomes(patterns: &[Pattern]) -> (Vec<Outcome>, Vec<String>) {
    let mut replacements = vec![String::new()];
    let outcomes = patterns
        .iter()
        .map(|pattern| {
            let Some(text) = &pattern.replacement else {
                return SPARE;
            };
            let known = replacements.iter().skip(1).position(|known| known == text);
            let index = known.map_or(replacements.len(), |position| position + 1);
            if known.is_none() {
                replacements.push(text.clone());
            }
            u16::try_from(index).unwrap_or(NO_MATCH - 1)
        })
        .collect();
    (outcomes, replacements)
}
