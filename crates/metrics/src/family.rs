//! Counts by labels that come up while the server runs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many combinations of labels are counted apart. Whatever comes up later is one more: a name
/// that somebody else chooses must not grow the memory.
const MOST: usize = 200;
/// The value of every label of those.
const OTHER: &str = "other";

/// Counts by `N` labels.
#[derive(Debug)]
pub struct Family<const N: usize> {
    counts: Mutex<BTreeMap<[String; N], u64>>,
}

impl<const N: usize> Default for Family<N> {
    fn default() -> Self {
        Self { counts: Mutex::default() }
    }
}

impl<const N: usize> Family<N> {
    /// Counts one.
    pub fn add(&self, labels: [&str; N]) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = labels.map(str::to_owned);
        if counts.len() >= MOST && !counts.contains_key(&key) {
            key = [OTHER; N].map(str::to_owned);
        }
        *counts.entry(key).or_default() += 1;
    }

    /// All that was counted, in the order of the labels.
    pub fn counts(&self) -> BTreeMap<[String; N], u64> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-3: labels that others choose are bounded, and nothing is left uncounted.
    #[test]
    fn the_number_of_labels_is_bounded() {
        let family = Family::<1>::default();
        for n in 0..1_000 {
            family.add([&n.to_string()]);
        }
        family.add(["0"]);
        let counts = family.counts();
        assert_eq!(counts.len(), MOST + 1);
        assert_eq!(counts.values().sum::<u64>(), 1_001);
        assert_eq!(counts[&["0".to_owned()]], 2);
        assert_eq!(counts[&["other".to_owned()]], 800);
    }
}
