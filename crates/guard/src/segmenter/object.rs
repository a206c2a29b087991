//! Reads a JSON object byte by byte, only as closely as it must: where it
//! ends, which keys it has, and whether it still looks like JSON at all.
//!
//! It is no parser. Prose and code that merely begin with a brace are refused
//! at the first byte that JSON cannot have there; what passes is parsed later.

use super::segment::Found;
use super::{HELD_AT_MOST, KEYS_WITHIN};

/// The keys that plans and questions are known by.
const KEYS: [&[u8]; 4] = [b"goal", b"steps", b"question", b"options"];
const PLAN: u8 = 0b0011;
const QUESTION: u8 = 0b1100;

/// Room for the longest key, and one byte to tell that a string is longer.
const LONGEST: usize = 9;

/// Which of the keys an object has, one bit each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen(u8);

impl Seen {
    /// True if none of the keys was there.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True for what has both keys of a plan, or both of a question.
    pub(super) fn is_claim(self) -> bool {
        self.0 & PLAN == PLAN || self.0 & QUESTION == QUESTION
    }

    /// What an object with these keys is if it cannot be read.
    pub(super) fn verdict(self) -> Found {
        if self.is_claim() { Found::Invalid } else { Found::Nothing }
    }
}

/// What a byte means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The object continues.
    More,
    /// The object ends with this byte.
    End,
    /// This byte cannot stand here: it is no JSON.
    No,
}

/// How far an object was read.
#[derive(Debug, Default)]
pub(super) struct Object {
    length: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    begun: bool,
    /// The beginning of the last string that began at the object's own level.
    string: [u8; LONGEST],
    string_length: usize,
    seen: Seen,
}

impl Object {
    pub(super) fn feed(&mut self, byte: u8) -> Step {
        self.length += 1;
        if self.in_string {
            return self.feed_string(byte);
        }
        if self.depth == 1 && !self.begun && !byte.is_ascii_whitespace() {
            if byte != b'"' && byte != b'}' {
                return Step::No;
            }
            self.begun = true;
        }
        match byte {
            b'{' => self.depth += 1,
            b'}' => self.depth = self.depth.saturating_sub(1),
            b'"' => {
                self.in_string = true;
                self.string_length = 0;
            }
            b':' if self.depth == 1 => self.note_key(),
            _ if is_json_byte(byte) => {}
            _ => return Step::No,
        }
        if self.depth == 0 { Step::End } else { Step::More }
    }

    /// The keys at the object's own level, so far.
    pub(super) fn seen(&self) -> Seen {
        self.seen
    }

    /// True once it is clear that this is neither a plan nor a question, or
    /// that it is too long to wait for.
    pub(super) fn is_hopeless(&self) -> bool {
        (self.length >= KEYS_WITHIN && self.seen.is_empty()) || self.length >= HELD_AT_MOST
    }

    fn feed_string(&mut self, byte: u8) -> Step {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => {
                self.in_string = false;
                return Step::More;
            }
            // JSON has no line breaks in strings: this is a stray quote in prose.
            b'\n' => return Step::No,
            _ => {}
        }
        if self.depth == 1 {
            if self.string_length < LONGEST {
                self.string[self.string_length] = byte;
            }
            self.string_length = (self.string_length + 1).min(LONGEST);
        }
        Step::More
    }

    fn note_key(&mut self) {
        let key = &self.string[..self.string_length];
        if let Some(bit) = KEYS.iter().position(|known| *known == key) {
            self.seen.0 |= 1 << bit;
        }
    }
}

/// What JSON has outside of strings; of letters, those of `true`, `false`,
/// `null` and exponents.
fn is_json_byte(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\r' | b'\n' | b'[' | b']' | b',' | b':' | b'0'
            ..=b'9'
                | b'+'
                | b'-'
                | b'.'
                | b't'
                | b'r'
                | b'u'
                | b'e'
                | b'f'
                | b'a'
                | b'l'
                | b's'
                | b'n'
                | b'E'
    )
}
