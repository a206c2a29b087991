//! What a clause is made of: words, addresses, and the signs between.
//!
//! An address is one token: the words in it are names of pages, and say nothing to anybody. The
//! target of a Markdown link is none, because documents are full of them.

use crate::guardrail::normalise::chars;

/// The longest name before the sign of a mailbox; it bounds how far is looked ahead.
const LONGEST_MAILBOX: usize = 64;

/// What joins words to a name.
const MARKS: &str = "-/._=:(#&\\";

/// A part of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A word, with the underscores of names in it.
    Word(&'t str),
    /// Words that are one, with marks between: `export/import`, `session.send`, `fetch(`. Nobody
    /// is ordered anything with it.
    Name(&'t str),
    /// The address of a page.
    Page,
    /// The address of a person.
    Mailbox,
    /// The first byte of anything else.
    Sign(u8),
    /// A sign inside a word or between other signs, as code has them.
    Joint,
}

/// The parts of a clause, in order.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    let mut is_after_space = true;
    std::iter::from_fn(move || {
        is_after_space |= rest.starts_with(char::is_whitespace);
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let (token, length) = if rest.starts_with("](") {
            (Token::Sign(b']'), rest.find(')').map_or(rest.len(), |end| end + 1))
        } else if let Some(length) = page(rest) {
            (Token::Page, length)
        } else if let Some(length) = mailbox(rest) {
            (Token::Mailbox, length)
        } else {
            match (word(rest), name(rest)) {
                (0, _) => (sign(rest, first, is_after_space), first.len_utf8()),
                (length, None) => (Token::Word(&rest[..length]), length),
                (_, Some(length)) => (Token::Name(&rest[..length]), length),
            }
        };
        rest = &rest[length..];
        is_after_space = false;
        Some(token)
    })
}

/// The length of the word that a text begins with.
fn word(text: &str) -> usize {
    text.find(|c| !(chars::is_word(c) || c == '_')).unwrap_or(text.len())
}

/// The length of the name that a text begins with, if it is one and no plain word.
fn name(text: &str) -> Option<usize> {
    let mut end = word(text);
    let mut is_name = false;
    while let Some(mark) = text[end..].chars().next().filter(|mark| MARKS.contains(*mark)) {
        let behind = &text[end + 1..];
        let length = word(behind);
        // A sentence may begin right behind the end of another.
        let begins_sentence = mark == '.' && behind.starts_with(char::is_uppercase);
        if begins_sentence || (length == 0 && mark != '(') {
            break;
        }
        (is_name, end) = (true, end + 1 + length);
    }
    is_name.then_some(end)
}

/// A sign that is not set apart by a space is a joint, unless sentences have it.
fn sign(text: &str, first: char, is_after_space: bool) -> Token<'static> {
    let next = text[first.len_utf8()..].chars().next();
    let is_apart = is_after_space || next.is_none_or(char::is_whitespace);
    let ends = first == '.' && next.is_some_and(char::is_uppercase);
    if is_apart || ends || matches!(first, ',' | ';' | '*') || next == Some(first) {
        Token::Sign(text.as_bytes()[0])
    } else {
        Token::Joint
    }
}

/// The length of the address of a page that a text begins with.
fn page(text: &str) -> Option<usize> {
    let name = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let behind = &text[name..];
    let is_page = (name > 0 && behind.starts_with("://"))
        || (text[..name].eq_ignore_ascii_case("www") && behind.starts_with('.'));
    let ends = |c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"' | ']');
    is_page.then(|| text.find(ends).unwrap_or(text.len()))
}

/// The length of the address of a person that a text begins with: `tool@1.0.0` is none.
fn mailbox(text: &str) -> Option<usize> {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'+' | b'-');
    let name = text.bytes().take(LONGEST_MAILBOX).take_while(is_name).count();
    let behind = &text[name..];
    let host = behind.strip_prefix('@').or_else(|| behind.strip_prefix("[at]"))?;
    let host = &host[..host.bytes().take_while(is_name).count()];
    let (_, domain) = host.trim_end_matches('.').rsplit_once('.')?;
    let is_domain = domain.len() > 1 && domain.bytes().all(|b| b.is_ascii_alphabetic());
    let at = text.len() - behind.len() + if behind.starts_with('@') { 1 } else { 4 };
    (name > 0 && is_domain).then_some(at + host.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_one_token_each() {
        use Token::{Joint, Mailbox, Name, Page, Sign, Word};
        for (text, expected) in [
            ("see https://example.com/send?my=mail now", vec![Word("see"), Page, Word("now")]),
            ("at www.example.com", vec![Word("at"), Page]),
            (
                "to amy.b+c@example.com, eve[at]x.org",
                vec![Word("to"), Mailbox, Sign(b','), Mailbox],
            ),
            (
                "the [book](https://example.com/a b) é",
                vec![Word("the"), Sign(b'['), Word("book"), Sign(b']'), Word("é")],
            ),
            (
                "get_mail @ 3 ://",
                vec![Word("get_mail"), Sign(b'@'), Word("3"), Sign(b':'), Sign(b'/'), Sign(b'/')],
            ),
            (
                "a session.send({\"x\": 1})",
                vec![
                    Word("a"),
                    Name("session.send("),
                    Joint,
                    Joint,
                    Word("x"),
                    Joint,
                    Sign(b':'),
                    Word("1"),
                    Joint,
                    Sign(b')'),
                ],
            ),
            (
                "export/import. Then.Send -- it",
                vec![
                    Name("export/import"),
                    Sign(b'.'),
                    Word("Then"),
                    Sign(b'.'),
                    Word("Send"),
                    Sign(b'-'),
                    Sign(b'-'),
                    Word("it"),
                ],
            ),
            ("a [link](without an end", vec![Word("a"), Sign(b'['), Word("link"), Sign(b']')]),
        ] {
            assert_eq!(tokens(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
