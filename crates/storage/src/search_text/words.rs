//! A text falls into words: runs of letters and digits, folded.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The longest word, in characters: what is longer is found by its beginning.
const LONGEST_WORD: usize = 64;
/// How much of a text is indexed, in bytes. PostgreSQL stores a megabyte of words at most.
const INDEXED_BYTES: usize = 200_000;

/// A word of a text: folded, and where it stands, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) folded: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    let ends = text.char_indices().chain([(text.len(), ' ')]);
    for (at, c) in ends {
        let goes_on = c.is_alphanumeric() || (start.is_some() && is_combining_mark(c));
        match (start, goes_on) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                start = None;
                let folded = fold(&text[from..at]);
                if !folded.is_empty() {
                    words.push(Word { folded, start: from, end: at });
                }
            }
            _ => {}
        }
    }
    words
}

/// The folded words of a text as the index takes them: one space between two.
pub(crate) fn indexed(text: &str) -> String {
    let text = &text[..text.floor_char_boundary(INDEXED_BYTES)];
    let words: Vec<String> = words(text).into_iter().map(|word| word.folded).collect();
    words.join(" ")
}

/// Lower case, compatibility forms and accents taken apart, letters and digits only.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.chars().take(LONGEST_WORD).map(|c| c.to_ascii_lowercase()).collect();
    }
    let folded = word.chars().flat_map(char::to_lowercase).nfkd();
    // A capital may come out of a compatibility form.
    let letters = folded.filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    letters.filter(|c| c.is_alphanumeric()).take(LONGEST_WORD).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// U-8: Portuguese and English, with and without accents, whole or taken apart.
    #[test]
    fn words_are_folded() {
        assert_eq!(indexed("Pão de Açúcar, não?"), "pao de acucar nao");
        assert_eq!(indexed("Pa\u{303}o DE ac\u{327}u\u{301}car"), "pao de acucar");
        assert_eq!(indexed("don't `rm -rf` C:\\temp_1"), "don t rm rf c temp 1");
        assert_eq!(indexed("½ ﬁne ＡＢＣ\u{0}x 🥣 …"), "12 fine abc x");
        assert_eq!(indexed(&"x".repeat(500)), "x".repeat(64));
        assert_eq!(indexed(" - \"' "), "");
    }

    proptest! {
        /// U-8: whatever the text, its words are letters and digits, at places inside it.
        #[test]
        fn words_are_letters_and_digits(text in "\\PC{0,60}") {
            for word in words(&text) {
                prop_assert!(!word.folded.is_empty());
                prop_assert!(word.folded.chars().all(char::is_alphanumeric), "{word:?}");
                prop_assert!(text.get(word.start..word.end).is_some());
            }
        }
    }
}
