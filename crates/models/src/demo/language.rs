//! Which language a message is in, and its words in a form that can be compared.

/// The languages that the demo model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    English,
    Portuguese,
}

/// Words that are frequent in one of the languages and rare in the other.
const ENGLISH: &[&str] = &[
    "the", "is", "are", "what", "how", "why", "who", "you", "your", "i", "my", "to", "of", "in",
    "and", "please", "can", "could", "this", "that", "it", "for", "with", "hello", "hi", "thanks",
    "yes", "tell", "want", "have", "there",
];
const PORTUGUESE: &[&str] = &[
    "o", "os", "um", "uma", "que", "qual", "quais", "como", "quem", "voce", "voces", "eu", "meu",
    "minha", "de", "da", "em", "e", "nao", "para", "por", "favor", "com", "isso", "isto", "ola",
    "oi", "obrigado", "obrigada", "sim", "pode", "quero", "tem", "bom", "boa", "ser", "estou",
];

/// The words of a text, in lower case and without accents.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’')
        .map(|word| word.chars().flat_map(char::to_lowercase).map(without_accent).collect())
        .filter(|word: &String| !word.is_empty())
        .collect()
}

/// The likelier language of a text; English if nothing speaks for the other.
pub(super) fn guess(text: &str) -> Language {
    let words = words(text);
    let count = |list: &[&str]| words.iter().filter(|word| list.contains(&word.as_str())).count();
    let accents = text.chars().filter(|c| without_accent(*c) != *c).count();
    if count(PORTUGUESE) + accents > count(ENGLISH) {
        Language::Portuguese
    } else {
        Language::English
    }
}

/// Whether a word says nothing about what somebody means.
pub(super) fn is_filler(word: &str) -> bool {
    word.len() < 3 || ENGLISH.contains(&word) || PORTUGUESE.contains(&word)
}

fn without_accent(c: char) -> char {
    match c {
        'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        '’' => '\'',
        other => other,
    }
}

/// Whether a phrase stands among these words, word by word.
pub(super) fn contains(words: &[String], phrase: &str) -> bool {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.windows(phrase.len()).any(|window| window.iter().zip(&phrase).all(|(a, b)| a == b))
}
