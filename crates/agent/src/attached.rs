//! Files that a person attached, in the raw history and on their way to a model.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The media type of a PDF.
pub const PDF: &str = "application/pdf";

/// A file that a person attached. Its content is stored apart, under its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttachedFile {
    /// Its id.
    pub id: Uuid,
    /// What the person calls it; a picture may have no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is, by its bytes.
    pub media_type: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// About how many tokens a model counts for it.
    pub tokens: u64,
    /// The word that ends its content for the model, which whoever wrote the file cannot know.
    pub mark: String,
    /// The guardrail's rule that its text matched: others wrote it, and it is data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicious: Option<String>,
    /// Whether only its text goes to the model, because the file itself was refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text_only: bool,
}

impl AttachedFile {
    /// Whether it is a picture.
    pub fn is_picture(&self) -> bool {
        self.media_type.starts_with("image/")
    }
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// What it is.
    pub media_type: String,
    /// Its bytes in base64, for a model that reads such files itself.
    pub data: Option<String>,
    /// Its text, marked as the content of a file, for all others.
    pub text: String,
}

/// A block that is one of these, as it is stored. An unknown field makes a block unknown: reading
/// it as ours would lose the field.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Attached<F, D> {
    File(F),
    Document(D),
}
