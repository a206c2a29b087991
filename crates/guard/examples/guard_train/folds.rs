//! Holding out whole sources: what the guardrail does about sources that its tables have not seen.
//!
//! Each fold is judged by the whole guardrail, rules and stages, with a table and a threshold that
//! were made without the fold: so a figure says what happens to somebody else's texts. The
//! threshold of a fold comes from the files for measuring, and from the other folds, each by a
//! table that has seen neither.

use std::collections::BTreeMap;
use std::io::Error;

use crate::corpus::{self, INNOCENT_SOURCE, Text, group};
use crate::model::{self, Recipe, Windows};
use crate::report::{Bounds, Innocent, Judged, threshold};

/// In so many parts sources are divided, each of which is held out once.
pub(crate) const FOLDS: usize = 6;

/// What the whole guardrail, with this table, finds something in.
type Judge = fn(Vec<u8>, &[&Text]) -> Result<Vec<bool>, Error>;

/// A table that is to be made, and what is asked of it.
pub(crate) struct Task<'t> {
    pub(crate) recipe: Recipe,
    pub(crate) texts: &'t [Text],
    pub(crate) measuring: &'t [Text],
    /// What is counted: some texts only train.
    pub(crate) is_counted: fn(&Text) -> bool,
    /// Whether the guardrail finds something without the table.
    pub(crate) without: fn(&Text) -> bool,
    /// Bounds on the files for measuring, and on sources that were held out.
    pub(crate) measured: Bounds,
    pub(crate) unseen: Bounds,
    /// How the whole guardrail judges a text, with this table among its own.
    pub(crate) judge: Judge,
}

/// What came of it.
pub(crate) struct Made<'t> {
    pub(crate) table: Vec<u8>,
    pub(crate) threshold: f32,
    /// What each fold was judged with.
    pub(crate) thresholds: Vec<f32>,
    pub(crate) unseen: Vec<Judged<'t>>,
    pub(crate) measured: Vec<Judged<'t>>,
}

impl<'t> Task<'t> {
    pub(crate) fn run(&self) -> Result<Made<'t>, Error> {
        let windows = Windows::of(self.texts, self.recipe);
        let folds = folds(self.texts);
        let fold_of = |text: &Text| folds.get(group(&text.source)).copied();
        let without = |held: &[usize]| {
            let is_used = |text: &Text| fold_of(text).is_none_or(|fold| !held.contains(&fold));
            windows.train(self.texts, self.recipe, &is_used)
        };
        let of_fold = |fold: usize| -> Vec<&'t Text> {
            self.counted().filter(|text| fold_of(text) == Some(fold)).collect()
        };

        let pairs = (0..FOLDS).flat_map(|a| (a + 1..FOLDS).map(move |b| (a, b)));
        let mut seen_by_neither = vec![Vec::new(); FOLDS];
        for (a, b) in pairs {
            let table = without(&[a, b]);
            seen_by_neither[a].extend(self.innocent(&table, &of_fold(b)));
            seen_by_neither[b].extend(self.innocent(&table, &of_fold(a)));
        }
        let (mut thresholds, mut unseen) = (Vec::new(), Vec::new());
        let mut all_unseen = Vec::new();
        for (fold, others) in seen_by_neither.iter().enumerate() {
            let (table, texts) = (without(&[fold]), of_fold(fold));
            let chosen = self.threshold(&table, others);
            all_unseen.extend(self.innocent(&table, &texts));
            unseen.extend(self.judged(model::with_threshold(table, chosen), texts)?);
            thresholds.push(chosen);
        }
        let table = without(&[]);
        let chosen = self.threshold(&table, &all_unseen);
        let table = model::with_threshold(table, chosen);
        let measured = self.judged(table.clone(), self.measured_texts())?;
        Ok(Made { table, threshold: chosen, thresholds, unseen, measured })
    }

    /// The lowest threshold that both bounds allow.
    fn threshold(&self, table: &[u8], unseen: &[Innocent<'t>]) -> f32 {
        let measured = self.innocent(table, &self.measured_texts());
        threshold(&measured, self.measured).max(threshold(unseen, self.unseen))
    }

    fn counted(&self) -> impl Iterator<Item = &'t Text> {
        self.texts.iter().filter(|text| !text.made && (self.is_counted)(text))
    }

    fn measured_texts(&self) -> Vec<&'t Text> {
        self.measuring.iter().filter(|text| (self.is_counted)(text)).collect()
    }

    fn innocent(&self, table: &[u8], texts: &[&'t Text]) -> Vec<Innocent<'t>> {
        let innocent: Vec<&'t Text> = texts.iter().filter(|text| !text.attack).copied().collect();
        let scores = model::scores(table, innocent.iter().copied());
        let pairs = innocent.into_iter().zip(scores);
        pairs
            .map(|(text, score)| {
                let without = (self.without)(text);
                Innocent { source: &text.source, score, without }
            })
            .collect()
    }

    pub(crate) fn judged(
        &self,
        table: Vec<u8>,
        texts: Vec<&'t Text>,
    ) -> Result<Vec<Judged<'t>>, Error> {
        let found = (self.judge)(table, &texts)?;
        let pairs = texts.into_iter().zip(found);
        Ok(pairs.map(|(text, with)| Judged { text, without: (self.without)(text), with }).collect())
    }
}

/// How the guardrail judges messages with a table for messages.
pub(crate) fn as_messages(table: Vec<u8>, texts: &[&Text]) -> Result<Vec<bool>, Error> {
    let guardrail = corpus::guardrail(&[], Some(leaked([table, model::blank()].concat())))?;
    Ok(texts.iter().map(|text| guardrail.check(&text.raw).is_err()).collect())
}

/// How the guardrail judges documents with a table for documents.
pub(crate) fn as_documents(table: Vec<u8>, texts: &[&Text]) -> Result<Vec<bool>, Error> {
    let guardrail = corpus::guardrail(&[], Some(leaked([model::blank(), table].concat())))?;
    Ok(texts.iter().map(|text| guardrail.check_document(&text.raw).1.is_some()).collect())
}

/// A guardrail keeps its tables for as long as the program runs; there are a dozen.
fn leaked(tables: Vec<u8>) -> &'static [u8] {
    Box::leak(tables.into_boxed_slice())
}

/// Divides the groups of sources: the largest attacks into different folds, then the rest. The
/// project's own sentences are never held out.
fn folds(texts: &[Text]) -> BTreeMap<&str, usize> {
    let mut folds = BTreeMap::new();
    for attack in [true, false] {
        let mut sizes = BTreeMap::<&str, usize>::new();
        for text in texts.iter().filter(|text| text.attack == attack && !text.made) {
            *sizes.entry(group(&text.source)).or_default() += 1;
        }
        sizes.remove(INNOCENT_SOURCE);
        let mut groups: Vec<_> =
            sizes.into_iter().filter(|(group, _)| !folds.contains_key(group)).collect();
        groups.sort_by_key(|(group, size)| (std::cmp::Reverse(*size), *group));
        folds.extend(groups.iter().enumerate().map(|(index, (group, _))| (*group, index % FOLDS)));
    }
    folds
}
