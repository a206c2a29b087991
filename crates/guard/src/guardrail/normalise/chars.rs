//! What has to be known about a character, found out once.
//!
//! To take a character apart and to look for its Latin twin is slow, and the
//! views of a text ask for each of its characters several times. So the answers
//! are kept, a page of 256 characters when its first one is met: a language
//! touches a few pages, and all of them together take about 5 MB.

use std::sync::OnceLock;

use unicode_normalization::char::{decompose_compatible, is_combining_mark};
use unicode_security::confusable_detection::skeleton;

/// Into so many characters one may fall apart. What is made of more is a whole
/// word in one sign, which nobody writes sentences with, and stays as it is.
const MOST_PARTS: usize = 3;
/// How many characters are found out at once.
const PAGE: usize = 256;
/// Beyond these are no letters, only private and invisible characters.
const PAGES: usize = 0x40000 / PAGE;

static KNOWN: [OnceLock<Box<[Known]>>; PAGES] = [const { OnceLock::new() }; PAGES];

/// Folds one character that is not ASCII: its parts without accents, lower-case.
pub(crate) fn fold(c: char, mut emit: impl FnMut(char)) {
    match known(c) {
        Some(known) => known.parts[..usize::from(known.count)].iter().for_each(|c| emit(*c)),
        None if is_invisible(c) => {}
        None => emit(c),
    }
}

/// Whether a character is a letter or a digit.
pub(crate) fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    known(c).is_some_and(|known| known.is_alphanumeric)
}

/// Whether a character is part of a word: also the vowel signs of Indic
/// scripts, which are marks.
pub(crate) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    known(c).is_some_and(|known| known.is_word)
}

/// The Latin letter that a character looks like. ASCII has none: `m` and `rn`
/// look alike too, and that would tear ordinary words apart.
pub(crate) fn latin_twin(c: char) -> Option<char> {
    if c.is_ascii() { None } else { known(c)?.latin_twin.map(char::from) }
}

/// Characters that take no room: joiners, direction marks, fillers, selectors, tags.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
        | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFC | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF)
        || (c.is_control() && !c.is_whitespace())
}

#[derive(Clone, Copy)]
struct Known {
    parts: [char; MOST_PARTS],
    count: u8,
    latin_twin: Option<u8>,
    is_alphanumeric: bool,
    is_word: bool,
}

fn known(c: char) -> Option<&'static Known> {
    let (page, index) = (c as usize / PAGE, c as usize % PAGE);
    KNOWN.get(page).map(|known| &known.get_or_init(|| find_out(page))[index])
}

fn find_out(page: usize) -> Box<[Known]> {
    let all = (page * PAGE)..(page + 1) * PAGE;
    // A number that is no character is never asked for.
    let character = |n| u32::try_from(n).ok().and_then(char::from_u32).unwrap_or_default();
    all.map(|n| Known::new(character(n))).collect()
}

impl Known {
    fn new(c: char) -> Self {
        let mut folded = Vec::new();
        fold_slowly(c, |part| folded.push(part));
        if folded.len() > MOST_PARTS {
            folded = vec![c];
        }
        let mut parts = ['\0'; MOST_PARTS];
        parts[..folded.len()].copy_from_slice(&folded);
        Self {
            parts,
            count: u8::try_from(folded.len()).unwrap_or_default(),
            latin_twin: find_latin_twin(c),
            is_alphanumeric: c.is_alphanumeric(),
            is_word: c.is_alphanumeric() || is_combining_mark(c),
        }
    }
}

fn fold_slowly(c: char, mut emit: impl FnMut(char)) {
    if is_invisible(c) {
        return;
    }
    decompose_compatible(c, |part| {
        if !is_diacritic(part) && !is_invisible(part) {
            part.to_lowercase().filter(|lower| !is_diacritic(*lower)).for_each(&mut emit);
        }
    });
}

/// Accents that sit on Latin, Greek and Cyrillic letters, and piles of them.
fn is_diacritic(c: char) -> bool {
    matches!(u32::from(c),
        0x0300..=0x036F | 0x0483..=0x0489 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF
        | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

fn find_latin_twin(c: char) -> Option<u8> {
    if let Some(letter) = enclosed_letter(c) {
        return Some(letter);
    }
    let mut bytes = [0; 4];
    let mut twins = skeleton(c.encode_utf8(&mut bytes));
    let twin = u8::try_from(twins.next()?).ok()?;
    (twins.next().is_none() && twin.is_ascii_alphabetic()).then(|| twin.to_ascii_lowercase())
}

/// Letters in circles, squares and flags that have no compatibility form.
fn enclosed_letter(c: char) -> Option<u8> {
    let base = match u32::from(c) {
        n @ 0x1F150..=0x1F169 => n - 0x1F150,
        n @ 0x1F170..=0x1F189 => n - 0x1F170,
        n @ 0x1F1E6..=0x1F1FF => n - 0x1F1E6,
        _ => return None,
    };
    u8::try_from(base).ok().map(|base| b'a' + base)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept is what would be found out, for every character there is.
    #[test]
    fn nothing_is_lost_by_keeping_it() {
        for c in ('\u{80}'..=char::MAX).step_by(7) {
            let mut parts = Vec::new();
            fold_slowly(c, |part| parts.push(part));
            let mut kept = Vec::new();
            fold(c, |part| kept.push(part));
            assert!(kept == parts || (parts.len() > MOST_PARTS && kept == [c]), "{c:?}");
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
            assert_eq!(latin_twin(c).map(u32::from), find_latin_twin(c).map(u32::from), "{c:?}");
        }
    }

    #[test]
    fn a_whole_word_in_one_sign_stays() {
        for sign in ['ﷺ', '㌖', '㎯'] {
            let mut kept = String::new();
            fold(sign, |part| kept.push(part));
            assert_eq!(kept, sign.to_string());
        }
    }
}
