//! What text sounds like, in English and Portuguese: an error, a question.
//!
//! These are guesses, and a wrong one is worse than none: the two phrases of
//! C-2 count wherever they stand, their kin only at the beginning of a sentence
//! and at the end of the text, and code counts for nothing.

/// What an error begins with, in lower case.
const ERRORS: &[&str] = &[
    "error:", "exception:", "failed to ", "erro:", "exceção:", "excecao:", "erro ao ", "falha ao ",
];

/// "Cannot", and what an error cannot do.
const CANNOT: &[&str] =
    &["cannot ", "não foi possível ", "nao foi possivel ", "não é possível ", "não consegui "];
const CANNOT_DO: &[&str] =
    &["find", "read", "write", "access", "encontrar", "ler", "escrever", "gravar", "acessar"];

/// They make a question wherever they stand.
const ASKS_ANYWHERE: &[&str] =
    &["what would you", "which option", "o que você gostaria", "qual opção", "qual das opções"];

/// They make a question at the end of a text.
const ASKS_AT_THE_END: &[&str] = &[
    "would you like", "would you prefer", "would you rather", "do you want", "do you prefer",
    "do you have a preference", "should i", "shall i", "which one", "which of ", "which approach",
    "which would you", "which do you", "what do you prefer", "what do you think",
    "how would you like", "how should i", "can you confirm", "could you confirm", "please choose",
    "please confirm", "please select", "você quer que", "você gostaria", "você prefere",
    "quer que eu", "gostaria que eu", "o que você prefere", "o que prefere", "qual você prefere",
    "qual delas", "qual deles", "como você gostaria", "devo continuar", "devo prosseguir",
    "por favor escolha", "por favor confirme", "escolha uma", "escolha um", "escolha entre",
];

/// What may stand before a question within its sentence.
const LEAD_INS: &[&str] = &[
    "so ", "and ", "now ", "then ", "please tell me ", "tell me ", "please let me know ",
    "let me know ", "e ", "então ", "me diga ", "diga-me ",
];

/// How much of a long last paragraph counts, at its end and, because a list may
/// follow a question, at its beginning.
const ENDS_AT_MOST: usize = 2_000;

/// The longest aside after a question mark, such as `(yes/no)`.
const ASIDE_AT_MOST: usize = 40;

/// So many marks may stand before a sentence or behind a question: a line drawn
/// across the page, but not a text of nothing else.
const MARKS_AT_MOST: usize = 200;

/// True for text that begins like an error (C-2, 10).
pub(super) fn begins_like_an_error(text: &str) -> bool {
    let start: String = sentence_start(text).chars().take(64).collect::<String>().to_lowercase();
    ERRORS.iter().any(|phrase| start.starts_with(phrase))
        || CANNOT
            .iter()
            .filter_map(|phrase| start.strip_prefix(phrase))
            .any(|rest| CANNOT_DO.iter().any(|verb| begins_with_phrase(rest, verb)))
}

/// True for text that asks something (C-2, 11).
pub(super) fn asks(text: &str) -> bool {
    let prose = without_code_blocks(text);
    let prose = prose.trim();
    ends_in_question_mark(prose)
        || holds_phrase(prose, ASKS_ANYWHERE)
        || has_sentence(last_paragraph(prose), ASKS_AT_THE_END)
}

/// `?` at the end, whatever closes behind it: emphasis, quotes, brackets,
/// emoji, a short aside. Not code: `` `?` `` is no question.
fn ends_in_question_mark(prose: &str) -> bool {
    let end = without_closers(prose);
    end.ends_with(is_question_mark)
        || aside_start(end)
            .is_some_and(|at| without_closers(&prose[..at]).ends_with(is_question_mark))
}

fn without_closers(text: &str) -> &str {
    let mut from_behind = text.char_indices().rev().take(MARKS_AT_MOST);
    let last = from_behind.find(|(_, c)| c.is_alphanumeric() || is_stop(*c));
    last.map_or("", |(at, c)| &text[..at + c.len_utf8()])
}

/// What may not be overlooked between a question mark and the end.
fn is_stop(c: char) -> bool {
    is_question_mark(c)
        || matches!(c, '.' | '!' | ':' | ';' | ',' | '…' | '。' | '！' | '`' | '/' | '=')
}

fn is_question_mark(c: char) -> bool {
    matches!(c, '?' | '？' | '؟' | '⁇' | '⁈')
}

/// Where a bracketed aside at the end begins, if it is short.
fn aside_start(text: &str) -> Option<usize> {
    let at = text.rfind(['(', '['])?;
    (text.len() - at <= ASIDE_AT_MOST && !text[at..].contains([')', ']'])).then_some(at)
}

/// Whether a phrase stands anywhere, as whole words.
fn holds_phrase(text: &str, phrases: &[&str]) -> bool {
    let text = text.to_lowercase();
    let ends_word = |before: &str| before.ends_with(char::is_alphanumeric);
    phrases.iter().any(|phrase| {
        text.match_indices(phrase)
            .any(|(at, _)| !ends_word(&text[..at]) && begins_with_phrase(&text[at..], phrase))
    })
}

/// Sentences are cut generously: a phrase after a comma or a colon counts.
fn has_sentence(text: &str, phrases: &[&str]) -> bool {
    let (start, end) = ends(text);
    // What the end is cut off from is not the beginning of a sentence.
    let mut sentences = sentences(start).chain(sentences(end).skip(1));
    sentences.any(|sentence| {
        let start: String = sentence_start(sentence).chars().take(48).collect();
        let start = start.to_lowercase();
        let start = LEAD_INS.iter().find_map(|words| start.strip_prefix(words)).unwrap_or(&start);
        phrases.iter().any(|phrase| begins_with_phrase(start, phrase))
    })
}

/// The beginning and the end of a text; a short one is all beginning.
fn ends(text: &str) -> (&str, &str) {
    if text.len() <= 2 * ENDS_AT_MOST {
        return (text, "");
    }
    let start = text.floor_char_boundary(ENDS_AT_MOST);
    let end = text.floor_char_boundary(text.len() - ENDS_AT_MOST);
    (&text[..start], &text[end..])
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', '？', ':', ';', ',', '\n', '—', '–', '('])
}

/// A phrase counts as whole words.
fn begins_with_phrase(text: &str, phrase: &str) -> bool {
    text.strip_prefix(phrase)
        .is_some_and(|rest| phrase.ends_with(' ') || !rest.starts_with(char::is_alphanumeric))
}

/// Text without the marks in front of it: headings, quotes, emphasis, emoji.
fn sentence_start(text: &str) -> &str {
    let first = text.char_indices().take(MARKS_AT_MOST).find(|(_, c)| c.is_alphanumeric());
    first.map_or("", |(at, _)| &text[at..])
}

/// The last paragraph; with a list at the end also what introduces it.
fn last_paragraph(prose: &str) -> &str {
    let mut start = prose.len();
    loop {
        let before = prose[..start].trim_end();
        start = before.rfind("\n\n").map_or(0, |at| at + 2);
        let paragraph = &prose[start..];
        if start == 0 || !before[start..].lines().all(is_list_item) {
            return paragraph;
        }
    }
}

fn is_list_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.is_empty()
        || line.starts_with(['-', '*', '+', '•'])
        || (numbered.len() < line.len() && numbered.starts_with(['.', ')']))
}

fn without_code_blocks(text: &str) -> String {
    let mut inside = false;
    let mut prose = String::with_capacity(text.len());
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        if !inside && !fence {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-2, 11: however long the list behind it is, or the paragraph before it.
    #[test]
    fn a_question_is_found_at_both_ends_of_a_long_paragraph() {
        let items = "- a café with many words in it\n".repeat(200);
        assert!(asks(&format!("Some words.\n\nWhich of these should I fix first\n\n{items}")));
        assert!(!asks(&format!("Some words.\n\nThese are what I found\n\n{items}")));
        let words = "é and a few ordinary words, ".repeat(400);
        assert!(asks(&format!("{words}and that is all. Should I go on")));
        assert!(!asks(&format!("{words}and that is all")));
        // Cut anywhere, the rest of a sentence is not taken for one.
        for more in 0..40 {
            let ends = "x".repeat(ENDS_AT_MOST - 20 + more);
            assert!(!asks(&format!("{words}I know what should i {ends}")), "{more}");
        }
    }
}
