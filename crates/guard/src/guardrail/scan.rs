//! Matches the rules against one view after the other until one blocks.
//!
//! In each view the patterns come first, then what a stage finds without them; so a stage looks
//! only at what no rule has blocked.

use super::compile::{PatternSet, Rulebook};
use super::context::Context;
use super::finding::Finding;
use super::mention::is_question_about_a_phrase;
use super::normalise::views::{Reading, Views, each_view};
use super::normalise::{Folded, View, encoded, fold};
use super::policy::Policy;
use super::rule::{Action, Stage};
use super::{flood, learned, negation, order};

/// What the rules are matched with: those in force, and what is known about the project.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judge<'r> {
    pub(super) book: &'r Rulebook,
    pub(super) context: &'r Context,
    pub(super) policy: Policy,
}

/// What is judged: some stages are for one of them only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judged {
    /// What a person wrote.
    Message,
    /// What a tool or a file holds, with a label if there is an order inside.
    Document,
    /// A description: no label, because descriptions are made of orders.
    Description,
}

impl Judge<'_> {
    /// The first blocking match in a message, or else the first match at all.
    pub(super) fn message(self, raw: &str) -> Option<Finding> {
        let mut scan = Scan::new(self, Judged::Message);
        each_view(raw, |view, reading| scan.read(view, reading));
        let mention = |finding: &Finding| is_mention(finding, self.policy, raw);
        scan.best.map(|finding| if mention(&finding) { logged(finding) } else { finding })
    }

    /// The same for views that were made beforehand, and whatever the text is about.
    pub(super) fn views(self, views: &Views) -> Option<Finding> {
        let mut scan = Scan::new(self, Judged::Message);
        views.each(|view, reading| scan.read(view, reading));
        scan.best
    }

    /// What blocks in a document, or else a label.
    pub(super) fn document(self, raw: &str) -> Option<Finding> {
        let mut scan = Scan::new(self, Judged::Document);
        each_view(raw, |view, reading| scan.read(view, reading));
        if let Some(blocking) = blocking(scan.best.take(), self.policy, raw) {
            return Some(blocking);
        }
        // Line ends divide clauses, and folding has taken them away.
        scan.look_for_orders(View::Plain, raw);
        if let Some(text) = encoded::escaped(raw) {
            scan.look_for_orders(View::Escaped, &text);
        }
        scan.label
    }

    /// What blocks in a description.
    pub(super) fn description(self, raw: &str) -> Option<Finding> {
        let mut scan = Scan::new(self, Judged::Description);
        each_view(raw, |view, reading| scan.read(view, reading));
        blocking(scan.best, self.policy, raw)
    }
}

fn blocking(best: Option<Finding>, policy: Policy, raw: &str) -> Option<Finding> {
    best.filter(|finding| finding.action == Action::Block && !is_mention(finding, policy, raw))
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
    judge: Judge<'r>,
    judged: Judged,
    best: Option<Finding>,
    /// The words of the view without the verbs that are negated, if that made a difference.
    affirmed: Option<String>,
    label: Option<Finding>,
}

/// Whether the search is over.
type Over = bool;

impl<'r> Scan<'r> {
    fn new(judge: Judge<'r>, judged: Judged) -> Self {
        Self { judge, judged, best: None, affirmed: None, label: None }
    }

    fn read(&mut self, view: View, reading: Reading<'_>) -> Over {
        let book = self.judge.book;
        match reading {
            Reading::Folded(folded) => {
                self.affirmed = None;
                self.look_at_words(view, &folded.words)
                    || self.look(view, &book.text, &folded.text)
                    || book.signs.as_ref().is_some_and(|set| self.look(view, set, &folded.words))
                    || self.look_by_stages(view, folded)
            }
            Reading::Turned(words) => {
                self.look(view, &book.words, words) || self.weigh(view, words, 0.0)
            }
            Reading::Letters(run) => book.compact().is_some_and(|set| self.look(view, set, run)),
        }
    }

    fn look_by_stages(&mut self, view: View, folded: &Folded) -> Over {
        match self.judged {
            Judged::Message => {
                let extra = self.judge.context.weight(folded);
                let affirmed = self.affirmed.take();
                let words = affirmed.as_deref().unwrap_or(&folded.words);
                self.look_for_a_flood(view, &folded.text) || self.weigh(view, words, extra)
            }
            Judged::Document => {
                self.weigh(view, &folded.words, 0.0);
                if matches!(view, View::Hidden | View::Base64 | View::Hex) {
                    self.look_for(view, || order::hidden(&folded.text));
                }
                false
            }
            Judged::Description => false,
        }
    }

    /// Under `balanced`, what only matches because a "not" was not read is logged.
    fn look_at_words(&mut self, view: View, words: &str) -> Over {
        let book = self.judge.book;
        if !self.look(view, &book.words, words) {
            return false;
        }
        let affirmed = match self.judge.policy {
            Policy::Balanced => negation::affirmed(words),
            Policy::Strict | Policy::Monitor => None,
        };
        let Some(affirmed) = affirmed else { return true };
        let negated = self.best.take().map(logged);
        let over = self.look(view, &book.words, &affirmed);
        self.best = self.best.take().or(negated);
        self.affirmed = Some(affirmed);
        over
    }

    /// Matches one set against one text, and keeps what weighs most.
    fn look(&mut self, view: View, set: &PatternSet, text: &str) -> Over {
        set.each_match(text, |index| self.keep(view, index, Vec::new))
    }

    /// A message that floods does so as it stands: a view of it would only repeat the finding.
    fn look_for_a_flood(&mut self, view: View, text: &str) -> Over {
        let Some(index) = self.judge.book.stage(Stage::Flood) else { return false };
        view == View::Plain && flood::is_flooded(text) && self.keep(view, index, Vec::new)
    }

    /// Weighs the words of a view by the table for what is judged.
    fn weigh(&mut self, view: View, words: &str, extra: f32) -> Over {
        let book = self.judge.book;
        let (stage, table) = match self.judged {
            Judged::Message => (Stage::Message, &book.learned.messages),
            Judged::Document => (Stage::Document, &book.learned.documents),
            Judged::Description => return false,
        };
        let Some(index) = book.stage(stage) else { return false };
        let Some(heaviest) = learned::attempt(table, words, extra) else { return false };
        match self.judged {
            Judged::Message => self.keep(view, index, || heaviest),
            Judged::Document | Judged::Description => self.mark(view, index, heaviest),
        }
    }

    fn look_for_orders(&mut self, view: View, text: &str) {
        let context = self.judge.context;
        self.look_for(view, || order::inside(text, &|word| context.is_tool(word)));
    }

    /// Marks the clause that is an order, if there is one and nothing is marked yet.
    fn look_for(&mut self, view: View, order: impl FnOnce() -> Option<Box<str>>) {
        let stage = self.judge.book.stage(Stage::Order).filter(|_| self.label.is_none());
        if let Some((index, clause)) = stage.and_then(|index| Some((index, order()?))) {
            self.mark(view, index, vec![clause]);
        }
    }

    /// Keeps the match of a rule if none before it weighs as much.
    fn keep(&mut self, view: View, index: usize, words: impl FnOnce() -> Vec<Box<str>>) -> Over {
        let rule = self.judge.book.rule(index);
        let action = rule.action(self.judge.policy);
        if self.best.as_ref().is_none_or(|best| action > best.action) {
            self.best = Some(self.finding(view, index, words()));
        }
        action == Action::Block
    }

    /// Keeps the first label. The search goes on: a rule may still block.
    fn mark(&mut self, view: View, index: usize, words: Vec<Box<str>>) -> Over {
        if self.label.is_none() {
            self.label = Some(self.finding(view, index, words));
        }
        false
    }

    fn finding(&self, view: View, index: usize, words: Vec<Box<str>>) -> Finding {
        let rule = self.judge.book.rule(index);
        let action = rule.action(self.judge.policy);
        Finding { rule: rule.id.clone(), category: rule.category, action, view, words }
    }
}
