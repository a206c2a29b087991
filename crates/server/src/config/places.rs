//! Where a configuration file sets what it sets: the line of each key.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The lines of the keys of a file.
#[derive(Debug, Default)]
pub(super) struct Places {
    file: String,
    lines: BTreeMap<Vec<String>, usize>,
}

impl Places {
    /// Those of a file with this text. One that cannot be parsed has none.
    pub(super) fn of_file(file: String, text: &str) -> Self {
        let mut places = Self { file, lines: BTreeMap::new() };
        if let Ok(table) = DeTable::parse(text) {
            let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
            let line =
                |span: Range<usize>| starts.partition_point(|start| *start <= span.start) + 1;
            places.add(&mut Vec::new(), table.get_ref(), &line);
        }
        places
    }

    fn add(
        &mut self,
        path: &mut Vec<String>,
        table: &DeTable<'_>,
        line: &dyn Fn(Range<usize>) -> usize,
    ) {
        for (key, value) in table {
            path.push(key.get_ref().to_string());
            self.lines.insert(path.clone(), line(key.span()));
            if let DeValue::Table(table) = Spanned::get_ref(value) {
                self.add(path, table, line);
            }
            path.pop();
        }
    }

    /// Where a value is set: `parlor.toml:12`.
    pub(super) fn of(&self, path: &[String]) -> Option<String> {
        self.lines.get(path).map(|line| format!("{}:{line}", self.file))
    }

    /// Where a key is set, or what is around it; the file, if nothing is.
    pub(super) fn around(&self, path: &[String]) -> String {
        let known = (1..=path.len()).rev().find_map(|length| self.of(path.get(..length)?));
        known.unwrap_or_else(|| self.file.clone())
    }
}
