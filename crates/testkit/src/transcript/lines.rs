//! The lines of a transcript.

use serde_json::Value;

/// Lines so far.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<String>);

impl Lines {
    /// Adds a text to the line of the same side, or begins a line.
    pub(super) fn say(&mut self, speaker: &str, words: &str) {
        match self.0.last_mut() {
            Some(last) if last.starts_with(&format!("{speaker}: ")) => {
                last.push_str("\n\n");
                last.push_str(words);
            }
            _ => self.0.push(format!("{speaker}: {words}")),
        }
    }

    /// A call with its arguments.
    pub(super) fn call(&mut self, id: &Value, name: &Value, arguments: &Value) {
        self.0.push(format!("call {}: {} {arguments}", text(id), text(name)));
    }

    /// A call whose arguments are text. What is no JSON is shown as it is.
    pub(super) fn call_saying(&mut self, id: &Value, name: &Value, arguments: &Value) {
        let arguments = text(arguments);
        let arguments = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
        self.call(id, name, &arguments);
    }

    /// A line of its own: the result of a call.
    pub(super) fn result(&mut self, id: &Value, words: &str) {
        self.0.push(format!("result {}: {words}", text(id)));
    }

    pub(super) fn picture(&mut self, media_type: &str) {
        self.0.push(format!("picture {media_type}"));
    }

    /// A picture as a `data:` URL.
    pub(super) fn picture_at(&mut self, url: &str) {
        self.picture(url.split([':', ';']).nth(1).unwrap_or_default());
    }
}

impl From<Lines> for Vec<String> {
    fn from(lines: Lines) -> Self {
        lines.0
    }
}

/// A text, or the texts of a list of blocks.
pub(super) fn words(content: &Value) -> String {
    let Some(parts) = content.as_array() else { return text(content) };
    let texts: Vec<String> = parts.iter().filter_map(|part| part.get("text")).map(text).collect();
    texts.join("\n\n")
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
