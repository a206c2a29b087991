//! Binary data in results: base64 is for programs. As text it fills a context with
//! what neither a model nor a person can read.

use rmcp::model::{ContentBlock as McpBlock, ResourceContents};
use serde_json::Value;

/// Strings of base64 from here on are data, whatever field they are in. Shorter
/// ones may be ids, hashes and tokens, which are for reading.
const SHORTEST_DATA: usize = 1_024;
/// Data from here on is looked for elsewhere in the result.
const SHORTEST_REPEATED: usize = 32;

/// The data that a result holds in its blocks.
#[derive(Debug)]
pub(super) struct Repeated(Vec<String>);

impl Repeated {
    /// The data of these blocks.
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

    /// A text without the data that comes as a block anyway.
    pub(super) fn cut(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, data| text.replace(data.as_str(), &note(data)))
    }

    /// Structure without data; nothing if it repeats what comes as a block anyway.
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

/// How much data this base64 carries, in words.
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

/// Whether a string is base64 and nothing else, and too long to be read.
fn is_data(text: &str) -> bool {
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    // Words in one piece, such as a path, are never as long.
    text.len() >= SHORTEST_DATA && text.bytes().all(base64)
}

/// Recursion is bounded by the parser's own limit.
fn each_text(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| each_text(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
