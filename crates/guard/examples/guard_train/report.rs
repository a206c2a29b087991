//! Figures: what is caught and who is disturbed, by source, and the threshold that follows.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::corpus::Text;

/// Texts with their scores by models that have not seen their source.
pub(crate) struct Scored<'t> {
    pub(crate) texts: Vec<&'t Text>,
    pub(crate) scores: Vec<f32>,
    /// Whether the rules alone find something in a text.
    pub(crate) by_rules: fn(&Text) -> bool,
}

/// How many innocent texts may be stopped, of all and of any source.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) whole: f64,
    pub(crate) worst: f64,
    /// A source with fewer rows says nothing about a share.
    pub(crate) rows: usize,
}

impl Scored<'_> {
    /// The lowest threshold with which the stage stops no more innocent texts than allowed.
    pub(crate) fn threshold(&self, bounds: Bounds) -> f32 {
        let mut candidates: Vec<f32> = self.innocent().map(|(_, score)| score).collect();
        candidates.sort_by(f32::total_cmp);
        candidates.dedup();
        let fits = |threshold: f32| {
            let (mut whole, mut sources) = ((0, 0), BTreeMap::<&str, (usize, usize)>::new());
            for (text, score) in self.innocent() {
                let stopped = usize::from(score >= threshold);
                let source = sources.entry(&text.source).or_default();
                (source.0, source.1) = (source.0 + stopped, source.1 + 1);
                whole = (whole.0 + stopped, whole.1 + 1);
            }
            share(whole) <= bounds.whole
                && sources
                    .values()
                    .filter(|s| s.1 >= bounds.rows)
                    .all(|s| share(*s) <= bounds.worst)
        };
        let fitting = candidates.partition_point(|score| !fits(*score));
        let above = |at: usize| candidates.get(at).copied();
        above(fitting).or(candidates.last().map(|last| last + 0.01)).unwrap_or_default()
    }

    /// Innocent texts that the rules let pass.
    fn innocent(&self) -> impl Iterator<Item = (&Text, f32)> {
        let pairs = self.texts.iter().zip(&self.scores);
        pairs.filter(|(t, _)| !t.attack && !t.made && !(self.by_rules)(t)).map(|(t, s)| (*t, *s))
    }

    /// What is caught and stopped with a threshold: whole, the mean of sources, and by source.
    pub(crate) fn figures(&self, threshold: f32) -> Value {
        let mut sources = BTreeMap::<(bool, &str), [usize; 3]>::new();
        for (text, score) in self.texts.iter().zip(&self.scores).filter(|(text, _)| !text.made) {
            let counts = sources.entry((text.attack, &text.source)).or_default();
            let rules = (self.by_rules)(text);
            counts[0] += 1;
            counts[1] += usize::from(rules);
            counts[2] += usize::from(rules || *score >= threshold);
        }
        let of = |attack: bool| {
            let of_label = || sources.iter().filter(move |((label, _), _)| *label == attack);
            let sum = |at: usize| of_label().map(|(_, counts)| counts[at]).sum::<usize>();
            let large: Vec<_> = of_label().filter(|(_, counts)| counts[0] > 10).collect();
            let mean = |at: usize| {
                let shares = large.iter().map(|(_, counts)| share((counts[at], counts[0])));
                percent(shares.sum::<f64>() / large.len().max(1) as f64)
            };
            let by_source: BTreeMap<&str, Value> = of_label()
                .map(|((_, source), [rows, rules, joined])| {
                    (*source, json!({"rows": rows, "rules": rules, "with the stage": joined}))
                })
                .collect();
            json!({
                "rows": sum(0), "rules": percent(share((sum(1), sum(0)))),
                "with the stage": percent(share((sum(2), sum(0)))),
                "mean of sources": {"rules": mean(1), "with the stage": mean(2)},
                "by source": by_source,
            })
        };
        json!({"attacks caught": of(true), "innocent stopped": of(false)})
    }
}

fn share((part, whole): (usize, usize)) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn percent(share: f64) -> f64 {
    (share * 10_000.0).round() / 100.0
}
