//! Pictures, of people and of tools: judged by their bytes, not by their label (H-4).

use std::sync::Arc;

use data_encoding::BASE64;
use parlor_agent::ContentBlock;
use parlor_picture::PictureError;
use parlor_protocol::ImageAttachment;
use parlor_storage::NewImage;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::error::ChatError;

/// How many pictures are decoded at the same time: one may take hundreds of megabytes.
const AT_ONCE: usize = 2;
/// How many pictures of one result are shown.
const MOST_OF_RESULT: usize = 10;

/// Looks at pictures, off the threads that serve, and a few at a time.
#[derive(Debug, Clone)]
pub(crate) struct PictureChecks(Arc<Semaphore>);

impl PictureChecks {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }

    /// Reads a picture that came with a message.
    pub(crate) async fn read(
        &self,
        attachment: ImageAttachment,
        most_bytes: usize,
    ) -> Result<NewImage, ChatError> {
        let read = self.run(move || look_at(&attachment, most_bytes)).await;
        read.unwrap_or_else(|| Err(ChatError::BadImage("The picture cannot be read.".into())))
    }

    /// Takes the pictures out of what a tool gave back, to be stored under their
    /// ids. One that is none becomes words, for the model too.
    pub(crate) async fn of_result(
        &self,
        content: Vec<ContentBlock>,
        most_bytes: usize,
    ) -> (Vec<ContentBlock>, Vec<NewImage>) {
        if !content.iter().any(|block| matches!(block, ContentBlock::Image { .. })) {
            return (content, Vec::new());
        }
        let unread = without_pictures(&content);
        let read = self.run(move || take_pictures(content, most_bytes)).await;
        read.unwrap_or((unread, Vec::new()))
    }

    /// `None` if it could not be carried out: a decoder that fails in its own
    /// code takes nothing else down.
    async fn run<T: Send + 'static>(&self, look: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let _turn = self.0.acquire().await.ok()?;
        spawn_blocking(look).await.ok()
    }
}

fn take_pictures(
    content: Vec<ContentBlock>,
    most_bytes: usize,
) -> (Vec<ContentBlock>, Vec<NewImage>) {
    let mut images = Vec::new();
    let content = content.into_iter().map(|block| {
        let ContentBlock::Image { data, .. } = block else { return block };
        if images.len() == MOST_OF_RESULT {
            return left_out("there are too many");
        }
        match picture_of(&data, most_bytes) {
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

fn picture_of(data: &str, most_bytes: usize) -> Result<NewImage, String> {
    if data.len() / 4 * 3 > most_bytes + 3 {
        return Err("it is too large".to_owned());
    }
    let bytes = BASE64.decode(data.as_bytes()).map_err(|_| PictureError::Damaged.to_string())?;
    let media_type = parlor_picture::check(&bytes).map_err(|error| error.to_string())?;
    Ok(NewImage { id: Uuid::now_v7(), media_type: media_type.to_owned(), bytes })
}

fn without_pictures(content: &[ContentBlock]) -> Vec<ContentBlock> {
    let block = |block: &ContentBlock| match block {
        ContentBlock::Image { .. } => left_out("it cannot be read"),
        other => other.clone(),
    };
    content.iter().map(block).collect()
}

fn left_out(why: &str) -> ContentBlock {
    ContentBlock::text(format!("[a picture was left out: {why}]"))
}

fn look_at(attachment: &ImageAttachment, most_bytes: usize) -> Result<NewImage, ChatError> {
    let bytes = decode(&attachment.data, most_bytes)?;
    let media_type = parlor_picture::check(&bytes).map_err(refused)?;
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
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

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
        // The header is whole, and the picture is not.
        assert!(refused(attachment(&GIF[..GIF.len() - 4], "image/gif"), 1_000).contains("damaged"));
        let bomb = [&b"GIF89a\xff\xff\xff\xff\0\0\0"[..], &GIF[13..]].concat();
        assert!(refused(attachment(&bomb, "image/gif"), 1_000).contains("65535"));
        let prefixed = ImageAttachment {
            data: "data:image/gif;base64,AAAA".into(),
            media_type: "image/gif".into(),
        };
        assert!(refused(prefixed, 1_000).contains("without a prefix"));
    }

    /// H-4: of what a tool gave back, pictures are taken out, and what is none is
    /// said in words.
    #[tokio::test]
    async fn pictures_of_tools_are_judged_like_those_of_people() {
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
        let (content, images) = PictureChecks::new().of_result(content, 1_000).await;
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
