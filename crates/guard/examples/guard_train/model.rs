//! From texts to a table: windows and weights.

use std::collections::{BTreeMap, BTreeSet};

use parlor_guard::guardrail::learned::{Features, Table, features, write};

use crate::corpus::{INNOCENT_SOURCE, Text, group};
use crate::solver::{self, Model, Vector};

/// How a model is trained.
#[derive(Clone, Copy)]
pub(crate) struct Recipe {
    pub(crate) name: &'static str,
    pub(crate) bits: u8,
    pub(crate) window: u32,
    /// What an error costs.
    pub(crate) cost: f64,
    /// Of so many groups of sources, attacks or innocent, a feature must be: what only one source
    /// says is its style.
    pub(crate) sources: usize,
}

/// A source weighs as much as one with so many rows, however large it is.
const ROWS_OF_A_SOURCE: f64 = 300.0;
/// An innocent sentence of ours weighs so much: each stands for many.
const INNOCENT_COST: f64 = 3.0;

/// The windows of texts.
pub(crate) struct Windows {
    vectors: Vec<Vector>,
    /// The text of each.
    texts: Vec<usize>,
}

impl Windows {
    pub(crate) fn of(texts: &[Text], recipe: Recipe) -> Self {
        let mut rows = BTreeMap::<&str, f64>::new();
        texts.iter().for_each(|text| *rows.entry(&text.source).or_default() += 1.0);
        let mut all = Self { vectors: Vec::new(), texts: Vec::new() };
        let mut memory = Features::default();
        for (index, text) in texts.iter().enumerate() {
            let mut parts = Vec::new();
            features::each_window(&text.words, recipe.window as usize, |window| {
                parts.push(vector(memory.of(&text.words[window]), recipe.bits));
            });
            let share = match &*text.source {
                INNOCENT_SOURCE => INNOCENT_COST,
                source => ROWS_OF_A_SOURCE / rows[source].max(ROWS_OF_A_SOURCE),
            };
            let cost = recipe.cost * share / (parts.len() as f64).sqrt();
            for parts in parts {
                all.vectors.push(Vector { parts, attack: text.attack, cost });
                all.texts.push(index);
            }
        }
        all
    }

    /// Trains on the windows of the texts that `is_used` names. A long attack is only in part one:
    /// the second time, its best window stands for it.
    pub(crate) fn train(
        &self,
        texts: &[Text],
        recipe: Recipe,
        is_used: &dyn Fn(&Text) -> bool,
    ) -> Vec<u8> {
        let used: Vec<usize> =
            (0..self.vectors.len()).filter(|i| is_used(&texts[self.texts[*i]])).collect();
        let kept = self.kept(texts, recipe, &used);
        let all: Vec<&Vector> = used.iter().map(|i| &self.vectors[*i]).collect();
        let first = solver::train(&all, &kept);
        let best = self.best_windows(&used, &first, &kept);
        let chosen: Vec<&Vector> = used
            .iter()
            .filter(|i| !self.vectors[**i].attack || best[&self.texts[**i]].1 == **i)
            .map(|i| &self.vectors[*i])
            .collect();
        quantised(&solver::train(&chosen, &kept), recipe)
    }

    /// Which places of the table may have a weight.
    fn kept(&self, texts: &[Text], recipe: Recipe, used: &[usize]) -> Vec<bool> {
        let mut seen = BTreeSet::<(u32, bool, &str)>::new();
        for &index in used {
            let (vector, text) = (&self.vectors[index], &texts[self.texts[index]]);
            let group = group(&text.source);
            seen.extend(vector.parts.iter().map(|(place, _)| (*place, vector.attack, group)));
        }
        let mut counts = vec![[0_usize; 2]; 1 << recipe.bits];
        seen.iter()
            .for_each(|(place, attack, _)| counts[*place as usize][usize::from(*attack)] += 1);
        counts.iter().map(|counts| counts.iter().any(|count| *count >= recipe.sources)).collect()
    }

    fn best_windows(
        &self,
        used: &[usize],
        model: &Model,
        kept: &[bool],
    ) -> BTreeMap<usize, (f64, usize)> {
        let mut best = BTreeMap::<usize, (f64, usize)>::new();
        for &index in used.iter().filter(|index| self.vectors[**index].attack) {
            let margin = model.margin(&self.vectors[index], kept);
            let entry = best.entry(self.texts[index]).or_insert((margin, index));
            if margin > entry.0 {
                *entry = (margin, index);
            }
        }
        best
    }
}

/// The score of each text: that of the view that weighs most.
pub(crate) fn scores<'t>(file: &[u8], texts: impl Iterator<Item = &'t Text>) -> Vec<f32> {
    let mut memory = Features::default();
    let Ok((table, _)) = Table::parse(file) else { return Vec::new() };
    let mut of_view = |words: &String| table.best_window(words, &mut memory).0;
    texts
        .map(|text| text.views.iter().map(&mut of_view).fold(f32::NEG_INFINITY, f32::max))
        .collect()
}

/// The features of a window as places of a table; two that share a place are added.
fn vector(features: &[u32], bits: u8) -> Vec<(u32, f32)> {
    let value = 1.0 / (features.len().max(1) as f32).sqrt();
    let mut parts: Vec<(u32, f32)> = Vec::with_capacity(features.len());
    for place in features.iter().map(|feature| feature >> (32 - bits)) {
        match parts.last_mut() {
            Some((last, sum)) if *last == place => *sum += value,
            _ => parts.push((place, value)),
        }
    }
    parts
}

/// Weights as signed bytes. The threshold is set later.
fn quantised(model: &Model, recipe: Recipe) -> Vec<u8> {
    let largest = model.weights.iter().fold(1e-9_f64, |largest, w| largest.max(w.abs()));
    let scale = largest / 127.0;
    let weights: Vec<i8> = model.weights.iter().map(|w| (w / scale).round() as i8).collect();
    write(recipe.bits, recipe.window, model.bias as f32, scale as f32, 0.0, &weights)
}

/// The same table with a threshold.
pub(crate) fn with_threshold(mut file: Vec<u8>, threshold: f32) -> Vec<u8> {
    file[20..24].copy_from_slice(&threshold.to_le_bytes());
    file
}

/// A table that finds nothing, for what is not measured.
pub(crate) fn blank() -> Vec<u8> {
    write(1, 2, -1.0, 1.0, f32::MAX, &[0; 2])
}
