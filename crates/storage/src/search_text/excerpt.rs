//! The part of a text where words were found, and the places to mark in it.

use parlor_database::Words;
use serde::Serialize;

use super::words::{Word, words};

/// How long an excerpt is, in characters, about.
const LENGTH: usize = 180;
/// How much of it may stand before the first word that was found.
const BEFORE: usize = 50;
/// So many places of words are compared for the best excerpt.
const COMPARED: usize = 200;

/// A part of a text with places to mark. The text is plain; nothing in it is markup.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// The text, on one line, with `…` where something is left out.
    pub text: String,
    /// Where the words are that were found: beginning and end, in UTF-16 units.
    pub marks: Vec<(usize, usize)>,
}

/// A place that was found: its bytes, and which part of what was wanted it is.
struct Found {
    start: usize,
    end: usize,
    part: usize,
}

/// The best part of a text.
pub(crate) fn excerpt(text: &str, wanted: &[Words]) -> Excerpt {
    let words = words(text);
    let found = found(&words, wanted);
    let best = best(&found);
    let from = match best.filter(|start| text[..*start].chars().count() > BEFORE) {
        Some(start) => {
            let mut back = text[..start].char_indices().rev();
            let earliest = back.nth(BEFORE).map_or(0, |(at, _)| at);
            words.iter().map(|word| word.start).find(|at| *at >= earliest).unwrap_or(start)
        }
        None => 0,
    };
    let latest = text[from..].char_indices().nth(LENGTH).map_or(text.len(), |(at, _)| from + at);
    let to = match latest == text.len() {
        true => latest,
        false => {
            let ends = words.iter().map(|word| word.end);
            ends.take_while(|end| *end <= latest).filter(|end| *end > from).last().unwrap_or(latest)
        }
    };
    written(text, (from, to), &found)
}

/// All of a short text, such as a title.
pub(crate) fn marked(text: &str, wanted: &[Words]) -> Excerpt {
    written(text, (0, text.len()), &found(&words(text), wanted))
}

/// The places of what is wanted, in order, none inside another.
fn found(words: &[Word], wanted: &[Words]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = wanted
            .iter()
            .enumerate()
            .filter(|(_, part)| begins_with(&words[at..], part))
            .max_by_key(|(_, part)| part.words.len());
        match longest {
            Some((part, Words { words: phrase, .. })) => {
                let last = at + phrase.len().max(1);
                let end = words[last - 1].end;
                found.push(Found { start: words[at].start, end, part });
                at = last;
            }
            None => at += 1,
        }
    }
    found
}

fn begins_with(words: &[Word], part: &Words) -> bool {
    let last = part.words.len().saturating_sub(1);
    words.len() >= part.words.len()
        && part.words.iter().zip(words).enumerate().all(|(at, (wanted, word))| {
            match part.begins && at == last {
                true => word.folded.starts_with(wanted.as_str()),
                false => word.folded == *wanted,
            }
        })
}

/// Where to begin so that most parts are seen: the earliest such place.
fn best(found: &[Found]) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    for (index, first) in found.iter().enumerate().take(COMPARED) {
        let near =
            found[index..].iter().take_while(|other| other.end < first.start + LENGTH - BEFORE);
        let mut parts: Vec<usize> = near.map(|other| other.part).collect();
        parts.sort_unstable();
        parts.dedup();
        if best.is_none_or(|(count, _)| parts.len() > count) {
            best = Some((parts.len(), first.start));
        }
    }
    best.map(|(_, start)| start)
}

/// The bytes of a text on one line, without the signs of markdown that only shape it.
fn written(text: &str, (from, to): (usize, usize), found: &[Found]) -> Excerpt {
    let mut excerpt = Writer::default();
    if from > 0 {
        excerpt.push('…');
    }
    let mut marks = found.iter().skip_while(|mark| mark.start < from).peekable();
    let mut open: Option<&Found> = None;
    let mut is_line_start = from == 0;
    for (offset, c) in text[from..to].char_indices() {
        let at = from + offset;
        if open.take_if(|mark| mark.end <= at).is_some() {
            excerpt.close();
        }
        if let Some(mark) = marks.next_if(|mark| mark.start == at) {
            excerpt.open();
            open = Some(mark);
        }
        match c {
            '*' | '`' => {}
            '#' | '>' if is_line_start => {}
            c if c == '|' || c.is_whitespace() || c.is_control() => {
                is_line_start |= c == '\n';
                excerpt.space();
            }
            c => {
                is_line_start = false;
                excerpt.push(c);
            }
        }
    }
    if open.is_some() {
        excerpt.close();
    }
    if to < text.len() {
        excerpt.push('…');
    }
    excerpt.done
}

/// An excerpt that is being written.
#[derive(Default)]
struct Writer {
    done: Excerpt,
    /// Its length, in UTF-16 units.
    length: usize,
    /// Where the open mark begins.
    mark: usize,
    /// Whether a space is due before the next character.
    space: bool,
}

impl Writer {
    fn push(&mut self, c: char) {
        self.write_space();
        self.done.text.push(c);
        self.length += c.len_utf16();
    }

    fn space(&mut self) {
        self.space = true;
    }

    fn write_space(&mut self) {
        if std::mem::take(&mut self.space) && !self.done.text.is_empty() {
            self.done.text.push(' ');
            self.length += 1;
        }
    }

    fn open(&mut self) {
        self.write_space();
        self.mark = self.length;
    }

    fn close(&mut self) {
        self.done.marks.push((self.mark, self.length));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::wanted::wanted;
    use super::*;

    fn shown(text: &str, typed: &str) -> (String, Vec<String>) {
        let Excerpt { text, marks } = excerpt(text, &wanted(typed));
        let units: Vec<u16> = text.encode_utf16().collect();
        let mark = |(from, to): &(usize, usize)| String::from_utf16(&units[*from..*to]).unwrap();
        let marked = marks.iter().map(mark).collect();
        (text, marked)
    }

    /// U-8: marks are places in the text as it was written, also after signs of two units.
    #[test]
    fn words_are_marked_where_they_are() {
        let (text, marked) = shown("🥣 Uma **Sopa** de\n\ttomates\u{0}!", "sopa toma");
        assert_eq!(text, "🥣 Uma Sopa de tomates !");
        assert_eq!(marked, ["Sopa", "tomates"]);
        assert_eq!(shown("sopa fria, sopa de pão", "\"sopa de pao\"").1, ["sopa de pão"]);
    }

    /// U-8: of a long text the part is shown where most of the words are.
    #[test]
    fn the_best_part_of_a_long_text_is_shown() {
        let text =
            format!("soup {} cold soup with basil {}", "word ".repeat(90), "end ".repeat(90));
        let (text, marked) = shown(&text, "soup basil");
        assert_eq!(marked, ["soup", "basil"]);
        assert!(text.starts_with("…word") && text.ends_with("end…"), "{text}");
        assert!(text.chars().count() < 190, "{text}");
        assert_eq!(shown("nothing of it", "soup"), ("nothing of it".to_owned(), vec![]));
    }

    proptest! {
        /// U-8: every mark is a place in the excerpt, whatever the text.
        #[test]
        fn marks_are_inside(text in "\\PC{0,400}", typed in "\\PC{0,12}") {
            let Excerpt { text, marks } = excerpt(&text, &wanted(&typed));
            let length = text.encode_utf16().count();
            for pair in marks.windows(2) {
                prop_assert!(pair[0].1 <= pair[1].0);
            }
            for (from, to) in marks {
                prop_assert!(from <= to && to <= length);
            }
        }
    }
}
