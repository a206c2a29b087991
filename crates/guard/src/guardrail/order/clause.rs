//! One clause of a document, and the evidence in it.

use super::words::{Kinds, LONGEST, kinds};
use crate::guardrail::normalise::chars;

/// How many words of a clause are read; what is longer is a list or a log.
const MOST_WORDS: usize = 60;
/// So many digits in a row are an account, a card or a telephone.
const DIGITS_OF_ADDRESS: usize = 8;

/// What a clause holds.
#[derive(Debug, Default)]
pub(in crate::guardrail) struct Clause {
    /// The kinds of all its words.
    all: Kinds,
    /// The kinds of the verbs that stand where an imperative does.
    orders: Kinds,
    /// "Your answer", "every response".
    whole_answer: bool,
    address: bool,
    money: bool,
    tool: bool,
    quotation: bool,
    /// Whether it begins with its verb, as an order does and a statement does not.
    verb_first: bool,
}

impl Clause {
    pub(super) fn read(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Self {
        let mut clause = Self::default();
        clause.read_signs(text);
        let (mut open, mut before, mut count) = (true, Kinds::default(), 0);
        for token in tokens(text) {
            match token {
                Token::Sign(sign) => open = open || sign != b'\'',
                Token::Word(word) if count < MOST_WORDS => {
                    count += 1;
                    clause.tool |= is_tool(word);
                    let kind = folded_kinds(word);
                    clause.read_word(kind, &mut open, before);
                    before = kind;
                }
                Token::Word(_) => break,
            }
        }
        clause
    }

    /// How much speaks for an order. Without an imperative only an announcement of one counts.
    pub(super) fn evidence(&self) -> u32 {
        let (risky, say) = (self.orders.has(Kinds::RISKY), self.orders.has(Kinds::SAY));
        if !risky && !say && !self.orders.has(Kinds::ACT) {
            return self.announcement();
        }
        let has = |kind| u32::from(self.all.has(kind));
        let verb = if risky { 2 } else { u32::from(say) };
        let reaches_out = self.address || self.money || self.all.has(Kinds::MONEY);
        verb + 2 * u32::from(self.address)
            + u32::from(self.money || self.all.has(Kinds::MONEY))
            + 2 * has(Kinds::MINE)
            + has(Kinds::SENSITIVE)
            + has(Kinds::AGENT)
            + has(Kinds::USER)
            + has(Kinds::URGENT)
            + has(Kinds::INSTRUCTION)
            + has(Kinds::PLEASE)
            + u32::from(self.all.has(Kinds::QUIET) && self.all.has(Kinds::USER))
            + 2 * u32::from(self.tool)
            + 2 * u32::from(self.whole_answer)
            + u32::from((say || self.verb_first) && self.quotation)
            + u32::from(risky && self.verb_first && reaches_out)
    }

    /// "The following instructions need your immediate attention."
    fn announcement(&self) -> u32 {
        let needed = [Kinds::INSTRUCTION, Kinds::URGENT, Kinds::NEXT];
        if needed.iter().all(|kind| self.all.has(*kind)) && self.all.has(Kinds::YOU) {
            5
        } else {
            0
        }
    }

    fn read_word(&mut self, kind: Kinds, open: &mut bool, before: Kinds) {
        self.all = self.all.and(kind);
        self.whole_answer |= kind.has(Kinds::ANSWER) && before.has(Kinds::YOU);
        let is_verb = kind.has(Kinds::RISKY.and(Kinds::SAY).and(Kinds::ACT));
        if *open && is_verb {
            self.verb_first |= self.all == kind || self.all == kind.and(Kinds::please());
            self.orders = self.orders.and(kind);
            *open = false;
        } else if !(*open && kind.has(Kinds::LEAD)) {
            let joins = kind.has(Kinds::JOIN) && self.orders != Kinds::default();
            *open = joins || (kind.has(Kinds::JOIN) && kind.has(Kinds::URGENT));
        }
    }

    fn read_signs(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut digits = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let beside = |other: Option<usize>, is: fn(&u8) -> bool| {
                other.and_then(|other| bytes.get(other)).is_some_and(is)
            };
            digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
            self.address |= digits >= DIGITS_OF_ADDRESS;
            match byte {
                b'@' => {
                    let before = beside(at.checked_sub(1), u8::is_ascii_alphanumeric);
                    self.address |= before && beside(Some(at + 1), u8::is_ascii_alphanumeric);
                }
                b':' => self.address |= bytes[at..].starts_with(b"://"),
                b'w' => self.address |= bytes[at..].starts_with(b"www."),
                b'[' => self.address |= bytes[at..].starts_with(b"[at]"),
                b'$' => self.money |= beside(Some(at + 1), u8::is_ascii_digit),
                b'"' => self.quotation = true,
                _ => {}
            }
        }
        self.money |= text.contains('€') || text.contains('£');
        self.quotation |= text.contains(['“', '„', '«']);
    }
}

enum Token<'t> {
    Word(&'t str),
    Sign(u8),
}

/// Words, with the underscores of names in them, and the signs between.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_part = |c: char| chars::is_word(c) || c == '_';
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (token, behind) = match end {
            0 => (Token::Sign(rest.as_bytes()[0]), &rest[first.len_utf8()..]),
            end => (Token::Word(&rest[..end]), &rest[end..]),
        };
        rest = behind;
        Some(token)
    })
}

/// The kinds of a word as it stands: case and accents do not matter.
fn folded_kinds(word: &str) -> Kinds {
    let mut folded = [0_u8; LONGEST];
    let mut length = 0;
    let mut fits = true;
    let mut push = |c: char| match folded.get_mut(length) {
        Some(place) if c.is_ascii() => {
            *place = (c as u8).to_ascii_lowercase();
            length += 1;
        }
        _ => fits = false,
    };
    for c in word.chars() {
        if c.is_ascii() { push(c) } else { chars::fold(c, &mut push) }
    }
    let folded = std::str::from_utf8(&folded[..length]).unwrap_or_default();
    if fits { kinds(folded) } else { Kinds::default() }
}
