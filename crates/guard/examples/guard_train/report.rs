//! Figures: what is caught and who is disturbed, by source, and the threshold that follows.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::corpus::Text;

/// A text and what the guardrail says of it, without the table in question and with it.
pub(crate) struct Judged<'t> {
    pub(crate) text: &'t Text,
    pub(crate) without: bool,
    pub(crate) with: bool,
}

/// An innocent text and its score by a model that has not seen its source.
#[derive(Clone)]
pub(crate) struct Innocent<'t> {
    pub(crate) source: &'t str,
    pub(crate) score: f32,
    /// Whether it is stopped without the table.
    pub(crate) without: bool,
}

/// How many innocent texts may be stopped by all stages together, of all and of any source. Where
/// more are stopped without the table, it may add none.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) whole: f64,
    pub(crate) worst: f64,
    /// A source with fewer rows says nothing about a share.
    pub(crate) rows: usize,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    rows: usize,
    without: usize,
    with: usize,
}

impl Counts {
    fn add(&mut self, without: bool, with: bool) {
        self.rows += 1;
        self.without += usize::from(without);
        self.with += usize::from(without || with);
    }

    fn within(self, bound: f64) -> bool {
        self.with == self.without || share((self.with, self.rows)) <= bound
    }
}

/// The lowest threshold with which no more innocent texts are stopped than allowed.
pub(crate) fn threshold(innocent: &[Innocent<'_>], bounds: Bounds) -> f32 {
    let passing = innocent.iter().filter(|text| !text.without);
    let mut candidates: Vec<f32> = passing.map(|text| text.score).collect();
    candidates.sort_by(f32::total_cmp);
    candidates.dedup();
    let fits = |threshold: f32| {
        let (mut whole, mut sources) = (Counts::default(), BTreeMap::<&str, Counts>::new());
        for text in innocent {
            let with = text.score >= threshold;
            whole.add(text.without, with);
            sources.entry(text.source).or_default().add(text.without, with);
        }
        whole.within(bounds.whole)
            && sources.values().filter(|s| s.rows >= bounds.rows).all(|s| s.within(bounds.worst))
    };
    let fitting = candidates.partition_point(|score| !fits(*score));
    let above = candidates.get(fitting).copied();
    above.or(candidates.last().map(|last| last + 0.01)).unwrap_or_default()
}

/// What is caught and stopped: whole, the mean of sources, and by source.
pub(crate) fn figures(judged: &[Judged<'_>]) -> Value {
    let mut sources = BTreeMap::<(bool, &str), Counts>::new();
    for Judged { text, without, with } in judged {
        sources.entry((text.attack, &text.source)).or_default().add(*without, *with);
    }
    let of = |attack: bool| {
        let of_label = || sources.iter().filter(move |((label, _), _)| *label == attack);
        let sum =
            |of: fn(&Counts) -> usize| of_label().map(|(_, counts)| of(counts)).sum::<usize>();
        let large: Vec<_> = of_label().filter(|(_, counts)| counts.rows > 10).collect();
        let mean = |of: fn(&Counts) -> usize| {
            let shares = large.iter().map(|(_, counts)| share((of(counts), counts.rows)));
            percent(shares.sum::<f64>() / large.len().max(1) as f64)
        };
        let by_source: BTreeMap<&str, Value> = of_label()
            .map(|((_, source), Counts { rows, without, with })| {
                (*source, json!({"rows": rows, "without the table": without, "with it": with}))
            })
            .collect();
        let rows = sum(|counts| counts.rows);
        json!({
            "rows": rows,
            "without the table": percent(share((sum(|counts| counts.without), rows))),
            "with it": percent(share((sum(|counts| counts.with), rows))),
            "mean of sources": {
                "without the table": mean(|counts| counts.without),
                "with it": mean(|counts| counts.with),
            },
            "by source": by_source,
        })
    };
    json!({"attacks caught": of(true), "innocent stopped": of(false)})
}

fn share((part, whole): (usize, usize)) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn percent(share: f64) -> f64 {
    (share * 10_000.0).round() / 100.0
}
