//! What the model sees of a text: its words and its pairs of neighbouring words, as numbers.
//!
//! The words are those of a view: folded, one space between them (see `normalise`). A long text
//! is read in windows that overlap by half, so that a short order in it is not drowned.

use std::ops::Range;

/// How a word begins its hash, and how two words are made one.
const BASIS: u32 = 0x811C_9DC5;
const PRIME: u32 = 0x0100_0193;
/// Keeps the pair "a b" from being the word "ab".
const PAIR: u32 = 0x9E37_79B1;

/// The features of one window; the memory is used again for the next.
#[derive(Debug, Default)]
pub struct Features(Vec<u32>);

impl Features {
    /// The features of the words of a window, each once.
    pub fn of(&mut self, words: &str) -> &[u32] {
        self.0.clear();
        each_span(words, |feature, _| self.0.push(feature));
        self.0.sort_unstable();
        self.0.dedup();
        &self.0
    }
}

/// Calls `found` with each feature and the words that it stands for.
pub fn each_span<'w>(words: &'w str, mut found: impl FnMut(u32, &'w str)) {
    let mut before: Option<(u32, usize)> = None;
    each_word(words, |word| {
        let hash = of_word(&words.as_bytes()[word.clone()]);
        found(mixed(hash), &words[word.clone()]);
        if let Some((first, start)) = before {
            found(mixed(of_pair(first, hash)), &words[start..word.end]);
        }
        before = Some((hash, word.start));
    });
}

/// Calls `read` with each window of a text: so many words, each beginning half a window after the
/// one before.
pub fn each_window(words: &str, window: usize, mut read: impl FnMut(Range<usize>)) {
    let half = (window / 2).max(1);
    let (mut starts, mut count, mut end) = ((0, 0), 0, 0);
    each_word(words, |word| {
        if count % half == 0 {
            if count >= window {
                read(starts.0..end);
            }
            starts = (starts.1, word.start);
            if count < window {
                starts.0 = 0;
            }
        }
        (count, end) = (count + 1, word.end);
    });
    if count > 0 {
        read(starts.0..end);
    }
}

fn each_word(words: &str, mut found: impl FnMut(Range<usize>)) {
    let mut start = 0;
    for (at, _) in words.bytes().enumerate().filter(|(_, byte)| *byte == b' ') {
        if at > start {
            found(start..at);
        }
        start = at + 1;
    }
    if words.len() > start {
        found(start..words.len());
    }
}

fn of_word(word: &[u8]) -> u32 {
    word.iter().fold(BASIS, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME))
}

fn of_pair(first: u32, second: u32) -> u32 {
    first.wrapping_mul(PAIR).rotate_left(13) ^ second.wrapping_mul(PRIME)
}

/// Spreads a hash, so that its upper bits are as good as the lower ones.
fn mixed(hash: u32) -> u32 {
    let hash = (hash ^ (hash >> 16)).wrapping_mul(0x85EB_CA6B);
    let hash = (hash ^ (hash >> 13)).wrapping_mul(0xC2B2_AE35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(words: &str, window: usize) -> Vec<&str> {
        let mut all = Vec::new();
        each_window(words, window, |range| all.push(words[range].trim()));
        all
    }

    #[test]
    fn windows_overlap_by_half_and_cover_all() {
        assert_eq!(windows(" a b c ", 4), ["a b c"]);
        assert_eq!(windows(" a b c d ", 4), ["a b c d"]);
        assert_eq!(windows(" a b c d e ", 4), ["a b c d", "c d e"]);
        assert_eq!(windows(" a b c d e f g ", 4), ["a b c d", "c d e f", "e f g"]);
        assert_eq!(windows(" ", 4), [""; 0]);
    }

    #[test]
    fn features_are_words_and_pairs_each_once() {
        let mut spans = Vec::new();
        each_span(" a b a b ", |_, span| spans.push(span));
        assert_eq!(spans, ["a", "b", "a b", "a", "b a", "b", "a b"]);
        assert_eq!(Features::default().of(" a b a b ").len(), 4);
    }
}
