//! Files that come with a message: pictures, PDF and text (U-9).
//!
//! 1. [`check`]: what each file is by its bytes, whether it is within the limits, and whether the
//!    agent can take it. Whatever is refused is named, before anything is stored.
//! 2. The text of a PDF is read by a process of its own ([`crate::read_pdf`]).
//! 3. The guardrail judges the text as a document: a finding labels the file. Its words are those of
//!    others then, and the ledger says so with the message ([`crate::flow`]).
//! 4. The raw history names the files; their bytes are stored once, in `images`. When a turn
//!    begins, [`content`] puts them in place: what the model takes as it is, all else as text that
//!    is marked as the content of a file. What is old or large is left out.

mod check;
pub(crate) mod content;

use parlor_agent::{AttachedFile, PDF, Takes, tokens_of_file};
use parlor_protocol::FileReference;
use parlor_storage::StoredFile;
use uuid::Uuid;

pub(crate) use check::of_message;

/// A file of a message.
#[derive(Debug, Clone)]
pub(crate) struct MessageFile {
    pub(crate) file: StoredFile,
    /// Whether it came as the image of the message, which clients know by another name.
    pub(crate) is_image: bool,
    /// Whether it is stored already, with an earlier message.
    pub(crate) is_stored: bool,
}

impl MessageFile {
    /// As the raw history names it.
    pub(crate) fn attached(&self, takes: Takes) -> AttachedFile {
        let StoredFile { id, media_type, bytes, facts } = &self.file;
        let looked_at = media_type == PDF && takes.pdf && !facts.text_only;
        let pages = if looked_at { u64::from(facts.pages.unwrap_or(1)) } else { 0 };
        let text = self.file.text().unwrap_or_default();
        AttachedFile {
            id: *id,
            name: facts.name.clone(),
            media_type: media_type.clone(),
            bytes: bytes.len() as u64,
            tokens: tokens_of_file(self.file.is_picture(), text, pages),
            mark: Uuid::now_v7().simple().to_string().split_off(20),
            suspicious: facts.suspicious.clone(),
            text_only: facts.text_only,
        }
    }

    /// As the message names it.
    pub(crate) fn reference(&self) -> FileReference {
        let StoredFile { id, media_type, bytes, facts } = &self.file;
        FileReference {
            id: *id,
            name: facts.name.clone().unwrap_or_default(),
            media_type: media_type.clone(),
            size: bytes.len() as u64,
            pages: facts.pages,
            suspicious: facts.suspicious.clone(),
            no_text: media_type == PDF && facts.text.as_deref().is_none_or(str::is_empty),
        }
    }
}
