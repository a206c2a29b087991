//! A person's message from the blocks that an editor sends. Pure.
//!
//! A link that the person referred to becomes text, by its name and address. So does a text file
//! that comes along: editors send parts of files, and the person's words are about them. All of that
//! is the person's message, and the guardrail judges it as such. Pictures and other files are files
//! of the message.

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, Error};
use serde_json::json;

use crate::attached::Attached;

/// A person's message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PersonMessage {
    pub(super) text: String,
    pub(super) attached: Attached,
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
                    self.attached.add(Some(&file.uri), &media_type, file.blob);
                }
                _ => return Err(refused("it holds a resource of an unknown kind")),
            },
            ContentBlock::Image(image) => self.attached.add(None, &image.mime_type, image.data),
            ContentBlock::Audio(_) => return Err(refused("it holds audio")),
            _ => return Err(refused("it holds a block of an unknown kind")),
        }
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

    use parlor_protocol::ChatRequest;

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
        assert_eq!(attached(message), ["image image/png"]);
    }

    fn attached(message: PersonMessage) -> Vec<String> {
        let mut request = ChatRequest::default();
        message.attached.put_into(&mut request);
        let image = request.image.into_iter().flatten();
        let image = image.map(|image| format!("image {}", image.media_type));
        let files = request.files.into_iter().flatten();
        image.chain(files.map(|file| file.name)).collect()
    }

    /// B-5, U-9: several images and other files are files; the server says which it takes.
    #[test]
    fn files_come_along() {
        let image = || ContentBlock::Image(ImageContent::new("AAAA", "image/png"));
        let pdf = BlobResourceContents::new("AAAA", "file:///a/b.pdf").mime_type("application/pdf");
        let pdf = embedded(EmbeddedResourceResource::BlobResourceContents(pdf));
        let message = PersonMessage::from_blocks(vec![image(), image(), pdf]).unwrap();
        assert_eq!(attached(message), ["picture-1.png", "picture-2.png", "file:///a/b.pdf"]);
    }

    /// B-5: what cannot be sent is refused as a whole, with the reason.
    #[test]
    fn what_cannot_be_sent_is_refused() {
        let audio = ContentBlock::Audio(AudioContent::new("AAAA", "audio/wav"));
        let error = PersonMessage::from_blocks(vec![audio]).unwrap_err();
        assert_eq!(i32::from(error.code), -32602);
        assert!(error.message.contains("audio"), "{}", error.message);
    }
}
