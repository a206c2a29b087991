//! Pictures, judged by their bytes and not by their label: a model that gets
//! something else refuses the whole conversation.

use imagesize::ImageType;

/// More pixels than any camera makes: a small file can unfold to gigabytes.
const MOST_PIXELS: usize = 100_000_000;

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

/// The media type of a picture that a model can read.
pub fn media_type(bytes: &[u8]) -> Result<&'static str, PictureError> {
    let media_type = match imagesize::image_type(bytes) {
        Ok(ImageType::Jpeg) => "image/jpeg",
        Ok(ImageType::Png) => "image/png",
        Ok(ImageType::Webp) => "image/webp",
        Ok(ImageType::Gif) => "image/gif",
        _ => return Err(PictureError::OtherKind),
    };
    let size = imagesize::blob_size(bytes).map_err(|_| PictureError::Damaged)?;
    let (width, height) = (size.width, size.height);
    if width.saturating_mul(height) > MOST_PIXELS {
        return Err(PictureError::TooManyPixels { width, height });
    }
    Ok(media_type)
}
