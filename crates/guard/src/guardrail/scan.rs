//! Reads a text in one view after the other until a rule blocks it.

use super::compile::{PatternSet, Rulebook};
use super::finding::Finding;
use super::mention::is_question_about_a_phrase;
use super::normalise::{Folded, View, encoded, fold, letters, spaced};
use super::policy::Policy;
use super::rule::Action;

/// Encodings inside encodings are followed this far.
const DEPTH: usize = 2;

/// The first blocking match of all views, or else the first match at all.
pub(super) fn first_finding(book: &Rulebook, policy: Policy, raw: &str) -> Option<Finding> {
    let mut scan = Scan { book, policy, best: None };
    scan.message(raw);
    scan.best
        .map(|finding| if is_mention(&finding, policy, raw) { logged(finding) } else { finding })
}

/// Whether what would block is a phrase that a question is about.
fn is_mention(finding: &Finding, policy: Policy, raw: &str) -> bool {
    (policy, finding.action, finding.view) == (Policy::Balanced, Action::Block, View::Plain)
        && is_question_about_a_phrase(&fold::text(raw))
}

fn logged(finding: Finding) -> Finding {
    Finding { action: Action::Log, ..finding }
}

struct Scan<'r> {
    book: &'r Rulebook,
    policy: Policy,
    best: Option<Finding>,
}

/// Whether the search is over.
type Over = bool;

impl Scan<'_> {
    fn message(&mut self, raw: &str) -> Over {
        let plain = Folded::new(raw);
        self.folded(View::Plain, &plain)
            || self.disguised_letters(&plain)
            || self.lone_letters(raw, &plain)
            || self.encoded(raw, DEPTH)
            || self.turned(raw, &plain)
    }

    fn disguised_letters(&mut self, plain: &Folded) -> Over {
        let lookalike = letters::lookalikes(&plain.text);
        let readable = lookalike.as_deref().unwrap_or(&plain.text);
        let leet = |scan: &mut Self, one| {
            letters::leet(readable, one).is_some_and(|text| scan.text(View::Leet, text))
        };
        let over = leet(self, 'i') || leet(self, 'l');
        over || lookalike.is_some_and(|text| self.text(View::Lookalike, text))
    }

    fn lone_letters(&mut self, raw: &str, plain: &Folded) -> Over {
        if !spaced::has_lone_letters(&plain.text) {
            return false;
        }
        let loose = fold::loose_text(raw);
        let loose = letters::lookalikes(&loose).unwrap_or(loose);
        let joined = spaced::join(&loose);
        let book = self.book;
        self.text(View::Spaced, joined.text)
            || book.compact().is_some_and(|compact| {
                joined.runs.iter().any(|run| self.look(View::Spaced, compact, run))
            })
    }

    fn encoded(&mut self, raw: &str, depth: usize) -> Over {
        let views = [
            (View::Hidden, fold::hidden_text(raw)),
            (View::Base64, encoded::base64(raw)),
            (View::Hex, encoded::hex(raw)),
            (View::Escaped, encoded::escaped(raw)),
        ];
        views.into_iter().any(|(view, decoded)| {
            decoded.is_some_and(|decoded| {
                self.text(view, fold::text(&decoded))
                    || (depth > 1 && self.encoded(&decoded, depth - 1))
            })
        })
    }

    fn turned(&mut self, raw: &str, plain: &Folded) -> Over {
        let book = self.book;
        // An accent keeps its letter from being turned, so turning comes first.
        let rot13 = fold::words(&fold::text(&letters::rot13(raw)));
        self.look(View::Rot13, &book.words, &rot13)
            || self.look(View::Reversed, &book.words, &letters::reversed(&plain.words))
    }

    fn text(&mut self, view: View, folded: String) -> Over {
        self.folded(view, &Folded::from_folded(folded))
    }

    fn folded(&mut self, view: View, folded: &Folded) -> Over {
        let book = self.book;
        self.look(view, &book.words, &folded.words)
            || self.look(view, &book.text, &folded.text)
            || book.signs.as_ref().is_some_and(|signs| self.look(view, signs, &folded.words))
    }

    /// Matches one set against one text, and keeps what weighs most.
    fn look(&mut self, view: View, set: &PatternSet, text: &str) -> Over {
        let Self { book, policy, best } = self;
        set.each_match(text, |index| {
            let rule = book.rule(index);
            let action = rule.action(*policy);
            if best.as_ref().is_none_or(|best| action > best.action) {
                *best =
                    Some(Finding { rule: rule.id.clone(), category: rule.category, action, view });
            }
            action == Action::Block
        })
    }
}
