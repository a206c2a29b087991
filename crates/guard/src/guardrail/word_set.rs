//! Patterns over words, as two automata: one for ASCII texts, one for all.

use std::sync::LazyLock;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::anchored::{AnchoredSet, Starts};
use super::ascii::ascii_part;

/// Something that is made when it is first needed.
pub(super) type Later<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

/// Many patterns over words, each with an owner: a rule, or a sign.
#[derive(Debug)]
pub(super) struct WordSet {
    /// What can match ASCII, if there is any.
    ascii: Option<AnchoredSet>,
    /// Everything; compiled when the first text comes that is in need of it.
    all: Later<Option<AnchoredSet>>,
    /// The owner of each pattern.
    owners: Vec<usize>,
}

impl WordSet {
    pub(super) fn new(patterns: Vec<(usize, String)>, starts: Starts) -> Result<Self, Box<str>> {
        let (owners, patterns): (Vec<usize>, Vec<String>) = patterns.into_iter().unzip();
        let ascii = ascii_parts(&patterns)?;
        let any_ascii = ascii.iter().any(|part| *part != Hir::fail());
        Ok(Self {
            ascii: any_ascii.then(|| AnchoredSet::new(&ascii, starts)).transpose()?,
            // Kept as text: most servers never need it, and text is the smaller form.
            all: LazyLock::new(Box::new(move || {
                let all: Vec<Hir> =
                    patterns.iter().map(|pattern| parse(pattern).ok()).collect::<Option<_>>()?;
                AnchoredSet::new(&all, starts).ok()
            })),
            owners,
        })
    }

    /// Calls `found` with the owner of each pattern that matches and where the
    /// match was seen, until it returns true; returns whether it did.
    pub(super) fn each_match(
        &self,
        text: &str,
        mut found: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let found = |pattern: usize, at| found(self.owners[pattern], at);
        if self.owners.is_empty() {
            return false;
        }
        let set = if text.is_ascii() { self.ascii.as_ref() } else { self.all.as_ref() };
        set.is_some_and(|set| set.each_match(text, found))
    }

    #[cfg(test)]
    pub(super) fn compiles(&self) -> bool {
        self.all.is_some()
    }
}

/// A pattern without an ASCII part keeps its place, and matches nothing.
fn ascii_parts(patterns: &[String]) -> Result<Vec<Hir>, Box<str>> {
    let part = |pattern| Ok(ascii_part(&parse(pattern)?).unwrap_or_else(Hir::fail));
    patterns.iter().map(|pattern| part(pattern)).collect()
}

fn parse(pattern: &str) -> Result<Hir, Box<str>> {
    let parsed = ParserBuilder::new().utf8(false).build().parse(pattern);
    parsed.map_err(|error| error.to_string().into_boxed_str())
}
