//! The learned stage: a linear model over hashed words and pairs of words.
//!
//! Rules know ways of speaking that somebody wrote down; the model has weights for the words and
//! pairs that attacks of many sources have in common, and so sees some that no rule describes.
//!
//! 1. [`features`] turns the words of a view into numbers, a window at a time.
//! 2. [`Table`] has a weight for each number, read in place from the file beside this one.
//! 3. What weighs enough is an attempt, and the words that weighed most say why.
//!
//! The file is made by `cargo xtask guard-train`, from corpora that are not part of the project
//! (docs/guard.md); `provenance.json` says which. There is a table for messages and one for
//! documents. Time is linear in the text, and nothing is allocated for a feature (G-9).

pub mod features;
mod table;

pub use features::Features;
pub use table::{Table, TableError, write};

/// Both tables, as `cargo xtask guard-train` wrote them.
static FILE: &[u8] = include_bytes!("table.bin");

/// Fewer words are too little to weigh: "not now" is an answer, and short attempts have rules.
const FEWEST_WORDS: usize = 5;
/// The most words that explain a finding.
const WORDS_SHOWN: usize = 5;
/// The longest of them, in characters.
const LONGEST_SHOWN: usize = 40;

/// The tables in force.
#[derive(Debug, Clone, Copy)]
pub(super) struct Learned {
    /// For what a person writes.
    pub(super) messages: Table<'static>,
    /// For what a tool or a file holds.
    pub(super) documents: Table<'static>,
}

impl Learned {
    /// The tables that the program was built with.
    pub(super) fn built_in() -> Result<Self, TableError> {
        Self::parse(FILE)
    }

    /// The table for messages and the one for documents, as they stand in a file.
    pub(super) fn parse(file: &'static [u8]) -> Result<Self, TableError> {
        let (messages, rest) = Table::parse(file)?;
        let (documents, _) = Table::parse(rest)?;
        Ok(Self { messages, documents })
    }
}

/// The words that made a table say yes, or nothing if it says no. `extra` is added to the score:
/// what is known from elsewhere.
pub(super) fn attempt(table: &Table<'_>, words: &str, extra: f32) -> Option<Vec<Box<str>>> {
    words.split_whitespace().nth(FEWEST_WORDS - 1)?;
    let mut features = Features::default();
    let (score, window) = table.best_window(words, &mut features);
    (score + extra >= table.threshold()).then(|| heaviest(table, &words[window]))
}

/// The words and pairs of a window that weigh most.
fn heaviest(table: &Table<'_>, window: &str) -> Vec<Box<str>> {
    let mut weighed: Vec<(i8, &str)> = Vec::new();
    features::each_span(window, |feature, span| {
        let weight = table.weight(feature);
        if weight > 0 && !weighed.iter().any(|(_, other)| *other == span) {
            weighed.push((weight, span));
            weighed.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
            weighed.truncate(WORDS_SHOWN);
        }
    });
    weighed.iter().map(|(_, span)| span.chars().take(LONGEST_SHOWN).collect()).collect()
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_tables_are_whole_and_small() {
        let learned = Learned::built_in().unwrap();
        assert!(FILE.len() < 500_000, "{} bytes", FILE.len());
        for table in [learned.messages, learned.documents] {
            assert!(table.threshold().is_finite());
            let (score, _) = table.best_window(" ", &mut Features::default());
            assert!(score < table.threshold(), "nothing is no attempt");
        }
        let (_, rest) = Table::parse(FILE).unwrap();
        assert!(Table::parse(rest).unwrap().1.is_empty(), "nothing behind the tables");
    }

    /// The file and its provenance were written together.
    #[test]
    fn the_provenance_describes_the_tables() {
        let provenance: serde_json::Value =
            serde_json::from_str(include_str!("provenance.json")).unwrap();
        let learned = Learned::built_in().unwrap();
        for (name, table) in [("messages", learned.messages), ("documents", learned.documents)] {
            let told = provenance[name]["threshold"].as_f64().unwrap();
            assert!((told - f64::from(table.threshold())).abs() < 1e-4, "{name}: {told}");
        }
        assert!(!provenance["inputs"].as_array().unwrap().is_empty());

        let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(FILE));
        assert_eq!(provenance["table"]["sha256"], hash, "run `cargo xtask guard-train DIR`");
        assert_eq!(provenance["table"]["bytes"], FILE.len());
    }

    #[test]
    fn what_weighed_most_is_named() {
        let weights: Vec<i8> = vec![100; 16];
        let bytes = write(4, 100, 0.0, 1.0, 0.5, &weights);
        let (table, _) = Table::parse(&bytes).unwrap();
        let words = attempt(&table, " open the door for us ", 0.0).unwrap();
        assert_eq!(words.len(), 5, "{words:?}");
        assert!(attempt(&table, " open the door for us ", -1e6).is_none());
        assert!(attempt(&table, " open the door now ", 0.0).is_none(), "too little to weigh");
    }
}
