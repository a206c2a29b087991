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
    /// What can match ASCII.
    ascii: AnchoredSet,
    /// Everything; compiled when the first text comes that is in need of it.
    all: Later<Option<AnchoredSet>>,
    /// The owner of each pattern.
    owners: Vec<usize>,
}

impl WordSet {
    pub(super) fn new(patterns: Vec<(usize, String)>, starts: Starts) -> Result<Self, Box<str>> {
        let (owners, patterns): (Vec<usize>, Vec<String>) = patterns.into_iter().unzip();
        // A pattern without an ASCII part keeps its place, and matches nothing.
        let ascii = |pattern: &String| -> Result<Hir, Box<str>> {
            Ok(ascii_part(&parse(pattern)?).unwrap_or_else(Hir::fail))
        };
        let ascii: Vec<Hir> = patterns.iter().map(ascii).collect::<Result<_, _>>()?;
        Ok(Self {
            ascii: AnchoredSet::new(&ascii, starts)?,
            // Kept as text: most servers never need it, and text is the smaller form.
            all: LazyLock::new(Box::new(move || {
                let all: Vec<Hir> =
                    patterns.iter().map(|p| parse(p).ok()).collect::<Option<_>>()?;
                AnchoredSet::new(&all, starts).ok()
            })),
            owners,
        })
    }

    /// Calls `found` with the owner of each pattern that matches and where the
    /// match begins, from the front to the back, until it says that the search
    /// is over; says whether it did.
    pub(super) fn each_match(
        &self,
        text: &str,
        mut found: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let found = |pattern: usize, at| found(self.owners[pattern], at);
        if text.is_ascii() {
            self.ascii.each_match(text, found)
        } else {
            self.all.as_ref().is_some_and(|all| all.each_match(text, found))
        }
    }

    #[cfg(test)]
    pub(super) fn compiles(&self) -> bool {
        self.all.is_some()
    }
}

fn parse(pattern: &str) -> Result<Hir, Box<str>> {
    let parsed = ParserBuilder::new().utf8(false).build().parse(pattern);
    parsed.map_err(|error| error.to_string().into_boxed_str())
}
