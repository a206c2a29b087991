//! Decodes a picture to see whether it can be: from the first to the last byte,
//! in bounded memory. What comes out is thrown away.
//!
//! Of a moving picture the first frame counts, as it does for models; the others
//! are only walked over, which takes as long as the file.

use std::io::Cursor;
use std::num::NonZeroU64;

use image_webp::WebPDecoder;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::{Kind, PictureError, Size};

/// The most memory that one picture may take.
const MOST_MEMORY: usize = 256 << 20;
/// Passes over a progressive JPEG. Cameras and editors make ten; each pass takes
/// as long as the picture is large, however few bytes it has.
const MOST_SCANS: usize = 32;

/// What decoding takes for each pixel, at most: coefficients of three components
/// and one byte of output; and the transformed colours beside the output.
const JPEG_BYTES: usize = 7;
const WEBP_BYTES: usize = 8;

/// Whether the picture can be decoded.
pub(super) fn decode(kind: Kind, size: Size, bytes: &[u8]) -> Result<(), PictureError> {
    let fits = |bytes_per_pixel| {
        let fits = size.pixels().saturating_mul(bytes_per_pixel) <= MOST_MEMORY;
        fits.then_some(()).ok_or(size.too_many())
    };
    let decoded = match kind {
        Kind::Png => png(bytes),
        Kind::Gif => gif(bytes),
        Kind::Jpeg => {
            if is_progressive(bytes) {
                fits(JPEG_BYTES)?;
            }
            jpeg(bytes)
        }
        Kind::Webp => {
            fits(WEBP_BYTES)?;
            webp(bytes)
        }
    };
    decoded.ok_or(PictureError::Damaged)
}

/// Row by row, so that its size does not matter.
fn png(bytes: &[u8]) -> Option<()> {
    let limits = png::Limits { bytes: MOST_MEMORY };
    let decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    let mut reader = decoder.read_info().ok()?;
    while reader.next_row().ok()?.is_some() {}
    reader.finish().ok()
}

fn gif(bytes: &[u8]) -> Option<()> {
    let options = || {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        if let Some(most) = NonZeroU64::new(MOST_MEMORY as u64) {
            options.set_memory_limit(gif::MemoryLimit::Bytes(most));
        }
        options
    };
    options().read_info(bytes).ok()?.read_next_frame().ok()??;
    let mut walk = options();
    walk.skip_frame_decoding(true);
    let mut frames = walk.read_info(bytes).ok()?;
    while frames.next_frame_info().ok()?.is_some() {}
    Some(())
}

/// A tolerant decoder paints what is missing grey, as browsers do; models refuse
/// it. So the end of the picture has to be there as well.
fn jpeg(bytes: &[u8]) -> Option<()> {
    let options = DecoderOptions::default()
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
        .jpeg_set_max_scans(MOST_SCANS)
        .jpeg_set_out_colorspace(ColorSpace::Luma);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode().ok()?;
    let scan = bytes.windows(2).position(|marker| marker == [0xFF, 0xDA])?;
    bytes[scan..].windows(2).any(|marker| marker == [0xFF, 0xD9]).then_some(())
}

/// Whether all of the picture is held as coefficients until its last pass.
fn is_progressive(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|marker| marker == [0xFF, 0xC2])
}

fn webp(bytes: &[u8]) -> Option<()> {
    let said = bytes.get(4..8)?.try_into().ok().map(u32::from_le_bytes)?;
    if (bytes.len() as u64) < u64::from(said) + 8 {
        return None;
    }
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).ok()?;
    decoder.set_memory_limit(MOST_MEMORY);
    let mut pixels = vec![0; decoder.output_buffer_size()?];
    decoder.read_image(&mut pixels).ok()
}

#[cfg(test)]
mod tests {
    use crate::{PictureError, check};

    const PICTURES: [(&str, &[u8]); 6] = [
        ("image/png", include_bytes!("samples/plain.png")),
        ("image/jpeg", include_bytes!("samples/baseline.jpg")),
        ("image/jpeg", include_bytes!("samples/progressive.jpg")),
        ("image/webp", include_bytes!("samples/lossy.webp")),
        ("image/webp", include_bytes!("samples/lossless.webp")),
        ("image/gif", include_bytes!("samples/moving.gif")),
    ];

    /// H-4: what is whole passes; what was cut off anywhere does not.
    #[test]
    fn a_picture_is_whole_or_refused() {
        for (media_type, bytes) in PICTURES {
            assert_eq!(check(bytes), Ok(media_type));
            for end in 0..bytes.len() - 1 {
                assert!(check(&bytes[..end]).is_err(), "{media_type} cut off at {end}");
            }
        }
    }

    /// FAULTS 17: whatever bytes are changed, nothing panics.
    #[test]
    fn damage_never_panics() {
        for (_, bytes) in PICTURES {
            for at in 0..bytes.len() {
                for flip in [0x01, 0x80, 0xFF] {
                    let mut damaged = bytes.to_vec();
                    damaged[at] ^= flip;
                    let _either = check(&damaged);
                }
            }
        }
    }

    /// FAULTS 17: the header alone decides about what would take too much memory.
    #[test]
    fn absurd_sizes_are_not_decoded() {
        let mut png = PICTURES[0].1.to_vec();
        png[16..24].copy_from_slice(&[0, 0, 0x7F, 0xFF, 0, 0, 0x7F, 0xFF]);
        let refused = check(&png);
        assert!(matches!(refused, Err(PictureError::TooManyPixels { .. })), "{refused:?}");
        png[16..24].copy_from_slice(&[0; 8]);
        assert_eq!(check(&png), Err(PictureError::Damaged));
        assert_eq!(check(b""), Err(PictureError::OtherKind));
        assert_eq!(check(b"<svg/>"), Err(PictureError::OtherKind));
    }
}
