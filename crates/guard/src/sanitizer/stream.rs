//! The sanitizer as a stream: chunks in, masked text out.
//!
//! One mechanism serves the stream and the whole text (which is a stream of one
//! chunk), so that both give the same for every way of cutting the text (S-4):
//!
//! 1. The filter finds a position where a match may begin; text before it passes.
//! 2. The automaton runs from there, byte by byte, and remembers the longest match.
//! 3. As soon as the outcome is certain, the replacement goes out. What the match
//!    still takes in is swallowed, however long it is.
//! 4. When the run ends, the text after the match (or after the first byte, if
//!    nothing matched) is scanned again.
//! 5. If the chunk ends first, the undecided bytes are held, and the run goes on
//!    with the next chunk where it stopped.
//!
//! Nothing depends on time, and nothing is held once it is decided. A run that
//! has [`RUN_LIMIT`] undecided bytes is given up: that bounds memory and work for
//! any rule, in the same place whatever the chunks are.

use std::{borrow::Cow, mem, sync::Arc};

use super::{
    automaton::Automaton,
    outlook::{NO_MATCH, Outcome, Outlook, SPARE},
};

/// How many undecided bytes a run may have.
pub(super) const RUN_LIMIT: usize = 256;

/// The context of the first byte of a text.
const TEXT_START: u8 = b'\n';

/// Masks a text that arrives in chunks.
///
/// Call [`push`](Self::push) for every chunk and [`finish`](Self::finish) at the
/// end; without the latter, held text is lost.
#[derive(Debug, Clone)]
pub struct StreamSanitizer {
    automaton: Arc<Automaton>,
    /// The byte that stands before the next one in the output: borders are those
    /// that the reader sees, so that masking twice does not find more.
    before: u8,
    /// The undecided bytes.
    held: Vec<u8>,
    /// The run over the held bytes.
    run: Option<Run>,
    /// What the text goes through first.
    first: Option<Box<StreamSanitizer>>,
}

impl StreamSanitizer {
    pub(super) fn new(automaton: Arc<Automaton>) -> Self {
        Self { automaton, before: TEXT_START, held: Vec::new(), run: None, first: None }
    }

    /// The same, for what comes out of `first`. Neither depends on how its input is
    /// cut, so both together do not.
    pub(super) fn after(mut self, first: StreamSanitizer) -> Self {
        self.first = Some(Box::new(first));
        self
    }

    /// Whether a chunk passes as it is: nothing is held, and nothing in it can begin a
    /// match. Then it is taken; otherwise [`push`](Self::push) has to be called.
    pub fn passes(&mut self, chunk: &str) -> bool {
        let chunk = chunk.as_bytes();
        let passes = self.is_idle() && self.automaton.candidate(chunk, 0).is_none();
        if let (true, Some(last)) = (passes, chunk.last()) {
            self.before = *last;
        }
        passes
    }

    /// Whether what comes next does not depend on what came before, its last byte
    /// excepted.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.run.is_none() && self.held.is_empty() && self.first.is_none()
    }

    /// Takes a chunk and appends what is decided to `out`.
    pub fn push(&mut self, chunk: &str, out: &mut String) {
        self.advance(chunk.as_bytes(), out);
    }

    /// Like [`push`](Self::push), for bytes; invalid UTF-8 passes unchanged.
    pub fn push_bytes(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        self.advance(chunk, out);
    }

    /// Ends the text and appends the rest of it to `out`.
    pub fn finish(self, out: &mut String) {
        self.end(out);
    }

    /// Like [`finish`](Self::finish), for bytes.
    pub fn finish_bytes(self, out: &mut Vec<u8>) {
        self.end(out);
    }

    /// How many bytes wait for a decision.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.len() + self.first.as_ref().map_or(0, |first| first.held())
    }

    fn advance(&mut self, chunk: &[u8], out: &mut impl Sink) {
        let Some(first) = &mut self.first else { return self.take(chunk, out) };
        let mut passed = Vec::with_capacity(chunk.len());
        first.advance(chunk, &mut passed);
        self.take(&passed, out);
    }

    fn take(&mut self, chunk: &[u8], out: &mut impl Sink) {
        if self.held.is_empty() {
            let undecided = self.scan(chunk, false, out);
            self.held.extend_from_slice(&chunk[undecided..]);
        } else {
            let mut text = mem::take(&mut self.held);
            text.extend_from_slice(chunk);
            let undecided = self.scan(&text, false, out);
            text.drain(..undecided);
            self.held = text;
        }
    }

    fn end(mut self, out: &mut impl Sink) {
        if let Some(first) = self.first.take() {
            let mut passed = Vec::new();
            first.end(&mut passed);
            self.take(&passed, out);
        }
        let text = mem::take(&mut self.held);
        self.scan(&text, true, out);
    }

    /// Masks a whole text; borrowed if nothing was masked.
    pub(super) fn whole(mut self, text: &str) -> Cow<'_, str> {
        if let Some(first) = self.first.take() {
            return match first.whole(text) {
                Cow::Borrowed(text) => self.whole(text),
                Cow::Owned(text) => Cow::Owned(self.whole(&text).into_owned()),
            };
        }
        let mut sink = Unchanged { text, passed: 0, changed: None };
        self.advance(text.as_bytes(), &mut sink);
        self.end(&mut sink);
        sink.changed.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Scans `text`, which begins with the held bytes, and returns where the
    /// undecided part begins.
    fn scan(&mut self, text: &[u8], last: bool, out: &mut impl Sink) -> usize {
        let automaton = Arc::clone(&self.automaton);
        let mut scan = Scan { automaton: &automaton, text, last, copied: 0, before: self.before };
        let mut run = self.run.take();
        let mut position = 0;
        loop {
            let Some(current) = run.take().or_else(|| scan.begin(position)) else {
                out.text(&text[scan.copied..]);
                self.before = scan.before_at(text.len());
                return text.len();
            };
            match scan.follow(current, out) {
                Step::Go(next) => position = next,
                Step::Wait(run) => return self.wait(&scan, run, out),
            }
        }
    }

    /// Keeps a run for the next chunk. Bytes that the match has taken in for
    /// certain need not be held.
    fn wait(&mut self, scan: &Scan<'_>, mut run: Run, out: &mut impl Sink) -> usize {
        let undecided = run.undecided();
        if !run.written {
            out.text(&scan.text[scan.copied..undecided]);
            self.before = scan.before_at(undecided);
        } else {
            self.before = scan.before;
        }
        run.start = 0;
        run.end = run.end.saturating_sub(undecided);
        run.at -= undecided;
        self.run = Some(run);
        undecided
    }
}

/// One run of the automaton from one position.
#[derive(Debug, Clone, Copy)]
struct Run {
    state: u16,
    /// Where the run began; of no meaning once the replacement is written.
    start: usize,
    /// The next byte to take in.
    at: usize,
    /// The outcome of the longest match so far.
    outcome: Outcome,
    /// Where that match ends.
    end: usize,
    /// Whether the outcome is certain and its replacement written.
    written: bool,
}

impl Run {
    /// Whether the longest match so far is one that masks.
    fn masks(&self) -> bool {
        !matches!(self.outcome, SPARE | NO_MATCH)
    }

    /// Where the undecided bytes begin.
    fn undecided(&self) -> usize {
        if self.written { self.end } else { self.start }
    }
}

/// What follows a run.
enum Step {
    /// Go on scanning at this position.
    Go(usize),
    /// The chunk has ended before the run.
    Wait(Run),
}

/// The scan of one chunk.
struct Scan<'a> {
    automaton: &'a Automaton,
    text: &'a [u8],
    /// Whether the text ends with this chunk.
    last: bool,
    /// The text before this position has been written or swallowed.
    copied: usize,
    /// The byte that stands before position `copied` in the output.
    before: u8,
}

impl Scan<'_> {
    /// Begins a run at the next candidate.
    fn begin(&self, position: usize) -> Option<Run> {
        let start = self.automaton.candidate(self.text, position)?;
        let state = self.automaton.start(self.before_at(start));
        Some(Run { state, start, at: start, outcome: NO_MATCH, end: start, written: false })
    }

    /// Runs until the outcome is clear or the chunk ends.
    fn follow(&mut self, mut run: Run, out: &mut impl Sink) -> Step {
        while let Some(&byte) = self.text.get(run.at) {
            run.state = self.automaton.step(run.state, byte);
            let facts = self.automaton.facts(run.state);
            if facts.matched != NO_MATCH {
                (run.outcome, run.end) = (facts.matched, run.at);
            }
            run.at += 1;
            match facts.outlook {
                Outlook::Nothing => return self.conclude(run, out),
                Outlook::Only(SPARE) if facts.sure || !run.masks() => {
                    return Step::Go(run.start + 1);
                }
                Outlook::Only(outcome) if facts.sure || run.outcome == outcome => {
                    run.outcome = outcome;
                    if facts.sure {
                        run.end = run.at;
                    }
                    self.write(&mut run, out);
                }
                _ => {}
            }
            if run.at - run.undecided() >= RUN_LIMIT {
                return self.conclude(run, out);
            }
        }
        if !self.last {
            return Step::Wait(run);
        }
        let at_end = self.automaton.facts(run.state).at_end;
        if at_end != NO_MATCH {
            (run.outcome, run.end) = (at_end, run.at);
        }
        self.conclude(run, out)
    }

    /// Ends a run and says where to scan on.
    fn conclude(&mut self, mut run: Run, out: &mut impl Sink) -> Step {
        if !run.masks() {
            return Step::Go(run.start + 1);
        }
        self.write(&mut run, out);
        self.copied = run.end;
        Step::Go(run.end)
    }

    /// Writes the replacement of a run, once.
    fn write(&mut self, run: &mut Run, out: &mut impl Sink) {
        if !mem::replace(&mut run.written, true) {
            let replacement = self.automaton.replacement(run.outcome);
            out.text(&self.text[self.copied..run.start]);
            out.replacement(replacement);
            let before = self.before_at(run.start);
            self.before = replacement.bytes().next_back().unwrap_or(before);
            self.copied = run.end;
        }
    }

    /// The byte that the reader sees before `position`.
    fn before_at(&self, position: usize) -> u8 {
        if position == self.copied { self.before } else { self.text[position - 1] }
    }
}

/// Where the masked text goes.
trait Sink {
    /// Text that passes.
    fn text(&mut self, bytes: &[u8]);
    /// Text that stands for something masked.
    fn replacement(&mut self, text: &str);
}

impl Sink for Vec<u8> {
    fn text(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn replacement(&mut self, text: &str) {
        self.extend_from_slice(text.as_bytes());
    }
}

impl Sink for String {
    /// Rules match whole characters, so pieces of valid text are valid. Text is
    /// lossy only if a caller mixes bytes and strings in one stream.
    fn text(&mut self, bytes: &[u8]) {
        match str::from_utf8(bytes) {
            Ok(text) => self.push_str(text),
            Err(_) => self.push_str(&String::from_utf8_lossy(bytes)),
        }
    }

    fn replacement(&mut self, text: &str) {
        self.push_str(text);
    }
}

/// Counts what passes and begins to copy at the first replacement.
struct Unchanged<'a> {
    text: &'a str,
    passed: usize,
    changed: Option<String>,
}

impl Sink for Unchanged<'_> {
    fn text(&mut self, bytes: &[u8]) {
        match &mut self.changed {
            Some(changed) => Sink::text(changed, bytes),
            None => self.passed += bytes.len(),
        }
    }

    fn replacement(&mut self, text: &str) {
        let passed = self.passed;
        let changed = self.changed.get_or_insert_with(|| self.text[..passed].to_owned());
        changed.push_str(text);
    }
}
