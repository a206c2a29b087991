//! Pictures: judged by their bytes, not by their label (H-4).

use data_encoding::BASE64;
use parlor_agents::picture::{self, PictureError};
use parlor_protocol::ImageAttachment;
use parlor_storage::NewImage;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::error::ChatError;

/// Reads a picture that came with a message. Megabytes take milliseconds, and not
/// those of a thread that serves.
pub(crate) async fn read(
    attachment: ImageAttachment,
    most_bytes: usize,
) -> Result<NewImage, ChatError> {
    let read = spawn_blocking(move || look_at(&attachment, most_bytes)).await;
    read.unwrap_or_else(|_| Err(ChatError::BadImage("The picture cannot be read.".into())))
}

fn look_at(attachment: &ImageAttachment, most_bytes: usize) -> Result<NewImage, ChatError> {
    let bytes = decode(&attachment.data, most_bytes)?;
    let media_type = picture::media_type(&bytes).map_err(refused)?;
    let said: String = attachment.media_type.trim().chars().take(40).collect();
    if said.is_empty() {
        let missing = format!("The picture does not say its media_type; it is {media_type}.");
        return Err(ChatError::BadImage(missing));
    }
    if !said.eq_ignore_ascii_case(media_type) {
        let other = format!("The picture says that it is {said}, but it is {media_type}.");
        return Err(ChatError::BadImage(other));
    }
    Ok(NewImage { id: Uuid::now_v7(), media_type: media_type.to_owned(), bytes })
}

fn decode(data: &str, most_bytes: usize) -> Result<Vec<u8>, ChatError> {
    // Four characters carry three bytes; nothing larger is decoded.
    if data.len() / 4 * 3 > most_bytes + 3 {
        return Err(too_large(most_bytes));
    }
    let bytes = BASE64.decode(data.as_bytes()).map_err(|_| {
        ChatError::BadImage("The picture is not valid base64 (send it without a prefix).".into())
    })?;
    if bytes.len() > most_bytes { Err(too_large(most_bytes)) } else { Ok(bytes) }
}

fn too_large(most_bytes: usize) -> ChatError {
    let most = match most_bytes >> 20 {
        0 => format!("{} KB", most_bytes >> 10),
        megabytes => format!("{megabytes} MB"),
    };
    ChatError::TooLarge(format!("The picture is larger than {most}; please send a smaller one."))
}

fn refused(error: PictureError) -> ChatError {
    match error {
        PictureError::OtherKind => ChatError::BadImage(
            "The picture is not a JPEG, PNG, WebP or GIF; please convert it.".into(),
        ),
        PictureError::Damaged => ChatError::BadImage("The picture is damaged.".into()),
        PictureError::TooManyPixels { width, height } => ChatError::TooLarge(format!(
            "The picture has {width} × {height} pixels; please send a smaller one."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GIF of one pixel.
    const GIF: &[u8] =
        b"GIF89a\x01\0\x01\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\0;";

    fn attachment(bytes: &[u8], media_type: &str) -> ImageAttachment {
        ImageAttachment { data: BASE64.encode(bytes), media_type: media_type.into() }
    }

    /// H-4: the bytes decide, and each refusal says why.
    #[test]
    fn pictures_are_judged_by_their_bytes() {
        let good = look_at(&attachment(GIF, "image/gif"), 1_000).unwrap();
        assert_eq!((good.media_type.as_str(), good.bytes.as_slice()), ("image/gif", GIF));
        let refused = |attachment, most| look_at(&attachment, most).unwrap_err().to_string();
        assert!(refused(attachment(GIF, "image/png"), 1_000).contains("but it is image/gif"));
        assert!(
            refused(attachment(b"<svg xmlns='x'/>", "image/svg+xml"), 1_000).contains("not a JPEG")
        );
        assert!(
            refused(attachment(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"), 1_000)
                .contains("damaged")
        );
        assert!(refused(attachment(&[0; 2_000], "image/gif"), 1_000).contains("larger than"));
        let bomb = [&b"GIF89a\xff\xff\xff\xff\0\0\0"[..], &GIF[13..]].concat();
        assert!(refused(attachment(&bomb, "image/gif"), 1_000).contains("65535"));
        let prefixed = ImageAttachment {
            data: "data:image/gif;base64,AAAA".into(),
            media_type: "image/gif".into(),
        };
        assert!(refused(prefixed, 1_000).contains("without a prefix"));
    }
}
