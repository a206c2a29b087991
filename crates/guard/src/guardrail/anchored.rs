//! Matches many patterns from given starting points, in one pass.
//!
//! Patterns over words allow for words in between, and a hundred such patterns
//! searched for everywhere at once make an automaton with more states than
//! memory: each keeps count of its own gap. But a pattern over words can only
//! begin where a word begins, and of all patterns few go on after the first
//! word. So one automaton for all patterns is run from each starting point
//! until it dies, which is nearly always within a few bytes.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::pool::Pool;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;

/// Memory for the states that were met, per thread.
const STATE_CACHE: usize = 8 << 20;
/// How far a pattern may reach. It keeps a hostile text from being read once
/// for each of its words; the longest sentence that a rule describes is shorter.
const LONGEST_MATCH: usize = 256;

/// Where a pattern may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Starts {
    /// At the beginning of a word, and at every character of a script that
    /// does not put spaces between words.
    Words,
    /// Anywhere.
    Everywhere,
}

/// Many patterns as one automaton.
pub(super) struct AnchoredSet {
    dfa: DFA,
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync>>,
    starts: Starts,
}

impl AnchoredSet {
    pub(super) fn new(patterns: &[Hir], starts: Starts) -> Result<Self, Box<str>> {
        let words = |error: &dyn std::fmt::Display| error.to_string().into_boxed_str();
        let nfa = NFA::compiler()
            .configure(NFA::config().utf8(false))
            .build_many_from_hir(patterns)
            .map_err(|error| words(&error))?;
        let dfa = DFA::builder()
            .configure(
                DFA::config()
                    .match_kind(MatchKind::All)
                    .cache_capacity(STATE_CACHE)
                    .skip_cache_capacity_check(true),
            )
            .build_from_nfa(nfa)
            .map_err(|error| words(&error))?;
        let for_caches = dfa.clone();
        Ok(Self { dfa, caches: Pool::new(Box::new(move || for_caches.create_cache())), starts })
    }

    /// Calls `found` with each pattern that matches and where the match begins,
    /// from the front to the back and maybe more than once, until it says that
    /// the search is over; says whether it did.
    pub(super) fn each_match(
        &self,
        text: &str,
        mut found: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let mut cache = self.caches.get();
        let bytes = text.as_bytes();
        let mut before = b' ';
        for (at, &byte) in bytes.iter().enumerate() {
            let is_start = match self.starts {
                Starts::Words => match byte {
                    b' ' | 0x80..=0xBF => false,
                    0xC0.. => true,
                    _ => before == b' ' || before >= 0x80,
                },
                Starts::Everywhere => true,
            };
            before = byte;
            let mut found = |pattern| found(pattern, at);
            if is_start && self.run(&mut cache, bytes, at, &mut found).unwrap_or(false) {
                return true;
            }
        }
        false
    }

    /// Runs the automaton from one starting point; true if the search is over.
    /// A cache that cannot hold another state gives `None` for this start only;
    /// the next call begins with an empty one.
    fn run(
        &self,
        cache: &mut Cache,
        text: &[u8],
        start: usize,
        found: &mut impl FnMut(usize) -> bool,
    ) -> Option<bool> {
        let input = Input::new(text).range(start..).anchored(Anchored::Yes);
        let mut state = self.dfa.start_state_forward(cache, &input).ok()?;
        let end = text.len().min(start + LONGEST_MATCH);
        for &byte in &text[start..end] {
            state = self.dfa.next_state(cache, state, byte).ok()?;
            if state.is_tagged() {
                if state.is_match() && self.report(cache, state, found) {
                    return Some(true);
                }
                if state.is_dead() || state.is_quit() {
                    return Some(false);
                }
            }
        }
        if end == text.len() {
            state = self.dfa.next_eoi_state(cache, state).ok()?;
            return Some(state.is_match() && self.report(cache, state, found));
        }
        Some(false)
    }

    fn report(
        &self,
        cache: &Cache,
        state: LazyStateID,
        found: &mut impl FnMut(usize) -> bool,
    ) -> bool {
        (0..self.dfa.match_len(cache, state))
            .any(|index| found(self.dfa.match_pattern(cache, state, index).as_usize()))
    }
}

impl std::fmt::Debug for AnchoredSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnchoredSet")
            .field("patterns", &self.dfa.pattern_len())
            .field("starts", &self.starts)
            .finish_non_exhaustive()
    }
}
