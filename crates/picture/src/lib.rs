//! Pictures, checked by their bytes and not by their label: a model that gets something else
//! refuses the whole conversation.
//!
//! Must never contain: IO, what a picture is for.
//!
//! [`media_type`] reads the header alone, at once. [`check`] decodes the whole
//! picture, within bounds of memory and time, and takes a while.

mod decode;

use imagesize::ImageType;

/// 8,000 × 8,000: the most that vendors take. A small file can unfold to gigabytes.
const MOST_PIXELS: usize = 64_000_000;

/// Why something is no picture for a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// Convert it.
    #[error("it is not a JPEG, PNG, WebP or GIF")]
    OtherKind,
    /// Send it again.
    #[error("it is damaged")]
    Damaged,
    /// Send a smaller one.
    #[error("it has {width} × {height} pixels")]
    TooManyPixels {
        /// How wide it says it is.
        width: usize,
        /// How high it says it is.
        height: usize,
    },
}

/// The kinds of pictures that models read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Jpeg,
    Png,
    Webp,
    Gif,
}

/// How large a picture says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    width: usize,
    height: usize,
}

/// The media type of a picture that a model can read, by its header.
pub fn media_type(bytes: &[u8]) -> Result<&'static str, PictureError> {
    header(bytes).map(|(kind, _)| kind.media_type())
}

/// The media type of a picture that can be decoded from its first to its last
/// byte. It takes up to seconds and hundreds of megabytes: call it off the async
/// threads, and a few at a time.
pub fn check(bytes: &[u8]) -> Result<&'static str, PictureError> {
    let (kind, size) = header(bytes)?;
    decode::decode(kind, size, bytes)?;
    Ok(kind.media_type())
}

fn header(bytes: &[u8]) -> Result<(Kind, Size), PictureError> {
    let kind = match imagesize::image_type(bytes) {
        Ok(ImageType::Jpeg) => Kind::Jpeg,
        Ok(ImageType::Png) => Kind::Png,
        Ok(ImageType::Webp) => Kind::Webp,
        Ok(ImageType::Gif) => Kind::Gif,
        _ => return Err(PictureError::OtherKind),
    };
    let size = imagesize::blob_size(bytes).map_err(|_| PictureError::Damaged)?;
    let size = Size { width: size.width, height: size.height };
    match size.pixels() {
        0 => Err(PictureError::Damaged),
        1..=MOST_PIXELS => Ok((kind, size)),
        _ => Err(size.too_many()),
    }
}

impl Kind {
    fn media_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Webp => "image/webp",
            Self::Gif => "image/gif",
        }
    }
}

impl Size {
    fn pixels(self) -> usize {
        self.width.saturating_mul(self.height)
    }

    fn too_many(self) -> PictureError {
        PictureError::TooManyPixels { width: self.width, height: self.height }
    }
}
