//! The content of a message: a text, or parts of text, pictures and files.

use parlor_protocol::ClientTool;
use serde_json::Value;

use super::errors::OpenAiError;
use crate::attached::Attached;

/// A text with its pictures and files.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) text: String,
    pub(super) attached: Attached,
}

impl Content {
    /// Reads content of chat completions (`text`, `image_url`, `file`) and of Responses
    /// (`input_text`, `output_text`, `input_image`, `input_file`).
    pub(super) fn read(content: &Value, param: &'static str) -> Result<Self, OpenAiError> {
        let refuse = |why: String| Err(OpenAiError::param(param, why));
        let parts = match content {
            Value::Null => return Ok(Self::default()),
            Value::String(text) => return Ok(Self { text: text.clone(), ..Self::default() }),
            Value::Array(parts) => parts,
            _ => return refuse("The content must be a text or a list of parts.".to_owned()),
        };
        let mut read = Self::default();
        for part in parts {
            let kind = part["type"].as_str().unwrap_or("?");
            match kind {
                "text" | "input_text" | "output_text" => {
                    read.add(part["text"].as_str().unwrap_or_default());
                }
                "refusal" => read.add(part["refusal"].as_str().unwrap_or_default()),
                "image_url" | "input_image" => {
                    let url = part["image_url"]["url"].as_str().or(part["image_url"].as_str());
                    if !url.is_some_and(|url| read.attached.add_url(None, url)) {
                        return refuse("A picture must come as a data URL in base64.".to_owned());
                    }
                }
                "file" | "input_file" => {
                    let file = if kind == "file" { &part["file"] } else { part };
                    let (name, url) = (file["filename"].as_str(), file["file_data"].as_str());
                    if !url.is_some_and(|url| read.attached.add_url(name, url)) {
                        return refuse(
                            "A file must come in file_data, as a data URL in base64: it is not \
                             fetched, and none is stored under a file_id."
                                .to_owned(),
                        );
                    }
                }
                other => return refuse(format!("A part of type {other} is not taken.")),
            }
        }
        Ok(read)
    }

    fn add(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }
}

/// A function of the client.
pub(super) fn client_tool(function: &Value) -> Result<ClientTool, OpenAiError> {
    let text = |key: &str| function[key].as_str().unwrap_or_default().to_owned();
    if text("name").is_empty() {
        return Err(OpenAiError::param("tools", "A function must have a name."));
    }
    Ok(ClientTool {
        name: text("name"),
        description: text("description"),
        input_schema: function["parameters"].clone(),
    })
}
