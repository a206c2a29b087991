//! The weights of a model, read in place from a file.
//!
//! Little-endian: the letters `PGW1`, the number of bits of a feature, three bytes of zero, the
//! words of a window, the bias, the scale and the threshold as 32-bit numbers, then a signed byte
//! for each feature.

use std::ops::Range;

use super::features::{self, Features};

const MAGIC: &[u8; 4] = b"PGW1";
const HEADER: usize = 24;
/// A table larger than this is not ours.
const MOST_BITS: u8 = 20;

/// A weight for each feature, and what a score means.
#[derive(Debug, Clone, Copy)]
pub struct Table<'t> {
    weights: &'t [u8],
    bits: u8,
    window: usize,
    bias: f32,
    scale: f32,
    threshold: f32,
}

/// A table that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the table of the learned stage is damaged; make it again with `cargo xtask guard-train`")]
pub struct TableError;

impl<'t> Table<'t> {
    /// Reads the first table of a file, and gives what stands behind it.
    pub fn parse(file: &'t [u8]) -> Result<(Self, &'t [u8]), TableError> {
        let (header, rest) = file.split_at_checked(HEADER).ok_or(TableError)?;
        let number = |at: usize| {
            let bytes = header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_le_bytes).ok_or(TableError)
        };
        let bits = header[4];
        if &header[..4] != MAGIC || !(1..=MOST_BITS).contains(&bits) {
            return Err(TableError);
        }
        let (weights, rest) = rest.split_at_checked(1 << bits).ok_or(TableError)?;
        let table = Self {
            weights,
            bits,
            window: usize::try_from(number(8)?).map_err(|_| TableError)?,
            bias: f32::from_bits(number(12)?),
            scale: f32::from_bits(number(16)?),
            threshold: f32::from_bits(number(20)?),
        };
        if table.window < 2
            || ![table.bias, table.scale, table.threshold].iter().all(|n| n.is_finite())
        {
            return Err(TableError);
        }
        Ok((table, rest))
    }

    /// The score from which on a text is an attempt.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// The words of a window.
    pub fn window(&self) -> usize {
        self.window
    }

    /// What a feature weighs.
    pub fn weight(&self, feature: u32) -> i8 {
        self.weights[(feature >> (32 - self.bits)) as usize].cast_signed()
    }

    /// The highest score of a window of these words, and where it stands.
    pub fn best_window(&self, words: &str, features: &mut Features) -> (f32, Range<usize>) {
        let mut best = (self.bias, 0..0);
        features::each_window(words, self.window, |window| {
            let score = self.score(features.of(&words[window.clone()]));
            if score > best.0 || best.1.is_empty() {
                best = (score, window);
            }
        });
        best
    }

    fn score(&self, features: &[u32]) -> f32 {
        let sum: i32 = features.iter().map(|feature| i32::from(self.weight(*feature))).sum();
        self.bias + self.scale * sum as f32 / (features.len().max(1) as f32).sqrt()
    }
}

/// A table as it stands in a file.
pub fn write(
    bits: u8,
    window: u32,
    bias: f32,
    scale: f32,
    threshold: f32,
    weights: &[i8],
) -> Vec<u8> {
    let mut file = Vec::with_capacity(HEADER + weights.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[bits, 0, 0, 0]);
    file.extend_from_slice(&window.to_le_bytes());
    for number in [bias, scale, threshold] {
        file.extend_from_slice(&number.to_le_bytes());
    }
    file.extend(weights.iter().map(|weight| weight.cast_unsigned()));
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_table_is_refused() {
        let good = write(4, 10, -1.0, 0.1, 0.5, &[1; 16]);
        assert!(Table::parse(&good).is_ok());
        for at in [0, 4, 8] {
            let mut bad = good.clone();
            bad[at] = 0;
            assert_eq!(Table::parse(&bad).err(), Some(TableError), "byte {at}");
        }
        assert!(Table::parse(&good[..good.len() - 1]).is_err(), "cut off");
        assert!(Table::parse(&write(4, 10, f32::NAN, 0.1, 0.5, &[1; 16])).is_err());
    }

    #[test]
    fn the_score_is_that_of_the_best_window() {
        let file = write(4, 4, -1.0, 0.5, 0.5, &[2; 16]);
        let (table, _) = Table::parse(&file).unwrap();
        let features = &mut Features::default();
        let (score, window) = table.best_window(" a ", features);
        assert!((score - 0.0).abs() < 1e-6, "{score}");
        assert_eq!(window, 0..2);
        assert!((table.best_window(" ", features).0 + 1.0).abs() < 1e-6);
    }
}
