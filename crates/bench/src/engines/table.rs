//! A table of figures: a line for each setup and round, then the middle of each setup's lines.

use std::time::Duration;

/// The width of the first column.
const SETUP: usize = 26;

/// Lines of figures under the same columns.
pub(super) struct Table {
    title: String,
    columns: &'static [&'static str],
    lines: Vec<(&'static str, Vec<Option<f64>>)>,
}

impl Table {
    pub(super) fn new(title: String, columns: &'static [&'static str]) -> Self {
        Self { title, columns, lines: Vec::new() }
    }

    /// Prints the names of the columns.
    pub(super) fn header(&self) {
        self.header_of(&self.title);
    }

    fn header_of(&self, title: &str) {
        let mut line = format!("\n{title:<SETUP$}");
        for column in self.columns {
            line.push_str(&format!(" {column:>width$}", width = width(column)));
        }
        println!("{line}");
    }

    /// Adds a line and prints it. A figure that a setup does not have is `None`.
    pub(super) fn line(&mut self, setup: &'static str, figures: Vec<Option<f64>>) {
        self.print(setup, &figures);
        self.lines.push((setup, figures));
    }

    /// Prints the middle of each figure of each setup.
    pub(super) fn middles(&self) {
        let rounds = self.lines.iter().filter(|(setup, _)| *setup == self.lines[0].0).count();
        if rounds < 2 {
            return;
        }
        self.header_of(&format!("{}, middle of {rounds}", self.title));
        for (setup, _) in &self.lines[..self.lines.len() / rounds] {
            let column = |column: &&'static str| middle(self.column(setup, column).collect());
            self.print(setup, &self.columns.iter().map(column).collect::<Vec<_>>());
        }
    }

    /// The figures of a setup in one column, round by round.
    pub(super) fn column(&self, setup: &str, column: &str) -> impl Iterator<Item = f64> {
        let at = self.columns.iter().position(|name| *name == column);
        let lines = self.lines.iter().filter(move |(name, _)| *name == setup);
        lines.filter_map(move |(_, figures)| figures[at?])
    }

    fn print(&self, setup: &str, figures: &[Option<f64>]) {
        let mut line = format!("{setup:<SETUP$}");
        for (column, figure) in self.columns.iter().zip(figures) {
            let figure = figure.map_or("-".to_owned(), short);
            line.push_str(&format!(" {figure:>width$}", width = width(column)));
        }
        println!("{line}");
    }
}

/// The middle of some figures.
pub(super) fn middle(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}

pub(super) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn width(column: &str) -> usize {
    column.chars().count().max(8)
}

/// Three digits, or all before the point.
fn short(figure: f64) -> String {
    match figure.abs() {
        size if size < 10.0 => format!("{figure:.2}"),
        size if size < 100.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}
