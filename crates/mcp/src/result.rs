//! The result of a tool as content that a model can read: texts and pictures, bounded.
//!
//! Everything else in a result is replaced by a short description. An unknown content block does
//! not invalidate the others. Binary data is never repeated as text: a server may send the same
//! picture as a content block and again in its structured content.

use data_encoding::BASE64;
use parlor_agent::ContentBlock;
use parlor_agent::tools::{AppResult, Artifact, ResultExtras, ToolOutcome};
use rmcp::model::{
    CallToolResult, ContentBlock as McpBlock, ErrorData, ResourceContents, ServerResult,
};
use serde_json::Value;

use super::binary::{Repeated, sized};
use super::labels;

/// The metadata key with which a server shows an artifact beside the chat.
const ARTIFACT: &str = "parlor/artifact";
const LONGEST_ARTIFACT_ID: usize = 200;

const MOST_BLOCKS: usize = 100;
const MOST_PICTURES: usize = 5;
/// 5 MB in base64: the limit of the model vendors.
const LARGEST_PICTURE: usize = 3_750_000;
/// The longest name, address or type that is repeated in a description.
const LONGEST_WORD: usize = 200;

/// The limits that apply to a result.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResultRules<'a> {
    /// The maximum size of its text, in bytes.
    pub(super) most_bytes: usize,
    /// The kinds of artifacts that the server may show.
    pub(super) artifacts: &'a [String],
    /// Whether a page shows the result, if apps of the server are shown at all.
    pub(super) app: Option<bool>,
    /// Whether the server is trusted to say that words are the people's own.
    pub(super) trusted_labels: bool,
}

/// The outcome of a call that was answered.
pub(super) fn outcome(result: ServerResult, rules: ResultRules<'_>) -> ToolOutcome {
    let Some(result) = read(result) else {
        return failed("The tool's answer could not be read.", rules);
    };
    let artifact = result.meta.as_ref().and_then(|meta| artifact(meta.get(ARTIFACT)?, rules));
    let app = rules.app.map(|shows| AppResult {
        structured: result.structured.clone().filter(|value| fits(value, rules.most_bytes)),
        is_shown: shows && !result.is_error,
    });
    let label = labels::of_result(result.meta.as_ref(), rules.trusted_labels);
    let mut content = Content::new(rules.most_bytes);
    let repeated = Repeated::of(result.blocks.iter().flatten());
    for block in result.blocks {
        content.add(block, &repeated);
    }
    if let Some(structured) = result.structured
        && !content.has_text
        && let Some(structured) = repeated.without(structured)
    {
        content.text(&structured.to_string());
    }
    let (is_error, extras) = (result.is_error, Box::new(ResultExtras { artifact, app, label }));
    ToolOutcome::Answered { content: content.finish(), is_error, extras }
}

/// The outcome of a call that the server rejected, with its error message.
pub(super) fn refused(error: &ErrorData, rules: ResultRules<'_>) -> ToolOutcome {
    failed(&error.message, rules)
}

/// The structured content of a result, unless the tool failed.
pub(super) fn structured(result: ServerResult) -> Option<Value> {
    read(result).filter(|result| !result.is_error)?.structured
}

/// The text of a result that consists of one text block, unless the tool failed.
pub(super) fn text(result: ServerResult) -> Option<String> {
    let mut blocks = read(result).filter(|result| !result.is_error)?.blocks.into_iter();
    match (blocks.next(), blocks.next()) {
        (Some(Ok(McpBlock::Text(text))), None) => Some(text.text),
        _ => None,
    }
}

fn failed(words: &str, rules: ResultRules<'_>) -> ToolOutcome {
    let mut content = Content::new(rules.most_bytes);
    content.text(words);
    ToolOutcome::answered(content.finish(), true)
}

/// What is too large for the chat is not shown by an app either.
fn fits(structured: &Value, most_bytes: usize) -> bool {
    structured.to_string().len() <= most_bytes
}

struct Answer {
    /// An unknown content block is represented by its type.
    blocks: Vec<Result<McpBlock, String>>,
    structured: Option<Value>,
    is_error: bool,
    meta: Option<serde_json::Map<String, Value>>,
}

fn read(result: ServerResult) -> Option<Answer> {
    match result {
        ServerResult::CallToolResult(CallToolResult {
            content,
            structured_content,
            is_error,
            meta,
            ..
        }) => Some(Answer {
            blocks: content.into_iter().map(Ok).collect(),
            structured: structured_content.filter(|value| !value.is_null()),
            is_error: is_error == Some(true),
            meta: meta.map(|meta| meta.0),
        }),
        // The library parses a result with an unknown content block as a different type.
        other => read_leniently(serde_json::to_value(other).ok()?),
    }
}

fn read_leniently(mut value: Value) -> Option<Answer> {
    let fields = value.as_object_mut()?;
    let Some(Value::Array(blocks)) = fields.remove("content") else { return None };
    let known = |block: Value| {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or("unknown").to_owned();
        serde_json::from_value(block).map_err(|_| kind)
    };
    Some(Answer {
        blocks: blocks.into_iter().map(known).collect(),
        structured: fields.remove("structuredContent").filter(|value| !value.is_null()),
        is_error: fields.get("isError") == Some(&Value::Bool(true)),
        meta: fields.get("_meta").and_then(Value::as_object).cloned(),
    })
}

fn artifact(value: &Value, rules: ResultRules<'_>) -> Option<Artifact> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let (kind, id) = (text("kind")?, text("id")?);
    let fits = rules.artifacts.contains(&kind) && (1..=LONGEST_ARTIFACT_ID).contains(&id.len());
    fits.then_some(Artifact { kind, id })
}

/// Collects content blocks up to the limits.
struct Content {
    blocks: Vec<ContentBlock>,
    most: usize,
    left: usize,
    left_out: usize,
    pictures: usize,
    has_text: bool,
}

impl Content {
    fn new(most: usize) -> Self {
        Self { blocks: Vec::new(), most, left: most, left_out: 0, pictures: 0, has_text: false }
    }

    fn add(&mut self, block: Result<McpBlock, String>, repeated: &Repeated) {
        match block {
            Ok(McpBlock::Text(text)) => self.text(&repeated.cut(&text.text)),
            Ok(McpBlock::Image(image)) => self.picture(image.data),
            Ok(McpBlock::Audio(audio)) => {
                let kind = word(&audio.mime_type);
                let size = sized(&audio.data);
                self.words(format!("a sound of the type {kind}, {size}, was left out"));
            }
            Ok(McpBlock::Resource(resource)) => self.resource(resource.resource),
            Ok(McpBlock::ResourceLink(link)) => {
                self.words(format!("a link: {}, {}", word(&link.name), word(&link.uri)));
            }
            Ok(_) => self.words("something was left out".to_owned()),
            Err(kind) => self.words(format!("something of the type {} was left out", word(&kind))),
        }
    }

    fn resource(&mut self, resource: ResourceContents) {
        match resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                self.words(word(&uri));
                self.text(&text);
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = word(mime_type.as_deref().unwrap_or("unknown"));
                if kind.starts_with("image/") {
                    self.words(word(&uri));
                    return self.picture(blob);
                }
                let (uri, size) = (word(&uri), sized(&blob));
                self.words(format!("{uri}, a file of the type {kind}, {size}, was left out"));
            }
            _ => self.words("something was left out".to_owned()),
        }
    }

    fn picture(&mut self, data: String) {
        if self.pictures == MOST_PICTURES {
            return self.words(format!("a picture was left out: there are over {MOST_PICTURES}"));
        }
        // Base64 encodes three bytes in four characters; nothing larger is decoded.
        if data.len() / 4 * 3 > LARGEST_PICTURE {
            return self.words("a picture was left out: it is too large".to_owned());
        }
        let bytes = BASE64.decode(data.as_bytes()).unwrap_or_default();
        match parlor_picture::media_type(&bytes) {
            Ok(media_type) if self.blocks.len() < MOST_BLOCKS => {
                self.pictures += 1;
                self.blocks.push(ContentBlock::Image { media_type: media_type.to_owned(), data });
            }
            Ok(_) => {}
            Err(error) => self.words(format!("a picture was left out: {error}")),
        }
    }

    fn words(&mut self, words: String) {
        self.push(&format!("[{words}]"));
    }

    fn text(&mut self, text: &str) {
        self.has_text |= !text.trim().is_empty();
        self.push(text);
    }

    fn push(&mut self, text: &str) {
        let mut end = text.len().min(self.left);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.left_out += text.len() - end;
        // After a cut nothing more is added: the rest would not follow on.
        self.left = if end < text.len() { 0 } else { self.left - end };
        if end > 0 {
            if self.blocks.len() < MOST_BLOCKS {
                self.blocks.push(ContentBlock::text(&text[..end]));
            } else {
                self.left_out += end;
            }
        }
    }

    fn finish(mut self) -> Vec<ContentBlock> {
        if self.left_out > 0 {
            let (left_out, most) = (self.left_out, self.most);
            self.blocks.push(ContentBlock::text(format!(
                "[… the result was truncated: {left_out} bytes were left out, at most {most} are \
                 shown. Ask for less at once …]"
            )));
        }
        self.blocks
    }
}

/// A short excerpt of a text from the server.
fn word(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_WORD).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GIF: &[u8] =
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

    fn answered(result: Value, most_bytes: usize) -> (Vec<ContentBlock>, bool, Option<Artifact>) {
        let artifacts = &["recipe".to_owned()];
        let result: ServerResult = serde_json::from_value(result).unwrap();
        match outcome(
            result,
            ResultRules { most_bytes, artifacts, app: None, trusted_labels: false },
        ) {
            ToolOutcome::Answered { content, is_error, extras } => {
                (content, is_error, extras.artifact)
            }
            other => panic!("{other:?}"),
        }
    }

    fn texts(result: Value, most: usize) -> Vec<String> {
        let text = |block: &ContentBlock| block.as_text().unwrap_or("a picture").to_owned();
        answered(result, most).0.iter().map(text).collect()
    }

    /// M-3: results are limited in size, and the model is told that they were cut.
    #[test]
    fn a_long_result_is_cut_off_and_says_so() {
        let long = json!({"content": [
            {"type": "text", "text": "12345"},
            {"type": "text", "text": "äöü"},
            {"type": "text", "text": "never"},
        ]});
        let cut = texts(long.clone(), 8);
        assert_eq!(cut[..2], ["12345", "ä"]);
        assert!(cut[2].contains("truncated: 9 bytes were left out, at most 8"), "{cut:?}");
        assert_eq!(texts(long, 16), ["12345", "äöü", "never"]);
        let many: Vec<Value> = (0..200).map(|_| json!({"type": "text", "text": "x"})).collect();
        assert_eq!(texts(json!({"content": many}), 1_000).len(), MOST_BLOCKS + 1);
    }

    /// Content that is not text is described, and an unknown content block does not affect the
    /// others.
    #[test]
    fn other_content_is_described_in_words() {
        let gif = BASE64.encode(GIF);
        let content = json!({"content": [
            {"type": "image", "data": gif, "mimeType": "image/svg+xml"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "image", "data": "no base64", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "words"}},
            {"type": "resource", "resource": {"uri": "file:///b", "blob": "AAAA"}},
            {"type": "resource_link", "uri": "file:///c", "name": "c"},
            {"type": "hologram", "size": 3},
        ], "isError": true});
        let (blocks, is_error, _) = answered(content.clone(), 1_000);
        assert!(is_error);
        let picture =
            ContentBlock::Image { media_type: "image/gif".into(), data: BASE64.encode(GIF) };
        assert_eq!(blocks[0], picture, "the bytes decide, not the label");
        assert_eq!(
            texts(content, 1_000)[1..],
            [
                "[a picture was left out: it is not a JPEG, PNG, WebP or GIF]",
                "[a picture was left out: it is not a JPEG, PNG, WebP or GIF]",
                "[a sound of the type audio/wav, 3 bytes, was left out]",
                "[file:///a]",
                "words",
                "[file:///b, a file of the type unknown, 3 bytes, was left out]",
                "[a link: c, file:///c]",
                "[something of the type hologram was left out]",
            ]
        );
    }

    #[test]
    fn structure_counts_where_there_is_no_text() {
        let both =
            json!({"content": [{"type": "text", "text": "two"}], "structuredContent": {"n": 2}});
        assert_eq!(texts(both, 100), ["two"]);
        assert_eq!(
            texts(json!({"content": [], "structuredContent": {"n": 2}}), 100),
            [r#"{"n":2}"#]
        );
        assert_eq!(texts(json!({"anything": 1}), 100), ["The tool's answer could not be read."]);
    }

    /// The filesystem server sends a picture as a content block and again as structured content: it
    /// becomes one picture, and never text.
    #[test]
    fn binary_data_is_never_repeated_as_text() {
        let gif = BASE64.encode(GIF);
        let block = json!({"type": "image", "data": gif, "mimeType": "image/gif"});
        let repeats = json!({"content": [block], "structuredContent": {"content": [block]}});
        assert_eq!(texts(repeats, 10_000), ["a picture"]);

        let as_text = json!({"content": [block, {"type": "text", "text": block.to_string()}]});
        let words = texts(as_text, 10_000);
        assert!(words[1].contains("image/gif") && !words[1].contains(&gif), "{words:?}");

        let embedded = json!({"content": [{"type": "resource", "resource":
            {"uri": "file:///a.gif", "mimeType": "image/gif", "blob": gif}}]});
        assert_eq!(texts(embedded, 10_000), ["[file:///a.gif]", "a picture"]);

        // Other structured content stays, except for binary data in it.
        let dump = BASE64.encode(&[7; 3_000]);
        let other = json!({"content": [block], "structuredContent": {"title": "Cat", "raw": dump}});
        assert_eq!(
            texts(other, 10_000),
            ["a picture", r#"{"title":"Cat","raw":"[binary data, 3 KB, left out]"}"#]
        );
    }

    /// Only artifacts of the configured kinds are shown.
    #[test]
    fn an_artifact_is_of_a_kind_that_is_listed() {
        let with = |kind: &str, id: &str| {
            let meta = json!({"parlor/artifact": {"kind": kind, "id": id}});
            answered(json!({"content": [], "_meta": meta}), 100).2
        };
        let recipe = Artifact { kind: "recipe".into(), id: "7".into() };
        assert_eq!(with("recipe", "7"), Some(recipe));
        assert_eq!(with("page", "7"), None);
        assert_eq!(with("recipe", &"7".repeat(201)), None);
    }
}
