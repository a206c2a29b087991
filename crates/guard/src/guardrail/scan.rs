//! Matches the rules against one view after the other until one blocks.

use super::compile::{PatternSet, Rulebook};
use super::finding::Finding;
use super::mention::is_question_about_a_phrase;
use super::normalise::views::{Reading, Views, each_view};
use super::normalise::{View, fold};
use super::policy::Policy;
use super::rule::Action;

/// The first blocking match of all views, or else the first match at all.
pub(super) fn first_finding(book: &Rulebook, policy: Policy, raw: &str) -> Option<Finding> {
    let mut scan = Scan { book, policy, best: None };
    each_view(raw, |view, reading| scan.read(view, reading));
    scan.best
        .map(|finding| if is_mention(&finding, policy, raw) { logged(finding) } else { finding })
}

/// The same for views that were made beforehand, and whatever the text is about.
pub(super) fn first_finding_in(book: &Rulebook, policy: Policy, views: &Views) -> Option<Finding> {
    let mut scan = Scan { book, policy, best: None };
    views.each(|view, reading| scan.read(view, reading));
    scan.best
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
    fn read(&mut self, view: View, reading: Reading<'_>) -> Over {
        let book = self.book;
        match reading {
            Reading::Folded(folded) => {
                self.look(view, &book.words, &folded.words)
                    || self.look(view, &book.text, &folded.text)
                    || book.signs.as_ref().is_some_and(|set| self.look(view, set, &folded.words))
            }
            Reading::Turned(words) => self.look(view, &book.words, words),
            Reading::Letters(run) => book.compact().is_some_and(|set| self.look(view, set, run)),
        }
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
