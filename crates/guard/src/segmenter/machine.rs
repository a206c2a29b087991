//! The machine behind the segmenter: one state at a time, one function each.
//!
//! A state's function reads as far as it can, and returns how many bytes it took.
//! It takes none if all that happened is that another state has to read them.

use super::HELD_AT_MOST;
use super::fence::{self, Fence, Line, Opening};
use super::marker::{self, END, Matcher, Progress, START};
use super::object::{self, Object, Seen};
use super::segment::{Found, Output};
use super::structure;

/// Where a text is.
#[derive(Debug, Default)]
pub(super) struct Machine {
    state: State,
    /// What is held back.
    held: String,
    /// How far the current line is.
    line: Line,
}

/// What the machine is reading. Only `Prose`, `Code` and `Skimmed` pass text
/// on; in the others it is held back.
#[derive(Debug, Default)]
enum State {
    #[default]
    Prose,
    /// A line that begins with backticks.
    Opening(Opening),
    /// A code block in which there is nothing to find.
    Code(Fence),
    /// An object that may become structure, perhaps in a fence.
    Object { object: Object, start: usize, fence: Option<Fence> },
    /// Structure in a fence that has yet to be closed.
    Closing { found: Found, fence: Fence },
    /// An object that is none, or too long: read to its end, so that the
    /// objects in it do not count.
    Skimmed(Object),
    /// The beginning of what may be the start marker.
    Marker(Matcher),
    /// Between the markers.
    Prompt { body: usize, end: usize, matcher: Matcher },
}

impl Machine {
    /// Reads a piece of text in which there is nothing to find, if it is one.
    pub(super) fn passes(&mut self, chunk: &str) -> bool {
        let passes = matches!(self.state, State::Prose) && candidate(chunk.as_bytes()).is_none();
        if passes {
            self.line.follow(chunk);
        }
        passes
    }

    /// Reads all of the next piece of text.
    pub(super) fn read(&mut self, chunk: &str, out: &mut Output<'_>) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let taken = self.step(rest, out);
            rest = &rest[taken..];
        }
    }

    /// Hands out what is held back at the end of the text.
    pub(super) fn finish(&mut self, out: &mut Output<'_>) {
        match std::mem::take(&mut self.state) {
            State::Object { object, .. } => self.emit(object.seen().verdict(), out),
            State::Closing { found, .. } => self.emit(found, out),
            State::Prompt { .. } => self.emit(Found::Invalid, out),
            State::Prose
            | State::Opening(_)
            | State::Code(_)
            | State::Skimmed(_)
            | State::Marker(_) => self.emit(Found::Nothing, out),
        }
    }

    fn step(&mut self, rest: &str, out: &mut Output<'_>) -> usize {
        match std::mem::take(&mut self.state) {
            State::Prose => self.prose(rest, out),
            State::Opening(opening) => self.opening(opening, rest, out),
            State::Code(fence) => self.code(fence, rest, out),
            State::Object { object, start, fence } => self.object(object, start, fence, rest, out),
            State::Closing { found, fence } => self.closing(found, fence, rest, out),
            State::Skimmed(object) => self.skimmed(object, rest, out),
            State::Marker(matcher) => self.marker(matcher, rest, out),
            State::Prompt { body, end, matcher } => self.prompt(body, end, matcher, rest, out),
        }
    }

    fn prose(&mut self, rest: &str, out: &mut Output<'_>) -> usize {
        let Some(at) = candidate(rest.as_bytes()) else {
            self.say(rest, out);
            return rest.len();
        };
        self.say(&rest[..at], out);
        self.state = match rest.as_bytes()[at] {
            b'{' => State::Object { object: Object::default(), start: 0, fence: None },
            b'<' => State::Marker(Matcher::new(START)),
            _ => State::Opening(Opening::new(self.line)),
        };
        at
    }

    fn opening(&mut self, mut opening: Opening, rest: &str, out: &mut Output<'_>) -> usize {
        for (at, byte) in rest.bytes().enumerate() {
            match opening.feed(byte) {
                fence::Step::More => {}
                decided => {
                    self.held.push_str(&rest[..at]);
                    self.open(decided, out);
                    return at;
                }
            }
        }
        self.held.push_str(rest);
        self.state = State::Opening(opening);
        rest.len()
    }

    /// Continues after the line of a fence was read as far as necessary.
    fn open(&mut self, decided: fence::Step, out: &mut Output<'_>) {
        if let fence::Step::Object(fence) = decided {
            let start = self.held.len();
            self.state = State::Object { object: Object::default(), start, fence: Some(fence) };
            return;
        }
        self.emit(Found::Nothing, out);
        if let fence::Step::Code(fence) = decided {
            self.state = State::Code(fence);
        }
    }

    fn code(&mut self, mut fence: Fence, rest: &str, out: &mut Output<'_>) -> usize {
        for (at, byte) in rest.bytes().enumerate() {
            if fence.ends_before(byte) {
                self.say(&rest[..at], out);
                return at;
            }
        }
        self.say(rest, out);
        self.state = State::Code(fence);
        rest.len()
    }

    fn object(
        &mut self,
        mut object: Object,
        start: usize,
        fence: Option<Fence>,
        rest: &str,
        out: &mut Output<'_>,
    ) -> usize {
        for (at, byte) in rest.bytes().enumerate() {
            let step = object.feed(byte);
            if step == object::Step::More && rest.is_char_boundary(at + 1) && object.is_hopeless() {
                self.held.push_str(&rest[..=at]);
                self.refuse(object.seen().verdict(), start, fence, out);
                if matches!(self.state, State::Prose) {
                    self.state = State::Skimmed(object);
                }
                return at + 1;
            }
            match step {
                object::Step::More => {}
                object::Step::No => {
                    self.held.push_str(&rest[..at]);
                    self.refuse(object.seen().verdict(), start, fence, out);
                    return at;
                }
                object::Step::End => {
                    self.held.push_str(&rest[..=at]);
                    self.complete(object.seen(), start, fence, out);
                    return at + 1;
                }
            }
        }
        self.held.push_str(rest);
        self.state = State::Object { object, start, fence };
        rest.len()
    }

    /// An object has ended: it is read, and a fence around it must close.
    fn complete(&mut self, seen: Seen, start: usize, fence: Option<Fence>, out: &mut Output<'_>) {
        let found = structure::read_object(&self.held[start..], seen);
        match (found, fence) {
            (found, None) => self.emit(found, out),
            (found @ (Found::Nothing | Found::Invalid), fence) => {
                self.refuse(found, start, fence, out);
            }
            (found, Some(fence)) => self.state = State::Closing { found, fence },
        }
    }

    fn closing(
        &mut self,
        found: Found,
        mut fence: Fence,
        rest: &str,
        out: &mut Output<'_>,
    ) -> usize {
        for (at, byte) in rest.bytes().enumerate() {
            if fence.closes_with(byte) {
                self.held.push_str(&rest[..=at]);
                self.emit(found, out);
                return at + 1;
            }
            let fits = byte == b'`' || byte.is_ascii_whitespace();
            if !fits || self.held.len() + at >= HELD_AT_MOST {
                self.held.push_str(&rest[..at]);
                self.emit(Found::Nothing, out);
                self.state = State::Code(fence);
                return at;
            }
        }
        self.held.push_str(rest);
        self.state = State::Closing { found, fence };
        rest.len()
    }

    fn skimmed(&mut self, mut object: Object, rest: &str, out: &mut Output<'_>) -> usize {
        for (at, byte) in rest.bytes().enumerate() {
            match object.feed(byte) {
                object::Step::More => {}
                object::Step::No | object::Step::End => {
                    // The byte itself is prose again: a `}` begins nothing there.
                    self.say(&rest[..at], out);
                    return at;
                }
            }
        }
        self.say(rest, out);
        self.state = State::Skimmed(object);
        rest.len()
    }

    fn marker(&mut self, mut matcher: Matcher, rest: &str, out: &mut Output<'_>) -> usize {
        for (at, byte) in rest.bytes().enumerate() {
            match matcher.feed(byte) {
                Progress::More => {}
                Progress::No => {
                    self.held.push_str(&rest[..at]);
                    self.emit(Found::Nothing, out);
                    return at;
                }
                Progress::Done => {
                    self.held.push_str(&rest[..=at]);
                    let body = self.held.len();
                    self.state = State::Prompt { body, end: body, matcher: Matcher::new(END) };
                    return at + 1;
                }
            }
        }
        self.held.push_str(rest);
        self.state = State::Marker(matcher);
        rest.len()
    }

    fn prompt(
        &mut self,
        body: usize,
        mut end: usize,
        mut matcher: Matcher,
        rest: &str,
        out: &mut Output<'_>,
    ) -> usize {
        for (at, byte) in rest.bytes().enumerate() {
            if byte == b'<' {
                (matcher, end) = (Matcher::new(END), self.held.len() + at);
            }
            if matcher.feed(byte) == Progress::Done {
                self.held.push_str(&rest[..=at]);
                self.emit(marker::read_prompt(&self.held[body..end]), out);
                return at + 1;
            }
            if rest.is_char_boundary(at + 1) && self.held.len() + at + 1 >= HELD_AT_MOST {
                self.held.push_str(&rest[..=at]);
                self.emit(Found::Invalid, out);
                return at + 1;
            }
        }
        self.held.push_str(rest);
        self.state = State::Prompt { body, end, matcher };
        rest.len()
    }

    /// An object is no structure after all; a fence around it is still open.
    fn refuse(&mut self, found: Found, start: usize, fence: Option<Fence>, out: &mut Output<'_>) {
        let fence = fence.map(|fence| fence.after(&self.held[start..]));
        self.emit(found, out);
        self.state = fence.map_or(State::Prose, State::Code);
    }

    /// Hands out what was held as what it was found to be; prose comes next.
    fn emit(&mut self, found: Found, out: &mut Output<'_>) {
        self.line.follow(&self.held);
        match found {
            Found::Nothing => {
                out.text(&self.held);
                self.held.clear();
            }
            found => out.found(found, std::mem::take(&mut self.held)),
        }
    }

    fn say(&mut self, text: &str, out: &mut Output<'_>) {
        self.line.follow(text);
        out.text(text);
    }
}

/// Where structure may begin: at a byte that begins some, unless the bytes
/// after it already tell otherwise.
fn candidate(bytes: &[u8]) -> Option<usize> {
    let is = |at: usize, fits: fn(&u8) -> bool| bytes.get(at).is_none_or(fits);
    (0..bytes.len()).find(|&at| match bytes[at] {
        b'{' => is(at + 1, |next| *next == b'"' || next.is_ascii_whitespace()),
        b'<' => is(at + 1, |next| *next == b'!'),
        b'`' => is(at + 1, |next| *next == b'`') && is(at + 2, |next| *next == b'`'),
        _ => false,
    })
}
