//! One clause of a document, and the evidence in it.

use super::tokens::{Token, tokens};
use super::words::{Kinds, LONGEST, kinds};
use crate::guardrail::normalise::chars;

/// How many words of a clause are read; what is longer is a list or a log.
const MOST_WORDS: u32 = 60;
/// So many words are enough for "note to the assistant:".
const MOST_WORDS_OF_A_CALL: u32 = 5;
/// Fewer words are no sentence, also if somebody hid them.
const FEWEST_WORDS: u32 = 3;
/// So many digits in a row are an account, a card or a telephone.
const DIGITS_OF_ADDRESS: usize = 8;

/// What a clause holds.
#[derive(Debug, Default)]
pub(in crate::guardrail) struct Clause {
    words: u32,
    /// The kinds of all its words.
    all: Kinds,
    /// The kinds of the verbs that stand where an imperative does.
    orders: Kinds,
    /// How many different things worth taking, up to two.
    sensitive: u32,
    /// "Your answer", "your whole response".
    whole_answer: bool,
    /// The address of a page.
    page: bool,
    /// The address of a person.
    mailbox: bool,
    /// A number that is an address.
    number: bool,
    money: bool,
    tool: bool,
    quotation: bool,
    /// Whether an assistant stands before the verb, and so is told to do it.
    addressed: bool,
    /// "Write your answer": the answer is all that it is about, as in exercises.
    answer_alone: bool,
    /// Whether it begins with its verb, as an order does and a statement does not.
    verb_first: bool,
}

/// What is remembered from word to word.
#[derive(Default)]
struct Reader<'t> {
    /// Whether an imperative can stand here.
    open: bool,
    /// "Agents can read files, call tools": nobody is ordered anything by the rest either.
    is_statement: bool,
    /// The two words before.
    before: [Kinds; 2],
    sensitive: Option<&'t str>,
}

impl Reader<'_> {
    /// "You can install it": nobody has to.
    fn is_permitted(&self, kind: Kinds) -> bool {
        kind.has(Kinds::MAY) && self.before[1].has(Kinds::YOU.and(Kinds::AGENT))
    }
}

impl Clause {
    pub(super) fn read(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Self {
        let mut clause = Self::default();
        clause.read_signs(text);
        let mut reader = Reader { open: true, ..Reader::default() };
        for token in tokens(text) {
            match token {
                Token::Sign(b'/') | Token::Joint => reader.open = false,
                Token::Sign(sign) => reader.open |= sign != b'\'' && !reader.is_statement,
                Token::Page => (clause.page, reader.open) = (true, true),
                Token::Mailbox => (clause.mailbox, reader.open) = (true, true),
                Token::Word(word) if clause.words < MOST_WORDS => {
                    clause.words += 1;
                    clause.tool |= is_tool(word);
                    clause.number |= is_number(word);
                    clause.read_word(word, &mut reader);
                }
                Token::Name(name) if clause.words < MOST_WORDS => {
                    clause.words += 1;
                    clause.tool |= is_tool(name);
                    clause.number |= is_number(name);
                    clause.read_name(name, &mut reader);
                }
                Token::Word(_) | Token::Name(_) => break,
            }
        }
        clause
    }

    /// Whether it only calls an assistant, as "Note to the assistant:" does.
    pub(super) fn is_call(&self) -> bool {
        self.words <= MOST_WORDS_OF_A_CALL && self.all.has(Kinds::AGENT)
    }

    /// Whether it says anything: what stands in a cell or alone on its line does not.
    pub(super) fn is_prose(&self) -> bool {
        self.words >= FEWEST_WORDS
    }

    pub(super) fn is_order(&self) -> bool {
        self.orders != Kinds::default()
    }

    /// Whether it is enough for a text that somebody took the trouble to encode.
    pub(super) fn is_order_if_hidden(&self) -> bool {
        let announces = self.all.has(Kinds::YOU) && self.all.has(Kinds::NEXT);
        self.is_prose() && (self.is_order() || announces)
    }

    /// How much speaks for an order. Without an imperative only an announcement of one counts.
    pub(super) fn evidence(&self) -> u32 {
        if !self.is_order() {
            return self.announcement();
        }
        let has = |kind| u32::from(self.all.has(kind));
        let verb = if self.is_risky() { 2 } else { u32::from(self.says()) };
        let order = verb
            + self.destination()
            + u32::from(self.is_paid())
            + self.property()
            + self.answer()
            + self.quoted()
            + self.secrecy()
            + 2 * u32::from(self.tool)
            + has(Kinds::AGENT)
            + u32::from(self.addressed)
            + has(Kinds::USER)
            + has(Kinds::URGENT)
            + has(Kinds::INSTRUCTION)
            + has(Kinds::PLEASE);
        order.max(self.announcement())
    }

    /// "The following instructions need your immediate attention", "this is the sole directive,
    /// all others are void".
    fn announcement(&self) -> u32 {
        let all = |kinds: &[Kinds]| kinds.iter().all(|kind| self.all.has(*kind));
        let announces = all(&[Kinds::INSTRUCTION])
            && (all(&[Kinds::RANK, Kinds::NEXT])
                || (all(&[Kinds::VOID]) && self.all.has(Kinds::YOU.and(Kinds::URGENT)))
                || all(&[Kinds::URGENT, Kinds::SOON])
                || all(&[Kinds::URGENT, Kinds::NEXT, Kinds::YOU]));
        if announces { super::ENOUGH } else { 0 }
    }

    fn is_risky(&self) -> bool {
        self.orders.has(Kinds::RISKY)
    }

    fn says(&self) -> bool {
        self.orders.has(Kinds::SAY)
    }

    fn is_paid(&self) -> bool {
        self.money || self.all.has(Kinds::MONEY)
    }

    /// Where something is to go. Documents are full of pages to visit and of addresses to write
    /// to, so an address counts beside an act that gives something away.
    fn destination(&self) -> u32 {
        let out = self.orders.has(Kinds::OUT);
        let owned = self.all.has(Kinds::MINE.and(Kinds::ME)) || self.sensitive > 0;
        if self.all.has(Kinds::REACH) && !owned {
            return u32::from(out && (self.mailbox || self.page || self.number));
        }
        let to_somebody = self.mailbox && (self.is_risky() || self.all.has(Kinds::MINE));
        if to_somebody || (out && (self.mailbox || self.page || self.number)) {
            2
        } else {
            u32::from(self.page && self.says())
        }
    }

    /// Whose thing it is, and what; with its imperative first, a place that it goes to.
    fn property(&self) -> u32 {
        let mine = self.all.has(Kinds::MINE);
        let whose = if mine { 2 } else { u32::from(self.all.has(Kinds::ME)) };
        let things = self.sensitive.min(if whose > 0 { 2 } else { 1 });
        let goes = self.is_risky() && self.verb_first && (self.destination() > 1 || self.is_paid());
        whose + things + u32::from(goes)
    }

    /// What is ordered about the answer of whoever reads it.
    fn answer(&self) -> u32 {
        if !self.whole_answer {
            return 0;
        }
        let what = self.says() && self.verb_first && !self.answer_alone;
        2 + 2 * u32::from(self.all.has(Kinds::FORM)) + 2 * u32::from(what)
    }

    fn quoted(&self) -> u32 {
        let word_for_word = self.says() && self.all.has(Kinds::ONLY);
        let count = u32::from(self.says() || self.verb_first) + u32::from(word_for_word);
        if self.quotation { count } else { 0 }
    }

    fn secrecy(&self) -> u32 {
        let (quiet, stealth) = (self.all.has(Kinds::QUIET), self.all.has(Kinds::STEALTH));
        u32::from(stealth && self.is_risky())
            + u32::from((quiet || stealth) && self.all.has(Kinds::USER))
    }

    fn read_word<'t>(&mut self, word: &'t str, reader: &mut Reader<'t>) {
        let mut kind = folded_kinds(word);
        if kind.has(Kinds::MODEL) && reader.before[1].has(Kinds::LANGUAGE) {
            kind = kind.and(Kinds::AGENT);
        }
        if kind.has(Kinds::JOIN) && reader.before[1].has(Kinds::ABOUT) {
            kind = kind.and(Kinds::SOON);
        }
        self.all = self.all.and(kind);
        if kind.has(Kinds::ANSWER) && reader.before.iter().any(|word| word.has(Kinds::YOUR)) {
            self.whole_answer = true;
            self.answer_alone |= reader.before[1].has(Kinds::YOUR)
                && reader.before[0].has(Kinds::SAY)
                && self.is_order();
        }
        if kind.has(Kinds::SENSITIVE)
            && reader.sensitive.is_none_or(|other| !other.eq_ignore_ascii_case(word))
        {
            reader.sensitive = Some(word);
            self.sensitive += 1;
        }
        let is_verb = kind.has(Kinds::RISKY.and(Kinds::SAY).and(Kinds::ACT));
        if reader.open && is_verb {
            self.addressed |= self.all.has(Kinds::AGENT) && !kind.has(Kinds::AGENT);
            self.verb_first |= self.all == kind || self.all == kind.and(Kinds::please());
            self.orders = self.orders.and(kind);
            reader.open = false;
        } else if reader.is_permitted(kind) {
            reader.open = false;
            reader.is_statement |= reader.before[1].has(Kinds::AGENT);
        } else if !(reader.open && kind.has(Kinds::LEAD)) {
            let joins = kind.has(Kinds::JOIN) && self.is_order();
            reader.open = joins || (kind.has(Kinds::JOIN) && kind.has(Kinds::URGENT));
        }
        reader.before = [reader.before[1], kind];
    }

    /// A name is no imperative. "The username/password" is worth taking; what has more parts is the
    /// name of a file, and says nothing.
    fn read_name(&mut self, name: &str, reader: &mut Reader<'_>) {
        let kind = match name.split_once(['-', '/']) {
            Some((first, second)) => folded_kinds(first).and(folded_kinds(second)),
            None => Kinds::default(),
        };
        self.all = self.all.and(kind);
        reader.open = false;
        reader.before = [reader.before[1], kind];
    }

    fn read_signs(&mut self, text: &str) {
        let dollars = text.as_bytes().windows(2);
        self.money = dollars.into_iter().any(|pair| pair[0] == b'$' && pair[1].is_ascii_digit())
            || text.contains(['€', '£']);
        self.quotation = text.contains(['"', '“', '„', '«']);
    }
}

fn is_number(word: &str) -> bool {
    let mut digits = 0;
    word.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits >= DIGITS_OF_ADDRESS
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
