//! Binary data in results. Base64 as text fills a model's context, and neither a model nor a person
//! can read it.

use rmcp::model::{ContentBlock as McpBlock, ResourceContents};
use serde_json::Value;

/// A base64 string of at least this length is data, whatever field it is in. Shorter ones may be
/// ids, hashes and tokens.
const SHORTEST_DATA: usize = 1_024;
/// Data of at least this length is also removed where it is repeated in the result.
const SHORTEST_REPEATED: usize = 32;

/// The data in the content blocks of a result.
#[derive(Debug)]
pub(super) struct Repeated(Vec<String>);

impl Repeated {
    /// Collects the data of these content blocks.
    pub(super) fn of<'a>(blocks: impl Iterator<Item = &'a McpBlock>) -> Self {
        let data = blocks.filter_map(|block| match block {
            McpBlock::Image(image) => Some(&image.data),
            McpBlock::Audio(audio) => Some(&audio.data),
            McpBlock::Resource(resource) => match &resource.resource {
                ResourceContents::BlobResourceContents { blob, .. } => Some(blob),
                _ => None,
            },
            _ => None,
        });
        Self(data.filter(|data| data.len() >= SHORTEST_REPEATED).cloned().collect())
    }

    /// The text without data that is a content block already.
    pub(super) fn cut(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, data| text.replace(data.as_str(), &note(data)))
    }

    /// The structured content without data; `None` if it only repeats content blocks.
    pub(super) fn without(&self, mut structured: Value) -> Option<Value> {
        let mut repeats = false;
        each_text(&mut structured, &mut |text| {
            repeats |= self.0.contains(text);
            if is_data(text) {
                *text = note(text);
            }
        });
        (!repeats).then_some(structured)
    }
}

/// The size of base64-encoded data, in words.
pub(super) fn sized(base64: &str) -> String {
    let padding = base64.bytes().rev().take(2).filter(|byte| *byte == b'=').count();
    match (base64.len() / 4 * 3).saturating_sub(padding) {
        bytes @ ..1_000 => format!("{bytes} bytes"),
        bytes @ ..1_000_000 => format!("{} KB", bytes.div_ceil(1_000)),
        bytes => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn note(data: &str) -> String {
    format!("[binary data, {}, left out]", sized(data))
}

/// Whether a string is pure base64 and too long to be anything but data.
fn is_data(text: &str) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    // A path or another word without spaces is never that long.
    text.len() >= SHORTEST_DATA && text.bytes().all(base64)
}

/// Applies a change to each string. Recursion is bounded by the parser's own limit.
fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| each_text(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
