//! A person's message from the blocks that an editor sends. Pure.
//!
//! Files that the person referred to become text: a link by its name and address, one that
//! comes along by its content. All of it is the person's message, and the guardrail judges it
//! as such.

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, Error};
use parlor_protocol::ImageAttachment;
use serde_json::json;

/// A person's message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PersonMessage {
    pub(super) text: String,
    pub(super) image: Option<ImageAttachment>,
}

impl PersonMessage {
    /// From the blocks of a `session/prompt`.
    pub(super) fn from_blocks(blocks: Vec<ContentBlock>) -> Result<Self, Error> {
        let mut message = Self::default();
        for block in blocks {
            message.add(block)?;
        }
        Ok(message)
    }

    fn add(&mut self, block: ContentBlock) -> Result<(), Error> {
        match block {
            ContentBlock::Text(text) => self.text.push_str(&text.text),
            ContentBlock::ResourceLink(link) => {
                self.text.push_str(&format!("[{}]({})", link.name, link.uri));
            }
            ContentBlock::Resource(embedded) => match embedded.resource {
                EmbeddedResourceResource::TextResourceContents(file) => {
                    self.paragraph(&format!("{}:\n\n{}", file.uri, fenced(&file.text)));
                }
                EmbeddedResourceResource::BlobResourceContents(file) => {
                    let media_type = file.mime_type.unwrap_or_default();
                    if !media_type.starts_with("image/") {
                        return Err(refused(&format!("{} is neither text nor an image", file.uri)));
                    }
                    self.image(file.blob, media_type)?;
                }
                _ => return Err(refused("it holds a resource of an unknown kind")),
            },
            ContentBlock::Image(image) => self.image(image.data, image.mime_type)?,
            ContentBlock::Audio(_) => return Err(refused("it holds audio")),
            _ => return Err(refused("it holds a block of an unknown kind")),
        }
        Ok(())
    }

    fn image(&mut self, data: String, media_type: String) -> Result<(), Error> {
        if self.image.is_some() {
            return Err(refused("it holds more than one image; send one with each message"));
        }
        self.image = Some(ImageAttachment { data, media_type });
        Ok(())
    }

    fn paragraph(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }
}

/// In a fence that the text itself does not end.
fn fenced(text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}\n{text}{end}{fence}")
}

fn refused(why: &str) -> Error {
    let message = format!("The message was not sent: {why}.");
    let mut error = Error::invalid_params().data(json!({"code": "malformed", "message": message}));
    error.message = message;
    error
}

#[cfg(test)]
mod tests {
    use agent_client_protocol_schema::v1::{
        AudioContent, BlobResourceContents, EmbeddedResource, ImageContent, ResourceLink,
        TextResourceContents,
    };

    use super::*;

    fn embedded(resource: EmbeddedResourceResource) -> ContentBlock {
        ContentBlock::Resource(EmbeddedResource::new(resource))
    }

    /// B-5: files become text, and a fence in them does not end theirs.
    #[test]
    fn what_a_person_refers_to_becomes_text() {
        let file = TextResourceContents::new("a\n```\nb", "file:///work/a.md");
        let message = PersonMessage::from_blocks(vec![
            "Look at ".into(),
            ContentBlock::ResourceLink(ResourceLink::new("b.rs", "file:///work/b.rs")),
            embedded(EmbeddedResourceResource::TextResourceContents(file)),
            "What is wrong?".into(),
            ContentBlock::Image(ImageContent::new("AAAA", "image/png")),
        ])
        .unwrap();
        assert_eq!(
            message.text,
            "Look at [b.rs](file:///work/b.rs)\n\nfile:///work/a.md:\n\n````\na\n```\nb\n````\n\n\
             What is wrong?"
        );
        assert_eq!(message.image.unwrap().media_type, "image/png");
    }

    /// B-5: what cannot be sent is refused as a whole, with the reason.
    #[test]
    fn what_cannot_be_sent_is_refused() {
        let image = || ContentBlock::Image(ImageContent::new("AAAA", "image/png"));
        let zip = BlobResourceContents::new("AAAA", "file:///a.zip").mime_type("application/zip");
        for (blocks, why) in [
            (vec![image(), image()], "more than one image"),
            (vec![ContentBlock::Audio(AudioContent::new("AAAA", "audio/wav"))], "audio"),
            (
                vec![embedded(EmbeddedResourceResource::BlobResourceContents(zip))],
                "file:///a.zip is neither text nor an image",
            ),
        ] {
            let error = PersonMessage::from_blocks(blocks).unwrap_err();
            assert_eq!(i32::from(error.code), -32602);
            assert!(error.message.contains(why), "{}", error.message);
        }
    }
}
