//! Reasoning inside the content: `<think>…</think>` before the answer.
//!
//! Servers that do not know how their model reasons pass its tags on as text. The
//! reasoning stands at the beginning of an answer, or after earlier reasoning;
//! anywhere else a tag is what the answer is about, and stays text.
//!
//! Pure. Pieces may be cut anywhere: what could still become a tag is held back
//! until it is one or is not.

/// How models call it.
const NAMES: [&str; 2] = ["think", "thinking"];
/// More white space than this before the first word is no beginning of reasoning.
const LONGEST_BLANK: usize = 256;

/// Tells reasoning from the answer.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    place: Place,
    /// White space, and what could still become a tag.
    held: String,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Of the answer itself.
    Text(String),
    /// Of the reasoning before it.
    Thinking(String),
}

/// Where in the answer it is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing was said yet.
    #[default]
    Beginning,
    /// Inside this tag; whether anything was thought yet.
    Thinking { name: &'static str, begun: bool },
    /// Reasoning is over, and the answer has not begun.
    Between,
    /// In the answer: from here on everything is text.
    Answer,
}

impl ThinkTags {
    /// Takes the next piece of the content.
    pub(super) fn push(&mut self, piece: String, mut out: impl FnMut(Piece)) {
        if self.place == Place::Answer {
            return out(Piece::Text(piece));
        }
        self.held.push_str(&piece);
        while self.step(&mut out) {}
    }

    /// The content is over: what was held back is no tag.
    pub(super) fn finish(&mut self) -> Option<Piece> {
        let held = std::mem::take(&mut self.held);
        if held.trim().is_empty() {
            return None;
        }
        match self.place {
            Place::Thinking { .. } => Some(Piece::Thinking(held)),
            Place::Beginning | Place::Between | Place::Answer => Some(Piece::Text(held)),
        }
    }

    /// Decides about what is held, as far as it can; true if there is more to decide.
    fn step(&mut self, out: &mut impl FnMut(Piece)) -> bool {
        match self.place {
            Place::Beginning | Place::Between => self.before(out),
            Place::Thinking { name, begun } => self.thinking(name, begun, out),
            Place::Answer => false,
        }
    }

    fn before(&mut self, out: &mut impl FnMut(Piece)) -> bool {
        let said = self.held.trim_start();
        if self.held.len() - said.len() <= LONGEST_BLANK {
            let opened = NAMES.into_iter().find_map(|name| Some((name, opening(said, name)?)));
            if let Some((name, rest)) = opened {
                self.held = rest.to_owned();
                self.place = Place::Thinking { name, begun: false };
                return true;
            }
            if NAMES.iter().any(|name| format!("<{name}>").starts_with(said)) {
                return false;
            }
        }
        // The blank lines between reasoning and answer belong to neither.
        let text = if self.place == Place::Between { said.to_owned() } else { self.held.clone() };
        self.held.clear();
        self.place = Place::Answer;
        out(Piece::Text(text));
        false
    }

    fn thinking(
        &mut self,
        name: &'static str,
        mut begun: bool,
        out: &mut impl FnMut(Piece),
    ) -> bool {
        let closing = format!("</{name}>");
        let end = self.held.find(&closing);
        let sure = end.unwrap_or(self.held.len() - tail(&self.held, &closing));
        let said = &self.held[..sure];
        let said = if begun { said } else { said.trim_start() };
        if !said.is_empty() {
            begun = true;
            out(Piece::Thinking(said.to_owned()));
        }
        match end {
            Some(end) => {
                self.held.drain(..end + closing.len());
                self.place = Place::Between;
                true
            }
            None => {
                self.held.drain(..sure);
                self.place = Place::Thinking { name, begun };
                false
            }
        }
    }
}

/// What follows the opening tag, if the text begins with it.
fn opening<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')
}

/// How many bytes at the end of the text could be the beginning of the tag.
fn tail(text: &str, tag: &str) -> usize {
    (1..tag.len()).rev().find(|length| text.ends_with(&tag[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What was thought and what was said.
    fn read(pieces: &[&str]) -> (String, String) {
        let (mut thought, mut said) = (String::new(), String::new());
        let mut take = |piece| match piece {
            Piece::Thinking(text) => thought.push_str(&text),
            Piece::Text(text) => said.push_str(&text),
        };
        let mut tags = ThinkTags::default();
        for piece in pieces {
            tags.push((*piece).to_owned(), &mut take);
        }
        tags.finish().into_iter().for_each(&mut take);
        (thought, said)
    }

    fn whole(thought: &str, said: &str) -> (String, String) {
        (thought.to_owned(), said.to_owned())
    }

    /// U-1: reasoning in tags is reasoning, at the beginning and nowhere else.
    #[test]
    fn tags_count_at_the_beginning_only() {
        let cases = [
            ("<think>Hm.</think>\n\nHello.", "Hm.", "Hello."),
            ("\n <thinking>\nHm.\n</thinking>Hello.", "Hm.\n", "Hello."),
            ("<think>a</think>\n<think>b</think>c", "ab", "c"),
            ("<think>\n\n</think>\n\nHello.", "", "Hello."),
            ("<think>cut o", "cut o", ""),
            ("<think>a </thinking> b</think>c", "a </thinking> b", "c"),
            ("<think>1 < 2 </th ink></think>c", "1 < 2 </th ink>", "c"),
            ("  Hello.", "", "  Hello."),
            ("<b>bold</b>", "", "<b>bold</b>"),
            ("<thin", "", "<thin"),
            ("<thinker>x", "", "<thinker>x"),
            ("Use <think>x</think>.", "", "Use <think>x</think>."),
            ("```\n<think>x</think>\n```", "", "```\n<think>x</think>\n```"),
            ("<think>a</think>b <think>c</think>", "a", "b <think>c</think>"),
            ("", "", ""),
        ];
        for (content, thought, said) in cases {
            assert_eq!(read(&[content]), whole(thought, said), "{content:?}");
        }
    }

    proptest! {
        /// S-4: how the content was cut makes no difference, down to single bytes of
        /// the tags.
        #[test]
        fn cuts_make_no_difference(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "<think>", "</think>", "<thinking>", "</thinking>", "<", "</", "<thi", "ink>",
                    "é", " ", "\n", "word", ">",
                ]),
                0..12,
            ),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ) {
            let content = parts.concat();
            let mut places: Vec<usize> = cuts
                .iter()
                .map(|cut| content.floor_char_boundary(cut.index(content.len() + 1)))
                .chain([0, content.len()])
                .collect();
            places.sort_unstable();
            let pieces: Vec<&str> = places.windows(2).map(|cut| &content[cut[0]..cut[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[&content]));
            let singly: Vec<String> = content.chars().map(String::from).collect();
            let singly: Vec<&str> = singly.iter().map(String::as_str).collect();
            prop_assert_eq!(read(&singly), read(&[&content]));
        }
    }
}
