//! One automaton for all active rules.
//!
//! Steps of the build:
//!
//! 1. Every pattern is compiled into one dense DFA that follows all rules at
//!    the same time, anchored at the byte where a match would begin.
//! 2. The DFA is copied into a table of our own: 16-bit states, one row a
//!    state, and beside it what each state knows ([`Facts`]): which rule has
//!    just matched, which outcomes can still come, and whether one must come.
//! 3. The [`Filter`] is derived from the first four steps of the table, so that
//!    ordinary prose never enters the automaton at all.
//!
//! A pattern begins with one byte of *context*: the byte before the match (a
//! line feed at the beginning of the text). It is fed to the automaton first and
//! is no part of the match. That gives every rule its own idea of a left border,
//! which `\b` alone cannot express.

use regex_automata::{
    Anchored, MatchKind,
    dfa::{
        Automaton as _, StartKind,
        dense::{self, BuildError},
    },
    nfa::thompson::{self, NFA, WhichCaptures},
    util::{primitives::StateID, start, syntax},
};

use super::{filter::Filter, outlook};

/// The DFA as it is built.
type OwnedDfa = dense::DFA<Vec<u32>>;

/// Index of an outcome: what becomes of a match.
pub(super) type Outcome = u16;

/// No rule has matched.
pub(super) const NO_MATCH: Outcome = u16::MAX;

/// A rule has matched that exists to protect the text, such as `Geminids`.
pub(super) const SPARE: Outcome = 0;

/// The state from which nothing can match.
pub(super) const DEAD: u16 = 0;

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

/// What a state knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// The outcome of the rule that matched just before the last byte.
    pub(super) matched: Outcome,
    /// The outcome of the rule that matches if the text ends here.
    pub(super) at_end: Outcome,
    /// Which outcomes can still come.
    pub(super) outlook: Outlook,
    /// Whether every continuation, the end of the text included, brings a match.
    pub(super) sure: bool,
}

/// Which outcomes can still be reached from a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// None: the run is over.
    Nothing,
    /// Exactly one.
    Only(Outcome),
    /// More than one: the text that follows decides.
    Several,
}

/// Why the automaton could not be built.
#[derive(Debug)]
pub(super) enum BuildFailure {
    /// The patterns need more memory than we grant.
    TooLarge,
    /// A pattern is not supported; the text says why.
    Unsupported(String),
}

/// The compiled rules.
#[derive(Debug)]
pub(super) struct Automaton {
    /// Byte to column.
    classes: [u8; 256],
    /// A row has `1 << shift` columns.
    shift: u32,
    /// The table: row by row, the following state.
    next: Vec<u16>,
    /// What each state knows.
    facts: Vec<Facts>,
    /// The state after the context byte.
    starts: [u16; 256],
    /// Finds the positions where a run is worth it.
    filter: Filter,
    /// The replacement of each outcome; the one of [`SPARE`] is not used.
    replacements: Vec<String>,
}

impl Automaton {
    /// Compiles the patterns; where two match the same text, the earlier wins.
    pub(super) fn build(patterns: &[Pattern]) -> Result<Self, BuildFailure> {
        let dfa = determinize(patterns)?;
        let (outcomes, replacements) = outcomes(patterns);
        let mut table = Table::new(&dfa, outcomes);
        let first = dfa
            .start_state(&start::Config::new().anchored(Anchored::Yes))
            .map_err(|error| BuildFailure::Unsupported(error.to_string()))?;
        let first = table.explore(first)?;
        let rows = table.next.chunks_exact(1 << table.shift);
        let columns = table.samples.len();
        outlook::compute(&mut table.facts, rows.map(|row| &row[..columns]));
        let mut automaton = Self {
            classes: table.classes,
            shift: table.shift,
            next: table.next,
            facts: table.facts,
            starts: [DEAD; 256],
            filter: Filter::default(),
            replacements,
        };
        for byte in 0..=255 {
            automaton.starts[usize::from(byte)] = automaton.step(first, byte);
        }
        automaton.filter = Filter::new(&automaton);
        Ok(automaton)
    }

    /// The state in which a run begins, given the byte before it.
    pub(super) fn start(&self, before: u8) -> u16 {
        self.starts[usize::from(before)]
    }

    /// The state after one more byte.
    #[inline]
    pub(super) fn step(&self, state: u16, byte: u8) -> u16 {
        let row = usize::from(state) << self.shift;
        self.next[row | usize::from(self.classes[usize::from(byte)])]
    }

    /// What a state knows.
    #[inline]
    pub(super) fn facts(&self, state: u16) -> Facts {
        self.facts[usize::from(state)]
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
        let facts = size_of_val(self.facts.as_slice());
        (self.facts.len(), size_of::<Self>() + size_of_val(self.next.as_slice()) + facts)
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

/// Copies the reachable part of a DFA.
struct Table<'a> {
    dfa: &'a OwnedDfa,
    outcomes: Vec<Outcome>,
    classes: [u8; 256],
    /// One byte of each class.
    samples: Vec<u8>,
    shift: u32,
    /// The numbers of the states that were met, by their place in the DFA.
    known: Vec<Option<u16>>,
    queue: Vec<StateID>,
    next: Vec<u16>,
    facts: Vec<Facts>,
}

impl<'a> Table<'a> {
    fn new(dfa: &'a OwnedDfa, outcomes: Vec<Outcome>) -> Self {
        let mut classes = [0; 256];
        let mut samples: Vec<u8> = Vec::new();
        for byte in 0..=255 {
            let class = dfa.byte_classes().get(byte);
            classes[usize::from(byte)] = class;
            if usize::from(class) == samples.len() {
                samples.push(byte);
            }
        }
        let shift = samples.len().next_power_of_two().trailing_zeros();
        let dead =
            Facts { matched: NO_MATCH, at_end: NO_MATCH, outlook: Outlook::Nothing, sure: false };
        Self {
            dfa,
            outcomes,
            classes,
            samples,
            shift,
            known: Vec::new(),
            queue: Vec::new(),
            next: vec![DEAD; 1 << shift],
            facts: vec![dead],
        }
    }

    /// Copies everything that can be reached from `first` and returns its number.
    fn explore(&mut self, first: StateID) -> Result<u16, BuildFailure> {
        let number = self.number(first)?;
        let mut done = 0;
        while let Some(&state) = self.queue.get(done) {
            done += 1;
            let row = done << self.shift;
            for column in 0..self.samples.len() {
                let target = self.dfa.next_state(state, self.samples[column]);
                let target = self.number(target)?;
                self.next[row + column] = target;
            }
        }
        Ok(number)
    }

    /// The number of a state; a new one gets a row. The dead state is number 0,
    /// so the n-th state of the queue has row n + 1.
    fn number(&mut self, state: StateID) -> Result<u16, BuildFailure> {
        if self.dfa.is_dead_state(state) {
            return Ok(DEAD);
        }
        let place = state.as_usize() >> self.dfa.stride2();
        if let Some(&Some(number)) = self.known.get(place) {
            return Ok(number);
        }
        let number = u16::try_from(self.facts.len()).map_err(|_| BuildFailure::TooLarge)?;
        self.known.resize(self.known.len().max(place + 1), None);
        self.known[place] = Some(number);
        self.queue.push(state);
        self.next.resize(self.next.len() + (1 << self.shift), DEAD);
        self.facts.push(Facts {
            matched: self.matched(state),
            at_end: self.matched(self.dfa.next_eoi_state(state)),
            outlook: Outlook::Nothing,
            sure: false,
        });
        Ok(number)
    }

    fn matched(&self, state: StateID) -> Outcome {
        if !self.dfa.is_match_state(state) {
            return NO_MATCH;
        }
        let patterns = 0..self.dfa.match_len(state);
        let earliest = patterns.map(|index| self.dfa.match_pattern(state, index)).min();
        earliest.map_or(NO_MATCH, |pattern| self.outcomes[pattern.as_usize()])
    }
}
