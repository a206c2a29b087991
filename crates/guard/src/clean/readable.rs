//! Text as people read it: what steers a terminal is taken out, and what cannot be
//! seen is written out (`‹U+202E›`).
//!
//! Programs colour their output; a person expects the words without the codes, so
//! colours, cursor movements and choices of a character set are removed. They cannot
//! carry words. Everything else that a terminal would obey (titles, links, device
//! strings) could, so there the escape character itself is written out, as all other
//! control characters, direction marks and tags are. Lines and tabs stay, and so do the
//! joiners that emoji and many scripts are written with, the letters of every script,
//! and the tags of a flag.
//!
//! A character is decided with what came before it, never with what comes after, so
//! the result does not depend on how a text is cut (S-4). It comes before the masks: a
//! colour in the middle of a name must not hide it.

use std::borrow::Cow;

use super::visible::{is_hidden, push_written_out};

/// Numbers and signs that a code may have; what goes on longer is no code.
const LONGEST_CODE: u8 = 32;

const ESCAPE: char = '\u{1B}';
/// `ESC [` in one character.
const CODE: char = '\u{9B}';
/// The emoji that regions' flags begin with; their letters are tags.
const FLAG: char = '\u{1F3F4}';

/// Makes a text that arrives in chunks readable.
#[derive(Debug, Default)]
pub(super) struct Readable {
    state: State,
    /// Whether a tag would be part of a flag.
    in_flag: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After an escape character.
    Escape,
    /// Within a code, after so many characters of it.
    Code(u8),
    /// The next character names a character set.
    CharacterSet,
}

impl Readable {
    /// Takes a chunk; borrowed if it stays as it is.
    pub(super) fn push<'a>(&mut self, chunk: &'a str) -> Cow<'a, str> {
        if self.state == State::Text && !needs_work(chunk) {
            if !chunk.is_empty() {
                self.in_flag = chunk.ends_with(FLAG);
            }
            return Cow::Borrowed(chunk);
        }
        let mut readable = String::with_capacity(chunk.len() + 16);
        for c in chunk.chars() {
            self.take(c, &mut readable);
        }
        Cow::Owned(readable)
    }

    /// Ends the text; appends what was not decided.
    pub(super) fn finish(self, to: &mut String) {
        if self.state == State::Escape {
            push_written_out(ESCAPE, to);
        }
    }

    fn take(&mut self, c: char, to: &mut String) {
        self.state = match (self.state, c) {
            (State::Code(_), '@'..='~') | (State::CharacterSet, '0'..='~') => State::Text,
            (State::Code(length @ ..LONGEST_CODE), ' '..='?') => State::Code(length + 1),
            (State::Escape, '[') => State::Code(0),
            (State::Escape, '(' | ')' | '*' | '+') => State::CharacterSet,
            (State::Escape, '7' | '8' | '=' | '>' | 'D' | 'E' | 'M' | 'c') => State::Text,
            (State::Escape, _) => {
                push_written_out(ESCAPE, to);
                self.text(c, to)
            }
            (State::Text | State::Code(_) | State::CharacterSet, _) => self.text(c, to),
        };
    }

    fn text(&mut self, c: char, to: &mut String) -> State {
        let is_tag = ('\u{E0020}'..='\u{E007F}').contains(&c);
        let in_flag = self.in_flag;
        self.in_flag = c == FLAG || (in_flag && is_tag);
        match c {
            ESCAPE => return State::Escape,
            CODE => return State::Code(0),
            _ if is_unreadable(c) && !(in_flag && is_tag) => push_written_out(c, to),
            _ => to.push(c),
        }
        State::Text
    }
}

/// The whole text, made readable.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    let mut stream = Readable::default();
    let mut readable = stream.push(text);
    if stream.state == State::Escape {
        stream.finish(readable.to_mut());
    }
    readable
}

/// The text made readable; nothing if it is so already.
pub(super) fn unless_readable(text: &str) -> Option<String> {
    match readable(text) {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    }
}

/// Looks at the bytes first: nearly every text is done with that.
fn needs_work(text: &str) -> bool {
    text.bytes().fold(false, |found, byte| found | SUSPICIOUS[usize::from(byte)])
        && text.chars().any(is_unreadable)
}

/// What is hidden and is not how some script or emoji is written.
pub(super) fn is_unreadable(c: char) -> bool {
    let belongs_to_words = matches!(
        c,
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'
            ..='\u{180D}' | '\u{180F}' | '\u{200C}' | '\u{200D}' | '\u{3164}' | '\u{FFA0}'
    );
    is_hidden(c) && !belongs_to_words
}

/// The bytes that what is unreadable begins with.
const SUSPICIOUS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte, 0..=8 | 11 | 12 | 14..=31 | 0x7F)
            || matches!(byte, 0xC2 | 0xD8 | 0xE1 | 0xE2 | 0xEF | 0xF0 | 0xF3);
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// S-5: what steers a terminal or hides is gone or written out; words stay.
    #[test]
    fn codes_go_controls_are_written_out_and_words_stay() {
        let table = [
            ("\u{1B}[1;31merror\u{1B}[0m: x\u{1B}(B", "error: x"),
            ("\u{9B}32mok\u{9B}m \u{1B}[2K\u{1B}[1Gdone", "ok done"),
            ("a\u{0}b\u{7}\u{8}\u{7F}", "a‹U+0000›b‹U+0007›‹U+0008›‹U+007F›"),
            ("txt.\u{202E}gpj\u{2066}x\u{200F}", "txt.‹U+202E›gpj‹U+2066›x‹U+200F›"),
            ("\u{1B}]0;title\u{7}x", "‹U+001B›]0;title‹U+0007›x"),
            ("cut \u{1B}", "cut ‹U+001B›"),
            ("hidden \u{E0041}\u{E0042}\u{200B}", "hidden ‹U+E0041›‹U+E0042›‹U+200B›"),
            ("👩‍🍳 e 👨‍👩‍👧 🏴\u{E0067}\u{E0062}\u{E007F}", "👩‍🍳 e 👨‍👩‍👧 🏴\u{E0067}\u{E0062}\u{E007F}"),
            ("שלום مرحبا نمی‌خواهم\tação\r\n“x”", "שלום مرحبا نمی‌خواهم\tação\r\n“x”"),
        ];
        for (text, expected) in table {
            assert_eq!(readable(text), expected, "for {text:?}");
        }
    }

    /// Every unreadable character is found by its first byte.
    #[test]
    fn the_look_at_bytes_misses_nothing() {
        for c in ('\0'..=char::MAX).filter(|c| is_unreadable(*c)) {
            assert!(needs_work(c.encode_utf8(&mut [0; 4])), "{c:?}");
        }
    }

    proptest! {
        /// S-4: how the text is cut changes nothing, and a second time neither.
        #[test]
        fn every_chunking_gives_the_same(
            pieces in prop::collection::vec(prop_oneof![
                "[a-z0-9;?\\[\\](B@ ]{0,4}",
                Just("\u{1B}".to_owned()),
                Just("\u{1B}[".to_owned()),
                Just("\u{9B}1".to_owned()),
                Just("\u{1F3F4}".to_owned()),
                Just("\u{E0067}".to_owned()),
                "\\PC{0,2}",
                "[\u{0}-\u{1F}\u{202A}-\u{202E}]{0,2}",
            ], 0..20),
        ) {
            let text = pieces.concat();
            let whole = readable(&text);
            for pieces in [pieces.clone(), text.chars().map(String::from).collect()] {
                let (mut stream, mut streamed) = (Readable::default(), String::new());
                for piece in &pieces {
                    streamed.push_str(&stream.push(piece));
                }
                stream.finish(&mut streamed);
                prop_assert_eq!(&streamed, &whole);
            }
            prop_assert_eq!(readable(&whole), whole.as_ref());
        }
    }
}
