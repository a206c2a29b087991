//! What a person searches for: words, phrases in quotes, the beginning of the last word.

use parlor_database::Words;

use super::words::words;

/// So many words are looked for; those after them are not.
const MOST_WORDS: usize = 32;
/// A beginning of a word has so many letters: one letter begins too many.
const SHORTEST_BEGINNING: usize = 2;
/// How much of what was typed is read, in bytes.
const READ_BYTES: usize = 4_000;
/// Marks that begin or end a phrase.
const QUOTES: [char; 7] = ['"', '“', '”', '„', '«', '»', '＂'];

/// The parts that must all be found; none if there is no word in the text.
pub(crate) fn wanted(typed: &str) -> Vec<Words> {
    let typed = &typed[..typed.floor_char_boundary(READ_BYTES)];
    let mut left = MOST_WORDS;
    let mut parts = Vec::new();
    for (number, piece) in typed.split(QUOTES).enumerate() {
        let is_phrase = number % 2 == 1;
        let found: Vec<String> =
            words(piece).into_iter().take(left).map(|word| word.folded).collect();
        left -= found.len();
        match is_phrase {
            true if !found.is_empty() => parts.push(Words { words: found, begins: false }),
            true => {}
            false => parts
                .extend(found.into_iter().map(|word| Words { words: vec![word], begins: false })),
        }
    }
    // What is being typed ends with letters, in a phrase only while its end is not typed yet.
    let is_typing = typed.chars().next_back().is_some_and(char::is_alphanumeric);
    if is_typing
        && left > 0
        && let Some(last) = parts.last_mut()
        && last.words.last().is_some_and(|word| word.chars().count() >= SHORTEST_BEGINNING)
    {
        last.begins = true;
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(typed: &str) -> Vec<String> {
        let show =
            |part: Words| format!("{}{}", part.words.join("_"), if part.begins { "*" } else { "" });
        wanted(typed).into_iter().map(show).collect()
    }

    /// U-8: words, phrases, and the beginning of the last word.
    #[test]
    fn what_is_typed_is_words_and_phrases() {
        assert_eq!(shown("Sopa de tom"), ["sopa", "de", "tom*"]);
        assert_eq!(shown("\"sopa de tomate\""), ["sopa_de_tomate"]);
        assert_eq!(shown("“pão de” quei"), ["pao_de", "quei*"]);
        assert_eq!(
            shown("\"sopa de to"),
            ["sopa_de_to*"],
            "the end of the phrase is not typed yet"
        );
        assert_eq!(shown("a"), ["a"], "one letter begins too many words");
        assert_eq!(shown("soup "), ["soup"]);
    }

    /// U-8: operators of the engines are words or nothing.
    #[test]
    fn nothing_is_syntax() {
        assert_eq!(shown("a AND b OR NOT c*"), ["a", "and", "b", "or", "not", "c"]);
        assert_eq!(shown("words:x NEAR(y, 2) ^z"), ["words", "x", "near", "y", "2", "z"]);
        assert_eq!(shown("x' & !y | (z:*)\\"), ["x", "y", "z"]);
        assert_eq!(shown("\"\" ' \u{0} -- % \"\"\""), [""; 0]);
        assert_eq!(shown(&"word ".repeat(2_000)).len(), MOST_WORDS);
        assert_eq!(shown(&"\"".repeat(10_000)), [""; 0]);
    }

    proptest! {
        /// U-8: any text is taken.
        #[test]
        fn any_text_is_taken(typed in "\\PC{0,80}") {
            for part in wanted(&typed) {
                prop_assert!(!part.words.is_empty());
            }
        }
    }
}
