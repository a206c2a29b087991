//! An index of words: how each engine finds rows by words, for statements that stand once.
//!
//! An index `x` is made by migrations: the entries (`x_entries`: `id`, `at`, and what its crate adds) and,
//! on SQLite, their words in a table of FTS5 (`x_words`), by the number of the entry; on PostgreSQL the
//! words are a column of the entries. An entry is of a kind, and only those of one are searched: that
//! is its first word on SQLite, and a column on PostgreSQL. Words and kinds are letters and digits only,
//! and nothing in them is syntax to either engine.

use crate::database::{Database, Engine};

/// A part of what is searched for. A row must have all parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// One after the other, one at least. Letters and digits only.
    pub words: Vec<String>,
    /// Whether the last is only the beginning of a word.
    pub begins: bool,
}

/// What a statement over an index of words is made of.
#[derive(Debug, Clone, Copy)]
pub struct FullText(Dialect);

#[derive(Debug, Clone, Copy)]
enum Dialect {
    Fts5,
    TsVector,
}

impl Database {
    /// How this engine finds rows by words.
    pub fn full_text(&self) -> FullText {
        FullText(match &self.0 {
            Engine::Sqlite(_) => Dialect::Fts5,
            Engine::Postgres(_) => Dialect::TsVector,
        })
    }
}

impl FullText {
    /// The entries `e` of an index, for after `FROM`.
    pub fn entries(self, index: &str) -> String {
        match self.0 {
            Dialect::Fts5 => {
                format!("{index}_words w JOIN {index}_entries e ON e.number = w.rowid")
            }
            Dialect::TsVector => format!("{index}_entries e"),
        }
    }

    /// The condition that an entry is of a kind and has the words of a value.
    pub fn matches(self, kind: &str, value: &str) -> String {
        match self.0 {
            Dialect::Fts5 => format!("w.words MATCH ({kind} || ' AND ' || {value})"),
            Dialect::TsVector => {
                format!("e.kind = {kind} AND e.words @@ CAST({value} AS TSQUERY)")
            }
        }
    }

    /// The condition that an entry of an index comes after another one, newest first; the values are
    /// time and id of the other.
    pub fn is_before(self, index: &str, at: &str, id: &str) -> String {
        match self.0 {
            Dialect::Fts5 => format!(
                "w.rowid < COALESCE((SELECT o.number FROM {index}_entries o WHERE o.id = {id}),
                 {at} * 2097152)"
            ),
            Dialect::TsVector => format!("(e.at, e.id) < ({at}, {id})"),
        }
    }

    /// The order: newest first. No entry needs to be sorted.
    pub fn newest_first(self) -> &'static str {
        match self.0 {
            Dialect::Fts5 => "w.rowid DESC",
            Dialect::TsVector => "e.at DESC, e.id DESC",
        }
    }

    /// The value that [`Self::matches`] takes.
    pub fn value(self, parts: &[Words]) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.part(part)).collect();
        match self.0 {
            Dialect::Fts5 => parts.join(" AND "),
            Dialect::TsVector => parts.join(" & "),
        }
    }

    fn part(self, Words { words, begins }: &Words) -> String {
        match self.0 {
            Dialect::Fts5 => format!("\"{}\"{}", words.join(" "), if *begins { " *" } else { "" }),
            Dialect::TsVector => {
                let last = words.len().saturating_sub(1);
                let words: Vec<String> = (0..)
                    .zip(words)
                    .map(|(at, word)| {
                        format!("'{word}'{}", if *begins && at == last { ":*" } else { "" })
                    })
                    .collect();
                format!("({})", words.join(" <-> "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-8: the same parts, as each engine reads them.
    #[test]
    fn parts_are_written_for_either_engine() {
        let part = |words: &[&str], begins| Words {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            begins,
        };
        let parts = [part(&["cold", "soup"], false), part(&["tom"], true)];
        assert_eq!(FullText(Dialect::Fts5).value(&parts), "\"cold soup\" AND \"tom\" *");
        let value = FullText(Dialect::TsVector).value(&parts);
        assert_eq!(value, "('cold' <-> 'soup') & ('tom':*)");
    }
}
