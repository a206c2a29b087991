//! What a clause is made of: words, addresses, and the signs between.
//!
//! An address is one token: the words in it are names of pages, and say nothing to anybody. The
//! target of a Markdown link is none, because documents are full of them.

use crate::guardrail::normalise::chars;

/// The longest name before the sign of a mailbox; it bounds how far is looked ahead.
const LONGEST_MAILBOX: usize = 64;

/// A part of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A word, with the underscores of names in it.
    Word(&'t str),
    /// The address of a page.
    Page,
    /// The address of a person.
    Mailbox,
    /// The first byte of anything else.
    Sign(u8),
}

/// The parts of a clause, in order.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let (token, length) = if rest.starts_with("](") {
            (Token::Sign(b']'), rest.find(')').map_or(rest.len(), |end| end + 1))
        } else if let Some(length) = page(rest) {
            (Token::Page, length)
        } else if let Some(length) = mailbox(rest) {
            (Token::Mailbox, length)
        } else {
            match word(rest) {
                0 => (Token::Sign(rest.as_bytes()[0]), first.len_utf8()),
                length => (Token::Word(&rest[..length]), length),
            }
        };
        rest = &rest[length..];
        Some(token)
    })
}

/// The length of the word that a text begins with.
fn word(text: &str) -> usize {
    text.find(|c| !(chars::is_word(c) || c == '_')).unwrap_or(text.len())
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
        use Token::{Mailbox, Page, Sign, Word};
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
            ("a [link](without an end", vec![Word("a"), Sign(b'['), Word("link"), Sign(b']')]),
        ] {
            assert_eq!(tokens(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
