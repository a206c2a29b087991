//! Counts signs: several different ones near each other are a match, one is nothing.

use super::anchored::Starts;
use super::word_set::WordSet;

/// The sign that must be among them: the first.
const FRAME: usize = 0;
/// So many different signs, the frame among them, are an attempt. Innocent prompts
/// that were written to come close hold three.
const ENOUGH: usize = 4;
/// They stand within so many bytes of each other, so that a long document does
/// not collect them.
const WINDOW: usize = 1_500;
/// A shorter text is not read for signs: templates are long, and the usual
/// message costs nothing.
const SHORTEST: usize = 250;

/// The signs, and the rule that matches when enough of them stand together.
#[derive(Debug)]
pub(super) struct SignSet {
    signs: WordSet,
    count: usize,
    rule: usize,
}

impl SignSet {
    /// `patterns` are the signs' own, each with the number of its sign.
    pub(super) fn new(rule: usize, patterns: Vec<(usize, String)>) -> Result<Self, Box<str>> {
        let count = patterns.iter().map(|(sign, _)| sign + 1).max().unwrap_or_default();
        Ok(Self { signs: WordSet::new(patterns, Starts::Words)?, count, rule })
    }

    /// The rule, if enough signs stand together in the words of a text.
    pub(super) fn matched(&self, words: &str) -> Option<usize> {
        if words.len() < SHORTEST {
            return None;
        }
        let mut last_seen = vec![None; self.count];
        let together = self.signs.each_match(words, |sign, at| {
            last_seen[sign] = Some(at);
            let is_near =
                |seen: &Option<usize>| seen.is_some_and(|seen| at.abs_diff(seen) <= WINDOW);
            let near = || last_seen.iter().filter(|seen| is_near(seen)).count();
            is_near(&last_seen[FRAME]) && near() >= ENOUGH
        });
        together.then_some(self.rule)
    }

    #[cfg(test)]
    pub(super) fn compiles(&self) -> bool {
        self.signs.compiles()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> SignSet {
        let patterns = ["red ", "green ", "blue ", "white ", "black "].into_iter().enumerate();
        SignSet::new(7, patterns.map(|(sign, p)| (sign, p.to_owned())).collect()).unwrap()
    }

    #[test]
    fn different_signs_count_and_repeated_ones_do_not() {
        let rest = "and ".repeat(100);
        assert_eq!(set().matched(&format!(" red green {rest}blue white ")), Some(7));
        assert_eq!(set().matched(&format!(" red green {rest}blue blue red ")), None);
        assert_eq!(set().matched(" red green blue white "), None, "too short to be read");
    }

    #[test]
    fn without_the_first_sign_the_others_do_not_count() {
        let rest = "and ".repeat(100);
        assert_eq!(set().matched(&format!(" green blue white black {rest}")), None);
        assert_eq!(set().matched(&format!(" green blue white black {rest}red ")), Some(7));
    }

    #[test]
    fn signs_count_within_the_window_only() {
        let far = "and ".repeat(WINDOW / 4);
        assert_eq!(set().matched(&format!(" red green blue {far}white ")), None);
        assert_eq!(set().matched(&format!(" red {far}green {far}blue red white green ")), Some(7));
    }
}
