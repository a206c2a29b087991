//! The table that a run walks over: a DFA, copied into a form of our own.
//!
//! States are 16-bit numbers, one row a state, and beside each row is what the state
//! knows ([`Facts`]): which rule has just matched, which outcomes can still come, and
//! whether one must come.

use regex_automata::{
    Anchored,
    dfa::{Automaton as _, dense},
    util::{primitives::StateID, start},
};

use super::outlook::{self, Facts, NO_MATCH, Outcome, Outlook};

/// The DFA as it is built.
pub(super) type OwnedDfa = dense::DFA<Vec<u32>>;

/// The state from which nothing can match.
pub(super) const DEAD: u16 = 0;

/// Why the automaton could not be built.
#[derive(Debug)]
pub(super) enum BuildFailure {
    /// The patterns need more memory than we grant.
    TooLarge,
    /// A pattern is not supported; the text says why.
    Unsupported(String),
}

/// The compiled states.
#[derive(Debug)]
pub(super) struct Table {
    /// Byte to column.
    classes: [u8; 256],
    /// A row has `1 << shift` columns.
    shift: u32,
    /// Row by row, the following state.
    next: Vec<u16>,
    /// What each state knows.
    facts: Vec<Facts>,
    /// The state after the context byte.
    starts: [u16; 256],
}

impl Table {
    /// Copies a DFA; `outcomes` says what a match of each pattern becomes.
    pub(super) fn new(dfa: &OwnedDfa, outcomes: Vec<Outcome>) -> Result<Self, BuildFailure> {
        let mut copying = Copying::new(dfa, outcomes);
        let first = dfa
            .start_state(&start::Config::new().anchored(Anchored::Yes))
            .map_err(|error| BuildFailure::Unsupported(error.to_string()))?;
        let first = copying.explore(first)?;
        let rows = copying.next.chunks_exact(1 << copying.shift);
        let columns = copying.samples.len();
        outlook::compute(&mut copying.facts, rows.map(|row| &row[..columns]));
        let Copying { classes, shift, next, facts, .. } = copying;
        let mut table = Self { classes, shift, next, facts, starts: [DEAD; 256] };
        for byte in 0..=255 {
            table.starts[usize::from(byte)] = table.step(first, byte);
        }
        Ok(table)
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

    /// The number of states and the bytes that their rows and facts take.
    pub(super) fn size(&self) -> (usize, usize) {
        let rows = size_of_val(self.next.as_slice());
        (self.facts.len(), rows + size_of_val(self.facts.as_slice()))
    }
}

/// The reachable part of a DFA, as far as it is copied.
struct Copying<'a> {
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

impl<'a> Copying<'a> {
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
