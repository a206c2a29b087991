//! The forms into which folded characters are put together.
//!
//! They see every character of every view, so each is to become one loop with
//! the folding: a closure, called once for ASCII and once for the rest, would not.

use super::chars;

/// Takes the characters of a folded text one by one.
pub(super) trait Form {
    /// Takes the next.
    fn push(&mut self, c: char);
    /// The text that they make.
    fn done(self) -> String;
}

/// Punctuation kept, one space for any white space, none at the ends.
pub(super) struct Text {
    out: String,
    gap: bool,
}

impl Text {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), gap: false }
    }
}

impl Form for Text {
    #[inline(always)]
    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.gap = !self.out.is_empty();
        } else {
            if self.gap {
                self.out.push(' ');
                self.gap = false;
            }
            self.out.push(c);
        }
    }

    fn done(self) -> String {
        self.out
    }
}

/// White space of more than one character is two spaces.
pub(super) struct LooseText {
    out: String,
    spaces: usize,
}

impl LooseText {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), spaces: 0 }
    }

    #[inline(always)]
    fn push_spaces(&mut self, count: usize) {
        for _ in 0..count.min(2 - self.spaces) {
            self.out.push(' ');
            self.spaces += 1;
        }
    }
}

impl Form for LooseText {
    #[inline(always)]
    fn push(&mut self, c: char) {
        match c {
            '\n' | '\r' | '\t' => self.push_spaces(2),
            c if c.is_whitespace() => self.push_spaces(1),
            c => {
                self.out.push(c);
                self.spaces = 0;
            }
        }
    }

    fn done(self) -> String {
        self.out
    }
}

/// Letters and digits, one space between words and one at either end.
pub(super) struct Words {
    out: String,
    in_word: bool,
}

impl Words {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        let mut out = String::with_capacity(bytes + 2);
        out.push(' ');
        Self { out, in_word: false }
    }
}

impl Form for Words {
    #[inline(always)]
    fn push(&mut self, c: char) {
        if chars::is_word(c) {
            self.out.push(c);
            self.in_word = true;
        } else if self.in_word && !matches!(c, '\'' | '\u{2019}' | '\u{2bc}') {
            self.out.push(' ');
            self.in_word = false;
        }
    }

    fn done(mut self) -> String {
        if self.in_word {
            self.out.push(' ');
        }
        self.out
    }
}
