//! Pictures and files of a message in another protocol, as ours takes them. Pure.
//!
//! A single picture without a name is the image of the message, as clients of that protocol have
//! always sent it; anything more is a list of files.

use parlor_protocol::{ChatRequest, FileAttachment, ImageAttachment};

/// What came with a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Attached(Vec<One>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct One {
    name: Option<String>,
    media_type: String,
    data: String,
}

impl Attached {
    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a picture or a file: base64, with what the client says it is.
    pub(crate) fn add(&mut self, name: Option<&str>, media_type: &str, data: String) {
        let name = name.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        self.0.push(One { name, media_type: media_type.to_owned(), data });
    }

    /// The same from a data URL: `data:image/png;base64,…`. False if it is none.
    pub(crate) fn add_url(&mut self, name: Option<&str>, url: &str) -> bool {
        let parts = url.strip_prefix("data:").and_then(|url| url.split_once(','));
        let Some((head, data)) = parts else { return false };
        let Some(media_type) = head.strip_suffix(";base64") else { return false };
        // A type may have parameters: `text/plain;charset=utf-8`.
        let media_type = media_type.split(';').next().unwrap_or_default();
        self.add(name, media_type, data.to_owned());
        true
    }

    /// All of it, for what makes a message the same one.
    pub(crate) fn contents(request: &ChatRequest) -> Vec<&[u8]> {
        let image = request.image.iter().flatten().map(|image| image.data.as_bytes());
        let files = request.files.iter().flatten();
        image.chain(files.flat_map(|file| [file.name.as_bytes(), file.data.as_bytes()])).collect()
    }

    /// Puts it into a request.
    pub(crate) fn put_into(mut self, request: &mut ChatRequest) {
        let is_image = |one: &One| one.name.is_none() && one.media_type.starts_with("image/");
        if self.0.len() == 1 && self.0.first().is_some_and(is_image) {
            let image = self.0.pop();
            let of = |One { data, media_type, .. }| ImageAttachment { data, media_type };
            request.image = Some(image.map(of));
            return;
        }
        if self.0.is_empty() {
            return;
        }
        let files = self.0.into_iter().enumerate().map(|(at, One { name, media_type, data })| {
            let name = name.unwrap_or_else(|| nameless(at + 1, &media_type));
            FileAttachment { name, data, media_type: Some(media_type) }
        });
        request.files = Some(files.collect());
    }
}

/// A name for what has none: `picture-1.png`, `file-2.pdf`.
fn nameless(number: usize, media_type: &str) -> String {
    let (kind, end) = media_type.split_once('/').unwrap_or(("", ""));
    let what = if kind == "image" { "picture" } else { "file" };
    let end = match end {
        "plain" | "" => "txt",
        "markdown" => "md",
        "jpeg" => "jpg",
        end => end,
    };
    format!("{what}-{number}.{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U-9, H-4: one picture stays the image of the message; more of them are files with names.
    #[test]
    fn one_picture_is_the_image() {
        let mut one = Attached::default();
        assert!(one.add_url(None, "data:image/png;base64,AAAA"));
        let mut request = ChatRequest::default();
        one.clone().put_into(&mut request);
        assert_eq!(request.image.unwrap().unwrap().media_type, "image/png");
        assert_eq!(request.files, None);

        assert!(one.add_url(Some(" a.txt "), "data:text/plain;charset=utf-8;base64,QUFB"));
        assert!(one.add_url(None, "data:application/pdf;base64,AAAA"));
        assert!(!one.add_url(None, "https://x.example/a.png"));
        assert!(!one.add_url(None, "data:text/plain,hello"));
        let mut request = ChatRequest::default();
        one.put_into(&mut request);
        let files = request.files.unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["picture-1.png", "a.txt", "file-3.pdf"]);
        assert_eq!(files[1].media_type.as_deref(), Some("text/plain"));
        assert_eq!(request.image, None);

        let mut request = ChatRequest::default();
        Attached::default().put_into(&mut request);
        assert_eq!(request, ChatRequest::default());
    }
}
