//! Words and lines from glyphs: a PDF says where each glyph stands, and neither where a word nor
//! where a line ends.
//!
//! Glyphs are taken in the order in which they are drawn, which is that of reading in nearly all
//! files. A gap is a space, another baseline a new line, a far one a new paragraph.

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, Point, Vec2};

use crate::text::plain;

/// Parts of the font size: a gap of a word, another line, another paragraph, another column.
const SPACE: f64 = 0.17;
const LINE: f64 = 0.6;
const PARAGRAPH: f64 = 1.9;
const BACK: f64 = 1.0;
/// How near a copy of a run stands that makes it look bold.
const SAME: f64 = 0.08;

/// The text of the pages so far.
#[derive(Debug)]
pub(super) struct Layout {
    text: String,
    chars: usize,
    most: usize,
    /// Where the last glyph ended.
    last: Option<End>,
    /// How the last run began: what is drawn twice, filled and outlined, is there once.
    run: Option<(String, Point)>,
    /// The length of the text when the page began.
    page: usize,
}

#[derive(Debug, Clone, Copy)]
struct End {
    at: Point,
    size: f64,
}

impl Layout {
    pub(super) fn new(most: usize) -> Self {
        Self { text: String::new(), chars: 0, most, last: None, run: None, page: 0 }
    }

    /// Whether there is more than may be kept.
    pub(super) fn is_full(&self) -> bool {
        self.chars > self.most
    }

    pub(super) fn add(&mut self, run: &GlyphRun<'_, '_>, page: Affine) {
        for (number, glyph) in run.glyphs().iter().enumerate() {
            if self.is_full() {
                return;
            }
            let words = match glyph.as_unicode() {
                Some(BfString::Char(c)) => c.to_string(),
                Some(BfString::String(words)) => words,
                None => continue,
            };
            let advance = match &**glyph {
                Glyph::Outline(glyph) => glyph.advance_width().unwrap_or(500.0),
                Glyph::Type3(glyph) => glyph.advance_width().unwrap_or(500.0),
            };
            let transform = page * glyph.transform();
            if number == 0 && self.is_again(&words, transform) {
                return;
            }
            self.place(&words, transform, f64::from(advance));
        }
    }

    fn is_again(&mut self, words: &str, transform: Affine) -> bool {
        let start = transform * Point::ZERO;
        let size = ((transform * Point::new(0.0, 1000.0)) - start).hypot();
        let before = self.run.replace((words.to_owned(), start));
        before.is_some_and(|(said, at)| said == words && (start - at).hypot() < size * SAME)
    }

    /// A glyph with its transform from thousandths of its size.
    fn place(&mut self, words: &str, transform: Affine, advance: f64) {
        let start = transform * Point::ZERO;
        let along = (transform * Point::new(1.0, 0.0)) - start;
        let size = ((transform * Point::new(0.0, 1000.0)) - start).hypot();
        if !(start.x.is_finite() && start.y.is_finite() && size.is_finite()) {
            return;
        }
        if let Some(last) = self.last {
            self.gap(last, start, along.normalize(), size.max(last.size));
        }
        for c in plain(words) {
            self.push(c);
        }
        self.last = Some(End { at: transform * Point::new(advance, 0.0), size });
    }

    fn gap(&mut self, last: End, start: Point, along: Vec2, size: f64) {
        let moved = start - last.at;
        let (forward, aside) = (moved.dot(along), moved.cross(along).abs());
        let is_ended = self.text.ends_with(char::is_whitespace) || self.text.is_empty();
        if aside > size * PARAGRAPH {
            self.lines(2);
        } else if aside > size * LINE || forward < -size * BACK {
            self.lines(1);
        } else if forward > size * SPACE && !is_ended {
            self.push(' ');
        }
    }

    /// Ends the line, or the paragraph.
    fn lines(&mut self, wanted: usize) {
        while self.text.len() > self.page && self.text.ends_with(' ') {
            self.text.pop();
            self.chars -= 1;
        }
        if self.text.len() == self.page {
            return;
        }
        let there = self.text.chars().rev().take_while(|c| *c == '\n').count();
        (there..wanted).for_each(|_| self.push('\n'));
    }

    /// A page ends: the next one begins a paragraph.
    pub(super) fn end_page(&mut self) {
        self.lines(2);
        self.page = self.text.len();
        (self.last, self.run) = (None, None);
    }

    fn push(&mut self, c: char) {
        if !self.is_full() {
            self.text.push(c);
            self.chars += 1;
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text.trim().to_owned()
    }
}
