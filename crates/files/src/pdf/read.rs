//! Interprets the pages of a PDF.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::font::GlyphRun;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, BezPath, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, interpret_page,
};

use super::layout::Layout;
use super::{Answer, Limits};

/// Reads a PDF. A panic of the parser is an answer too; what takes all time or memory ends the
/// process.
pub fn answer(bytes: &[u8], limits: Limits) -> Answer {
    let read = catch_unwind(AssertUnwindSafe(|| read(bytes, limits)));
    read.unwrap_or(Answer::Damaged)
}

fn read(bytes: &[u8], limits: Limits) -> Answer {
    let pdf = match Pdf::new(bytes.to_vec()) {
        Ok(pdf) => pdf,
        Err(LoadPdfError::Decryption(_)) => return Answer::Encrypted,
        Err(LoadPdfError::Invalid) => return Answer::Damaged,
    };
    let pages = pdf.pages().len();
    if pages == 0 {
        return Answer::Damaged;
    }
    if pages > limits.pages {
        return Answer::TooManyPages { pages };
    }
    let cache = InterpreterCache::new();
    let mut layout = Layout::new(limits.chars);
    for page in pdf.pages().iter() {
        let settings = InterpreterSettings::default();
        let bbox = Rect::new(0.0, 0.0, 1.0, 1.0);
        let mut context = Context::new(Affine::IDENTITY, bbox, &cache, pdf.xref(), settings);
        interpret_page(page, &mut context, &mut Words(&mut layout));
        layout.end_page();
        if layout.is_full() {
            return Answer::TooMuchText;
        }
    }
    Answer::Text { pages, text: layout.into_text(), protected: is_protected(bytes) }
}

/// Whether the trailer names an encryption. It is not compressed, wherever it stands.
fn is_protected(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"/Encrypt";
    let follows =
        |at: usize| bytes.get(at + NAME.len()).is_some_and(|c| !c.is_ascii_alphanumeric());
    bytes.windows(NAME.len()).enumerate().any(|(at, window)| window == NAME && follows(at))
}

/// Takes what is drawn as text. Pictures are not decoded, and paths are not kept.
struct Words<'l>(&'l mut Layout);

impl Device<'_> for Words<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        self.0.add(run, props.transform);
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}

    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {}

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
