//! The content of a message: a text, or parts of text and pictures.

use parlor_protocol::{ClientTool, ImageAttachment};
use serde_json::Value;

use super::errors::OpenAiError;

/// A text with its pictures.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) text: String,
    pub(super) image: Option<ImageAttachment>,
}

impl Content {
    /// Reads content of chat completions (`text`, `image_url`) and of Responses (`input_text`,
    /// `output_text`, `input_image`).
    pub(super) fn read(content: &Value, param: &'static str) -> Result<Self, OpenAiError> {
        let refuse = |why: String| Err(OpenAiError::param(param, why));
        let parts = match content {
            Value::Null => return Ok(Self::default()),
            Value::String(text) => return Ok(Self { text: text.clone(), image: None }),
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
                    let image = url.and_then(data_url);
                    if image.is_none() {
                        return refuse("A picture must come as a data URL in base64.".to_owned());
                    }
                    if read.image.is_some() {
                        return refuse("A message takes one picture.".to_owned());
                    }
                    read.image = image;
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

/// A picture in a data URL: `data:image/png;base64,…`.
fn data_url(url: &str) -> Option<ImageAttachment> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.strip_suffix(";base64")?;
    Some(ImageAttachment { data: data.to_owned(), media_type: media_type.to_owned() })
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
