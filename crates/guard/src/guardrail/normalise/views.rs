//! Reads a text in one view after the other, until the reader returns true.
//!
//! A view is made when its turn comes, so a text that is judged by its plain
//! view costs no more than that.

use super::{Folded, View, encoded, fold, letters, spaced};

/// Encodings inside encodings are followed this far.
const DEPTH: usize = 2;

/// A text as one view shows it, and in which form.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reading<'t> {
    /// With all that rules are written for.
    Folded(&'t Folded),
    /// The words of a text that was turned as a whole.
    Turned(&'t str),
    /// Letters that stood alone, without a gap between them; a space is behind each run.
    Letters(&'t str),
}

/// Whether the search is over.
type Over = bool;

/// Calls `read` with every view of a message until it returns true; returns whether it did.
pub(crate) fn each_view(raw: &str, read: impl FnMut(View, Reading<'_>) -> Over) -> Over {
    let plain = Folded::new(raw);
    let mut reader = Reader { raw, plain: &plain, read };
    reader.text(View::Plain, &plain)
        || reader.disguised_letters()
        || reader.lone_letters()
        || reader.encoded(raw, DEPTH)
        || reader.turned()
}

/// Every view of a text, made beforehand: what rules cost is measured without the making.
#[derive(Debug)]
pub struct Views(Vec<(View, Kept)>);

#[derive(Debug)]
enum Kept {
    Folded(Folded),
    Turned(String),
    Letters(String),
}

impl Views {
    /// Makes them all.
    pub fn of(text: &str) -> Self {
        let mut kept = Vec::new();
        each_view(text, |view, reading| {
            kept.push((view, Kept::new(reading)));
            false
        });
        Self(kept)
    }

    /// The words of each view that has words, for training.
    pub fn words(&self) -> impl Iterator<Item = (View, &str)> {
        self.0.iter().filter_map(|(view, kept)| match kept {
            Kept::Folded(folded) => Some((*view, &*folded.words)),
            Kept::Turned(words) => Some((*view, &**words)),
            Kept::Letters(_) => None,
        })
    }

    pub(crate) fn each(&self, mut read: impl FnMut(View, Reading<'_>) -> Over) -> Over {
        self.0.iter().any(|(view, kept)| read(*view, kept.reading()))
    }
}

impl Kept {
    fn new(reading: Reading<'_>) -> Self {
        match reading {
            Reading::Folded(folded) => Self::Folded(folded.clone()),
            Reading::Turned(words) => Self::Turned(words.to_owned()),
            Reading::Letters(run) => Self::Letters(run.to_owned()),
        }
    }

    fn reading(&self) -> Reading<'_> {
        match self {
            Self::Folded(folded) => Reading::Folded(folded),
            Self::Turned(words) => Reading::Turned(words),
            Self::Letters(run) => Reading::Letters(run),
        }
    }
}

struct Reader<'t, R> {
    raw: &'t str,
    plain: &'t Folded,
    read: R,
}

impl<R: FnMut(View, Reading<'_>) -> Over> Reader<'_, R> {
    fn disguised_letters(&mut self) -> Over {
        let lookalike = letters::lookalikes(&self.plain.text);
        let readable = lookalike.as_deref().unwrap_or(&self.plain.text);
        let mut leet =
            |one| letters::leet(readable, one).is_some_and(|t| self.folded(View::Leet, t));
        let over = leet('i') || (letters::is_ambiguous(readable) && leet('l'));
        over || lookalike.is_some_and(|text| self.folded(View::Lookalike, text))
    }

    fn lone_letters(&mut self) -> Over {
        if !spaced::has_lone_letters(&self.plain.text) {
            return false;
        }
        let loose = fold::loose_text(self.raw);
        let loose = letters::lookalikes(&loose).unwrap_or(loose);
        let joined = spaced::join(&loose);
        self.folded(View::Spaced, joined.text)
            || (self.read)(View::Spaced, Reading::Letters(&joined.runs))
    }

    fn encoded(&mut self, raw: &str, depth: usize) -> Over {
        let views = [
            (View::Hidden, fold::hidden_text(raw)),
            (View::Base64, encoded::base64(raw)),
            (View::Hex, encoded::hex(raw)),
            (View::Escaped, encoded::escaped(raw)),
        ];
        views.into_iter().any(|(view, decoded)| {
            decoded.is_some_and(|decoded| {
                self.folded(view, fold::text(&decoded))
                    || (depth > 1 && self.encoded(&decoded, depth - 1))
            })
        })
    }

    fn turned(&mut self) -> Over {
        let rot13 = fold::words_turned(self.raw);
        rot13.is_some_and(|words| (self.read)(View::Rot13, Reading::Turned(&words)))
            || (self.read)(View::Reversed, Reading::Turned(&letters::reversed(&self.plain.words)))
    }

    fn folded(&mut self, view: View, text: String) -> Over {
        self.text(view, &Folded::from_folded(text))
    }

    fn text(&mut self, view: View, folded: &Folded) -> Over {
        (self.read)(view, Reading::Folded(folded))
    }
}
