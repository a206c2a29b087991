//! Images, of people and of tools: checked by their bytes, not by their label (H-4).

use std::sync::Arc;

use data_encoding::BASE64;
use parlor_agent::ContentBlock;
use parlor_picture::PictureError;
use parlor_protocol::ImageAttachment;
use parlor_storage::StoredFile;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::error::ChatError;

/// How many images are decoded at the same time: one may take hundreds of megabytes.
const MAX_PARALLEL: usize = 2;
/// The most images of one tool result that are shown.
const MAX_OF_RESULT: usize = 10;

/// Decodes images on blocking threads, a few at a time.
#[derive(Debug, Clone)]
pub(crate) struct ImageChecks(Arc<Semaphore>);

impl ImageChecks {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_PARALLEL)))
    }

    /// Checks an image that came with a message.
    pub(crate) async fn check(
        &self,
        attachment: ImageAttachment,
        max_bytes: usize,
    ) -> Result<StoredFile, ChatError> {
        let read = self.run(move || check_attachment(&attachment, max_bytes)).await;
        read.unwrap_or_else(|| Err(ChatError::BadImage("The picture cannot be read.".into())))
    }

    /// Whether an image can be decoded; it comes back then.
    pub(crate) async fn decode(&self, bytes: Vec<u8>) -> Result<Vec<u8>, PictureError> {
        let decode = move || parlor_picture::check(&bytes).map(|_| bytes);
        self.run(decode).await.unwrap_or(Err(PictureError::Damaged))
    }

    /// Takes the images out of a tool result, to be stored under their ids. One that is
    /// not valid is replaced by a text, for the model too.
    pub(crate) async fn of_result(
        &self,
        content: Vec<ContentBlock>,
        max_bytes: usize,
    ) -> (Vec<ContentBlock>, Vec<StoredFile>) {
        if !content.iter().any(|block| matches!(block, ContentBlock::Image { .. })) {
            return (content, Vec::new());
        }
        let unread = without_images(&content);
        let read = self.run(move || take_images(content, max_bytes)).await;
        read.unwrap_or((unread, Vec::new()))
    }

    /// `None` if the decoder panicked.
    async fn run<T: Send + 'static>(
        &self,
        decode: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let _permit = self.0.acquire().await.ok()?;
        spawn_blocking(decode).await.ok()
    }
}

fn take_images(
    content: Vec<ContentBlock>,
    max_bytes: usize,
) -> (Vec<ContentBlock>, Vec<StoredFile>) {
    let mut images = Vec::new();
    let content = content.into_iter().map(|block| {
        let ContentBlock::Image { data, .. } = block else { return block };
        if images.len() == MAX_OF_RESULT {
            return left_out("there are too many");
        }
        match image_of(&data, max_bytes) {
            Ok(image) => {
                let media_type = image.media_type.clone();
                images.push(image);
                ContentBlock::Image { media_type, data }
            }
            Err(why) => left_out(&why),
        }
    });
    (content.collect(), images)
}

fn image_of(data: &str, max_bytes: usize) -> Result<StoredFile, String> {
    if data.len() / 4 * 3 > max_bytes + 3 {
        return Err("it is too large".to_owned());
    }
    let bytes = BASE64.decode(data.as_bytes()).map_err(|_| PictureError::Damaged.to_string())?;
    let media_type = parlor_picture::check(&bytes).map_err(|error| error.to_string())?;
    Ok(StoredFile::picture(Uuid::now_v7(), media_type, bytes))
}

fn without_images(content: &[ContentBlock]) -> Vec<ContentBlock> {
    let block = |block: &ContentBlock| match block {
        ContentBlock::Image { .. } => left_out("it cannot be read"),
        other => other.clone(),
    };
    content.iter().map(block).collect()
}

fn left_out(why: &str) -> ContentBlock {
    ContentBlock::text(format!("[a picture was left out: {why}]"))
}

fn check_attachment(
    attachment: &ImageAttachment,
    max_bytes: usize,
) -> Result<StoredFile, ChatError> {
    let bytes = decode(&attachment.data, max_bytes)?;
    let media_type = parlor_picture::check(&bytes).map_err(refused)?;
    let claimed: String = attachment.media_type.trim().chars().take(40).collect();
    if claimed.is_empty() {
        let missing = format!("The picture does not say its media_type; it is {media_type}.");
        return Err(ChatError::BadImage(missing));
    }
    if !claimed.eq_ignore_ascii_case(media_type) {
        let other = format!("The picture says that it is {claimed}, but it is {media_type}.");
        return Err(ChatError::BadImage(other));
    }
    Ok(StoredFile::picture(Uuid::now_v7(), media_type, bytes))
}

fn decode(data: &str, max_bytes: usize) -> Result<Vec<u8>, ChatError> {
    // Four characters of base64 are three bytes; nothing larger is decoded.
    if data.len() / 4 * 3 > max_bytes + 3 {
        return Err(too_large(max_bytes));
    }
    let bytes = BASE64.decode(data.as_bytes()).map_err(|_| {
        ChatError::BadImage("The picture is not valid base64 (send it without a prefix).".into())
    })?;
    if bytes.len() > max_bytes { Err(too_large(max_bytes)) } else { Ok(bytes) }
}

fn too_large(max_bytes: usize) -> ChatError {
    let limit = match max_bytes >> 20 {
        0 => format!("{} KB", max_bytes >> 10),
        megabytes => format!("{megabytes} MB"),
    };
    ChatError::TooLarge(format!("The picture is larger than {limit}; please send a smaller one."))
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
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

    fn attachment(bytes: &[u8], media_type: &str) -> ImageAttachment {
        ImageAttachment { data: BASE64.encode(bytes), media_type: media_type.into() }
    }

    /// H-4: the bytes decide, and each refusal says why.
    #[test]
    fn images_are_checked_by_their_bytes() {
        let good = check_attachment(&attachment(GIF, "image/gif"), 1_000).unwrap();
        assert_eq!((good.media_type.as_str(), good.bytes.as_slice()), ("image/gif", GIF));
        let refused =
            |attachment, most| check_attachment(&attachment, most).unwrap_err().to_string();
        assert!(refused(attachment(GIF, "image/png"), 1_000).contains("but it is image/gif"));
        assert!(
            refused(attachment(b"<svg xmlns='x'/>", "image/svg+xml"), 1_000).contains("not a JPEG")
        );
        assert!(
            refused(attachment(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"), 1_000)
                .contains("damaged")
        );
        assert!(refused(attachment(&[0; 2_000], "image/gif"), 1_000).contains("larger than"));
        // The header is complete, the image is not.
        assert!(refused(attachment(&GIF[..GIF.len() - 4], "image/gif"), 1_000).contains("damaged"));
        let bomb = [&b"GIF89a\xff\xff\xff\xff\0\0\0"[..], &GIF[13..]].concat();
        assert!(refused(attachment(&bomb, "image/gif"), 1_000).contains("65535"));
        let prefixed = ImageAttachment {
            data: "data:image/gif;base64,AAAA".into(),
            media_type: "image/gif".into(),
        };
        assert!(refused(prefixed, 1_000).contains("without a prefix"));
    }

    /// H-4: the images of a tool result are taken out; a text replaces one that is not valid.
    #[tokio::test]
    async fn images_of_tools_are_checked_like_those_of_people() {
        let picture = |bytes: &[u8]| ContentBlock::Image {
            media_type: "image/x-claimed".into(),
            data: BASE64.encode(bytes),
        };
        let content = vec![
            ContentBlock::text("Here."),
            picture(GIF),
            picture(&GIF[..GIF.len() - 4]),
            picture(&[0; 2_000]),
            ContentBlock::Image { media_type: "image/png".into(), data: "no base64".into() },
        ];
        let (content, images) = ImageChecks::new().of_result(content, 1_000).await;
        assert_eq!(images.len(), 1);
        assert_eq!((images[0].media_type.as_str(), images[0].bytes.as_slice()), ("image/gif", GIF));
        let shown =
            ContentBlock::Image { media_type: "image/gif".into(), data: BASE64.encode(GIF) };
        let words = |why: &str| ContentBlock::text(format!("[a picture was left out: {why}]"));
        let damaged = words("it is damaged");
        let expected = [
            ContentBlock::text("Here."),
            shown,
            damaged.clone(),
            words("it is too large"),
            damaged,
        ];
        assert_eq!(content, expected);
    }
}
