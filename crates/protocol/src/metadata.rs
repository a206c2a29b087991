//! The metadata of a message: every key that Parlor writes, with the type of its value.
//!
//! Metadata is an open JSON object on the wire, so that a client can ignore what it does
//! not know. Inside the server a key is one of these constants: its name is written once,
//! and its value has one type.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::budget::SpentBudget;
use crate::ids::{MessageId, PromptId};
use crate::question::Severity;
use crate::tool::ToolCall;

/// Facts about a message that are safe to show.
pub type Metadata = Map<String, Value>;

/// A key of a message's metadata, and the type of its value.
#[derive(Debug)]
pub struct MetadataKey<T: ?Sized> {
    name: &'static str,
    value: PhantomData<fn(&T)>,
}

/// An image that is stored, as metadata names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageReference {
    /// The id under which it can be fetched.
    pub id: Uuid,
    /// Its media type.
    pub media_type: String,
}

/// A file that is stored, as metadata names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FileReference {
    /// The id under which it can be fetched.
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub id: Uuid,
    /// What the person calls it.
    pub name: String,
    /// Its media type, by its bytes.
    pub media_type: String,
    /// How many bytes it has.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub size: u64,
    /// How many pages, for a PDF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// The guardrail's rule that its text matched: for the model others wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicious: Option<String>,
    /// No text was found in it: it is a scan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<bool>"))]
    pub no_text: bool,
}

impl FileReference {
    /// Whether it is a picture.
    pub fn is_picture(&self) -> bool {
        self.media_type.starts_with("image/")
    }
}

/// The prompt that the message shows.
pub const PROMPT_ID: MetadataKey<PromptId> = MetadataKey::new("prompt_id");
/// Who asks: `approval`, `agent`, or `mcp:<server>`.
pub const ORIGIN: MetadataKey<str> = MetadataKey::new("origin");
/// The kind of prompt that the message shows.
pub const PROMPT_TYPE: MetadataKey<str> = MetadataKey::new("prompt_type");
/// The prompt that the message answers.
pub const ANSWERS: MetadataKey<PromptId> = MetadataKey::new("answers");
/// The message that this one tries again (U-5).
pub const RETRY_OF: MetadataKey<MessageId> = MetadataKey::new("retry_of");
/// The product in which the message was written, if it was imported (Y-5).
pub const IMPORTED_FROM: MetadataKey<str> = MetadataKey::new("imported_from");
/// The message in whose place this one was put; both stay (U-7).
pub const EDIT_OF: MetadataKey<MessageId> = MetadataKey::new("edit_of");
/// The message that this one repeats, for another answer (U-7).
pub const REGENERATES: MetadataKey<MessageId> = MetadataKey::new("regenerates");
/// In the branch that this message left tools did what is not undone (U-7).
pub const CHANGES_STAY: MetadataKey<bool> = MetadataKey::new("changes_stay");
/// The image that came with a person's message.
pub const IMAGE: MetadataKey<ImageReference> = MetadataKey::new("image");
/// The files that came with a person's message (U-9).
pub const FILES: MetadataKey<[FileReference]> = MetadataKey::new("files");
/// The images of a tool's result.
pub const IMAGES: MetadataKey<[ImageReference]> = MetadataKey::new("images");

/// The person changed the arguments of the call.
pub const EDITED: MetadataKey<bool> = MetadataKey::new("edited");
/// The call as it was proposed, before the person changed it.
pub const PROPOSED: MetadataKey<ToolCall> = MetadataKey::new("proposed");
/// The tool that was called.
pub const TOOL: MetadataKey<str> = MetadataKey::new("tool");
/// The tool reported an error, or the call was not made.
pub const IS_ERROR: MetadataKey<bool> = MetadataKey::new("is_error");
/// The status of a tool's result.
pub const STATUS: MetadataKey<str> = MetadataKey::new("status");
/// The MCP server whose app shows a tool's result (I-6).
pub const APP: MetadataKey<str> = MetadataKey::new("app");
/// The MCP server that the person of the turn has to log in to, for a call that did not run (I-5).
pub const LOGIN: MetadataKey<str> = MetadataKey::new("login");
/// Others may have written words of a tool's result (F-1).
pub const OF_OTHERS: MetadataKey<bool> = MetadataKey::new("of_others");
/// What was read for a tool's result, in a word: a path, an address.
pub const READ: MetadataKey<str> = MetadataKey::new("read");
/// From this message on the model reads nothing that others wrote before.
pub const CLEARS: MetadataKey<bool> = MetadataKey::new("clears");
/// The guardrail's rule that a tool's result matched (G-8).
pub const SUSPICIOUS: MetadataKey<str> = MetadataKey::new("suspicious");

/// Why something failed or was not done, for programs.
pub const CODE: MetadataKey<str> = MetadataKey::new("code");
/// Whether trying again can help.
pub const RECOVERABLE: MetadataKey<bool> = MetadataKey::new("recoverable");
/// The budget that is used up (Y-3).
pub const BUDGET: MetadataKey<SpentBudget> = MetadataKey::new("budget");
/// What helps instead of trying again.
pub const REMEDY: MetadataKey<str> = MetadataKey::new("remedy");

/// A person stopped the answer here.
pub const STOPPED: MetadataKey<bool> = MetadataKey::new("stopped");
/// The answer reached a limit here, and can be continued.
pub const CUT_OFF: MetadataKey<bool> = MetadataKey::new("cut_off");
/// The limit in bytes at which the answer was cut off.
pub const CUT_OFF_BYTES: MetadataKey<usize> = MetadataKey::new("cut_off_bytes");
/// The agent failed in the middle of the answer.
pub const INCOMPLETE: MetadataKey<bool> = MetadataKey::new("incomplete");
/// The server went down in the middle of the answer.
pub const INTERRUPTED: MetadataKey<bool> = MetadataKey::new("interrupted");
/// The model's vendor withheld the answer.
pub const WITHHELD: MetadataKey<bool> = MetadataKey::new("withheld");

/// How urgent a question is.
pub const SEVERITY: MetadataKey<Severity> = MetadataKey::new("severity");
/// `warning` for a message that warns.
pub const LEVEL: MetadataKey<str> = MetadataKey::new("level");
/// The message is a part of a longer one.
pub const PARTIAL: MetadataKey<bool> = MetadataKey::new("partial");
/// Token counts, by name.
pub const USAGE: MetadataKey<Map<String, Value>> = MetadataKey::new("usage");
/// Why the model stopped.
pub const STOP_REASON: MetadataKey<str> = MetadataKey::new("stop_reason");
/// Why an agent program ended.
pub const TERMINAL_REASON: MetadataKey<str> = MetadataKey::new("terminal_reason");
/// How long it took.
pub const DURATION_MS: MetadataKey<u64> = MetadataKey::new("duration_ms");
/// How many turns an agent program took.
pub const NUM_TURNS: MetadataKey<u64> = MetadataKey::new("num_turns");
/// The exit code of a command.
pub const EXIT_CODE: MetadataKey<i64> = MetadataKey::new("exit_code");
/// The HTTP status of a vendor's error.
pub const ERROR_STATUS: MetadataKey<u64> = MetadataKey::new("error_status");
/// The number of an attempt, from 1.
pub const ATTEMPT: MetadataKey<u64> = MetadataKey::new("attempt");
/// How many attempts there are at most.
pub const MAX_RETRIES: MetadataKey<u64> = MetadataKey::new("max_retries");
/// In how long the next attempt is made.
pub const RETRY_DELAY_MS: MetadataKey<u64> = MetadataKey::new("retry_delay_ms");
/// How many tools were called.
pub const TOOL_CALLS: MetadataKey<u64> = MetadataKey::new("tool_calls");
/// An estimate of tokens.
pub const ESTIMATED_TOKENS: MetadataKey<u64> = MetadataKey::new("estimated_tokens");

impl<T: ?Sized> MetadataKey<T> {
    const fn new(name: &'static str) -> Self {
        Self { name, value: PhantomData }
    }

    /// Its name on the wire.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The value as it is on the wire, whatever its type.
    pub fn raw<'m>(&self, metadata: &'m Metadata) -> Option<&'m Value> {
        metadata.get(self.name)
    }

    /// Takes the value out.
    pub fn remove(&self, metadata: &mut Metadata) {
        metadata.remove(self.name);
    }
}

impl<T: Serialize + ?Sized> MetadataKey<T> {
    /// Sets the value. One that is not JSON is `null`; none of the types above is such.
    pub fn set(&self, metadata: &mut Metadata, value: &T) {
        let value = serde_json::to_value(value).unwrap_or_default();
        metadata.insert(self.name.to_owned(), value);
    }
}

impl<T: DeserializeOwned> MetadataKey<T> {
    /// The value, if it is there and of its type.
    pub fn get(&self, metadata: &Metadata) -> Option<T> {
        T::deserialize(self.raw(metadata)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-1: a key has one name, and its value one shape on the wire.
    #[test]
    fn a_value_is_written_and_read_under_its_name() {
        let mut metadata = Metadata::new();
        let image = ImageReference { id: Uuid::from_u128(1), media_type: "image/png".into() };
        IMAGE.set(&mut metadata, &image);
        STOPPED.set(&mut metadata, &true);
        ORIGIN.set(&mut metadata, "agent");
        IMAGES.set(&mut metadata, std::slice::from_ref(&image));
        let written = Value::Object(metadata.clone()).to_string();
        assert_eq!(
            written,
            r#"{"image":{"id":"00000000-0000-0000-0000-000000000001","media_type":"image/png"},"stopped":true,"origin":"agent","images":[{"id":"00000000-0000-0000-0000-000000000001","media_type":"image/png"}]}"#
        );
        assert_eq!(IMAGE.get(&metadata), Some(image));
        assert_eq!(PROMPT_ID.get(&metadata), None, "it is not there");
        metadata.insert("prompt_id".to_owned(), true.into());
        assert_eq!(PROMPT_ID.get(&metadata), None, "it is of another type");
        STOPPED.remove(&mut metadata);
        assert_eq!(STOPPED.raw(&metadata), None);
    }
}
