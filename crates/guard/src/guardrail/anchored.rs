//! Matches many patterns from given starting points, in one pass.
//!
//! Patterns over words allow for words in between, and a hundred such patterns
//! searched for everywhere at once make an automaton with more states than
//! memory: each keeps count of its own gap. But a pattern over words can only
//! begin where a word begins, and few of all patterns survive the first
//! word. So one automaton for all patterns is run from each starting point
//! until it dies, which is nearly always within a few bytes.
//!
//! A hostile text keeps every run alive, and in a script without spaces every
//! character starts one. But runs that are in the same state have the same
//! future, so all runs go through the text together, and runs in the same state
//! are merged. What a byte costs is then the number of states that a sentence
//! can be in, whatever the text: a handful.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::NFA;
use regex_automata::util::look::Look;
use regex_automata::util::pool::Pool;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;

/// Memory for the states that were met, per thread.
const STATE_CACHE: usize = 8 << 20;
/// How far a pattern may reach: the longest sentence that a rule describes is shorter.
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

impl Starts {
    /// The first start at or after a place.
    fn next(self, text: &[u8], from: usize) -> Option<usize> {
        let mut before = from.checked_sub(1).map_or(b' ', |at| text[at]);
        let mut is_start = |byte: u8| {
            let begins = match byte {
                b' ' | 0x80..=0xBF => false,
                0xC0.. => true,
                _ => self == Self::Everywhere || before == b' ' || before >= 0x80,
            };
            before = byte;
            begins
        };
        text[from..].iter().position(|byte| is_start(*byte)).map(|skipped| from + skipped)
    }
}

/// Many patterns as one automaton.
pub(super) struct AnchoredSet {
    dfa: DFA,
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync>>,
    starts: Starts,
}

impl AnchoredSet {
    /// A pattern may ask for the end of the text, but not for what stands before it.
    pub(super) fn new(patterns: &[Hir], starts: Starts) -> Result<Self, Box<str>> {
        Self::with_memory(STATE_CACHE, patterns, starts)
    }

    fn with_memory(bytes: usize, patterns: &[Hir], starts: Starts) -> Result<Self, Box<str>> {
        let words = |error: &dyn std::fmt::Display| error.to_string().into_boxed_str();
        let nfa = NFA::compiler()
            .configure(NFA::config().utf8(false))
            .build_many_from_hir(patterns)
            .map_err(|error| words(&error))?;
        if !nfa.look_set_any().remove(Look::End).is_empty() {
            return Err("a pattern over words asks for a border with a space".into());
        }
        let dfa = DFA::builder()
            .configure(
                DFA::config()
                    .match_kind(MatchKind::All)
                    .cache_capacity(bytes)
                    .skip_cache_capacity_check(true),
            )
            .build_from_nfa(nfa)
            .map_err(|error| words(&error))?;
        let for_caches = dfa.clone();
        Ok(Self { dfa, caches: Pool::new(Box::new(move || for_caches.create_cache())), starts })
    }

    /// Calls `found` with each pattern that matches and where the match was
    /// seen, from the front to the back and maybe more than once, until it
    /// returns true; returns whether it did.
    pub(super) fn each_match(&self, text: &str, found: impl FnMut(usize, usize) -> bool) -> bool {
        let mut cache = self.caches.get();
        let text = text.as_bytes();
        let first = first_state(&self.dfa, &mut cache);
        let clears = cache.clear_count();
        Search { dfa: &self.dfa, cache: &mut cache, text, runs: Vec::new(), first, clears, found }
            .through(self.starts)
    }
}

/// No pattern asks for what stands before it, so all starts are alike.
fn first_state(dfa: &DFA, cache: &mut Cache) -> Option<LazyStateID> {
    dfa.start_state_forward(cache, &Input::new("").anchored(Anchored::Yes)).ok()
}

/// The automaton on its way from one starting point.
#[derive(Debug, Clone, Copy)]
struct Run {
    state: LazyStateID,
    start: usize,
}

/// One text on its way through the automaton.
struct Search<'t, F> {
    dfa: &'t DFA,
    cache: &'t mut Cache,
    text: &'t [u8],
    /// Those that are alive, in the order of their starts.
    runs: Vec<Run>,
    /// Where every run begins.
    first: Option<LazyStateID>,
    /// How often the memory for states had been emptied when `first` and `runs` were got.
    clears: usize,
    found: F,
}

/// Whether the search is over.
type Over = bool;

/// What becomes of a run.
enum Fate {
    Alive(LazyStateID),
    Dead,
    Over,
}

impl<F: FnMut(usize, usize) -> Over> Search<'_, F> {
    /// Takes all runs from one start to the next, and starts new ones on the way.
    fn through(mut self, starts: Starts) -> Over {
        let mut next = starts.next(self.text, 0);
        while let Some(start) = next {
            next = starts.next(self.text, start + 1);
            let end = next.unwrap_or(self.text.len());
            if self.advance(start, end) || self.begin(start, end) {
                return true;
            }
        }
        self.finish()
    }

    /// Takes the runs that are alive from one start to the next.
    fn advance(&mut self, from: usize, to: usize) -> Over {
        let mut kept = 0;
        for index in 0..self.runs.len() {
            let Run { state, start } = self.runs[index];
            match self.run(state, from, to.min(start + LONGEST_MATCH)) {
                Fate::Alive(state) if to <= start + LONGEST_MATCH => {
                    self.runs[kept] = Run { state, start };
                    kept += 1;
                }
                Fate::Alive(_) | Fate::Dead => {}
                Fate::Over => return true,
            }
            if self.states_are_gone() {
                self.runs.drain(kept..=index);
                return self.one_by_one();
            }
        }
        self.runs.truncate(kept);
        false
    }

    /// Begins a run, which nearly always ends before the next start.
    fn begin(&mut self, start: usize, to: usize) -> Over {
        let Some(first) = self.first else { return false };
        match self.run(first, start, to.min(start + LONGEST_MATCH)) {
            Fate::Alive(state) if to <= start + LONGEST_MATCH => {
                self.runs.push(Run { state, start });
                self.unite();
            }
            Fate::Alive(_) | Fate::Dead => {}
            Fate::Over => return true,
        }
        self.states_are_gone() && self.one_by_one()
    }

    #[inline(always)]
    fn run(&mut self, mut state: LazyStateID, from: usize, to: usize) -> Fate {
        #[cfg(test)]
        tests::count_steps(to - from);
        let mut at = from;
        loop {
            match self.run_on(&mut state, &mut at, to) {
                Some(fate) => return fate,
                // What is not known yet, and what is not to be passed over.
                None => match self.step(state, at) {
                    Fate::Alive(next) => state = next,
                    other => return other,
                },
            }
            at += 1;
        }
    }

    /// Continues as long as the next state is cached and not a special one.
    #[inline(always)]
    fn run_on(&self, state: &mut LazyStateID, at: &mut usize, to: usize) -> Option<Fate> {
        for &byte in &self.text[*at..to] {
            if state.is_tagged() {
                return None;
            }
            let next = self.dfa.next_state_untagged(self.cache, *state, byte);
            if next.is_tagged() {
                return next.is_dead().then_some(Fate::Dead);
            }
            *state = next;
            *at += 1;
        }
        Some(Fate::Alive(*state))
    }

    /// Takes one step, whatever comes of it.
    fn step(&mut self, state: LazyStateID, at: usize) -> Fate {
        // There is always room for a state: the others make it.
        let Ok(next) = self.dfa.next_state(self.cache, state, self.text[at]) else {
            return Fate::Dead;
        };
        if next.is_match() && self.report(next, at) {
            Fate::Over
        } else if next.is_dead() || next.is_quit() {
            Fate::Dead
        } else {
            Fate::Alive(next)
        }
    }

    /// The end of the text is one more step.
    fn finish(&mut self) -> Over {
        while let Some(run) = self.runs.pop() {
            if self.at_the_end(run.state) || (self.states_are_gone() && self.one_by_one()) {
                return true;
            }
        }
        false
    }

    /// Of runs in the same state, the one that started last is kept: it may reach farthest.
    fn unite(&mut self) {
        for index in (0..self.runs.len()).rev() {
            let (this, later) = (self.runs[index].state, &self.runs[index + 1..]);
            if later.iter().any(|run| run.state == this) {
                self.runs.remove(index);
            }
        }
    }

    /// Whether the memory for states was full and has been emptied.
    fn states_are_gone(&self) -> bool {
        self.cache.clear_count() != self.clears
    }

    /// With the memory went the states of all runs: each is taken to its own
    /// end, from its start.
    fn one_by_one(&mut self) -> Over {
        let runs = std::mem::take(&mut self.runs);
        let over = runs.into_iter().any(|run| self.alone(run.start));
        self.first = first_state(self.dfa, self.cache);
        self.clears = self.cache.clear_count();
        over
    }

    fn alone(&mut self, start: usize) -> Over {
        let Some(state) = first_state(self.dfa, self.cache) else { return false };
        let end = self.text.len().min(start + LONGEST_MATCH);
        match self.run(state, start, end) {
            Fate::Alive(state) => end == self.text.len() && self.at_the_end(state),
            Fate::Dead => false,
            Fate::Over => true,
        }
    }

    fn at_the_end(&mut self, state: LazyStateID) -> Over {
        let last = self.dfa.next_eoi_state(self.cache, state);
        last.is_ok_and(|state| state.is_match() && self.report(state, self.text.len()))
    }

    fn report(&mut self, state: LazyStateID, at: usize) -> Over {
        (0..self.dfa.match_len(self.cache, state)).any(|index| {
            (self.found)(self.dfa.match_pattern(self.cache, state, index).as_usize(), at)
        })
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    const PATTERNS: &[&str] = &[
        "ignore(?: (?-u:[^ ])+){0,3} rules ", "ignore(?: the| all){0,4} (?:old|new) ",
        "(?:old|new)(?: (?-u:[^ ])+){0,2} rules$", "忽略(?-u:[^ ])*规则",
        "规则(?-u:[^ ])*(?:忽略|new )",
    ];
    const PIECES: &[&str] =
        &["ignore ", "the ", "all ", "old ", "new ", "rules ", "忽略", "规则", "的", " ", "x"];

    fn set(memory: usize, starts: Starts) -> AnchoredSet {
        let parser = || regex_syntax::ParserBuilder::new().utf8(false).build();
        let patterns: Vec<Hir> = PATTERNS.iter().map(|p| parser().parse(p).unwrap()).collect();
        AnchoredSet::with_memory(memory, &patterns, starts).unwrap()
    }

    // The most steps that the automaton may have taken on this thread.
    thread_local!(static STEPS: Cell<usize> = const { Cell::new(0) });
    pub(super) fn count_steps(steps: usize) {
        STEPS.set(STEPS.get() + steps);
    }

    /// G-9: the work per byte does not grow with the text, also if no run ever dies.
    #[test]
    fn the_work_is_linear_in_the_length_of_the_text() {
        for piece in ["忽略", "忽略的", "规则忽略", "ignore the ", "old x ", "x"] {
            let set = set(STATE_CACHE, Starts::Everywhere);
            let [short, long] = [1_000, 10_000].map(|times| {
                STEPS.set(0);
                set.each_match(&piece.repeat(times), |_, _| false);
                STEPS.get()
            });
            assert!(long <= 11 * short, "{piece}: {short}, then {long} steps");
            assert!((1..=10).contains(&(long / (10_000 * piece.len()))), "{piece}: {long}");
        }
    }

    fn found(set: &AnchoredSet, text: &str) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        set.each_match(text, |pattern, _| {
            all.insert(pattern);
            false
        });
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        /// Runs that go together find what each would find alone, also when the
        /// memory for states is so small that it is emptied all the time.
        #[test]
        fn together_they_find_what_each_finds_alone(pieces in prop::collection::vec(select(PIECES), 0..40)) {
            // Short enough that the longest match plays no part.
            let text = pieces.concat();
            prop_assume!(text.len() <= LONGEST_MATCH);
            let alone = |pattern: &str| regex::Regex::new(&format!("^(?:{pattern})")).unwrap();
            for starts in [Starts::Words, Starts::Everywhere] {
                let begins = |at: &usize| starts.next(text.as_bytes(), *at) == Some(*at);
                let expected: BTreeSet<usize> = (0..PATTERNS.len())
                    .filter(|index| {
                        let pattern = alone(&PATTERNS[*index].replace("(?-u:[^ ])", "[^ ]"));
                        (0..text.len()).filter(begins).any(|at| pattern.is_match(&text[at..]))
                    })
                    .collect();
                for memory in [STATE_CACHE, 0] {
                    prop_assert_eq!(found(&set(memory, starts), &text), expected.clone(), "{:?} {}", starts, memory);
                }
            }
        }
    }

    #[test]
    fn a_small_memory_is_emptied() {
        let set = set(0, Starts::Words);
        found(&set, "ignore the old rules 忽略的规则 new x rules ");
        assert!(set.caches.get().clear_count() > 0);
    }

    #[test]
    fn a_match_is_no_longer_than_the_longest() {
        let words = |count: usize| format!("忽略{}规则", "的".repeat(count));
        let set = set(STATE_CACHE, Starts::Words);
        assert_eq!(found(&set, &words(LONGEST_MATCH / 3 - 4)), BTreeSet::from([3]));
        assert_eq!(found(&set, &words(LONGEST_MATCH / 3)), BTreeSet::new());
    }
}
