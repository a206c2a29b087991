//! Streamed text: raw pieces in, visible pieces out, a message for each finished block.
//!
//! A piece of the answer goes through, in this order: the answer limit, the filter for
//! secrets that the configuration names, the segmenter, which finds plans and questions, and
//! the sanitizer on its way into the live log. Reading from the agent pauses while text is
//! too far ahead of storage.

use std::borrow::Cow;
use std::time::Duration;

use parlor_guard::classifier::text_type;
use parlor_guard::sanitizer::{Sanitizer, StreamSanitizer};
use parlor_guard::segmenter::{Segment, Segmenter};
use parlor_guard::{CleanStream, process_output};
use parlor_protocol::message::Message;
use parlor_protocol::{MessageId, MessageType, PromptDraft, PromptId, metadata};
use parlor_storage::{BlockKind, NewEvent, StorageError};
use serde_json::json;
use uuid::Uuid;

use super::answer_limit::AnswerLimit;
use super::writer::TurnWriter;
use crate::log::{Ahead, ClosedBlock, Flusher};

/// How far text may be ahead of storage before reading pauses.
const MAX_AHEAD_BYTES: usize = 64 * 1024;
const MAX_AHEAD_TIME: Duration = Duration::from_secs(2);
/// The content of a message that was withheld.
const WITHHELD: &str = "This part of the answer was withheld.";

/// The text of a turn while it streams.
pub(super) struct TextStream {
    flusher: Flusher,
    pub(super) limit: AnswerLimit,
    secrets: SecretFilter,
    segmenter: Segmenter,
    segments: Vec<Segment>,
    open: Option<OpenTextBlock>,
    /// Questions that were found in the text: they open when the turn ends.
    questions: Vec<(PromptId, PromptDraft)>,
    /// Messages that are not in the history yet: they may still be withheld.
    unremembered: Vec<(MessageId, MessageType)>,
}

struct OpenTextBlock {
    kind: BlockKind,
    stream: CleanStream,
}

impl TextStream {
    pub(super) fn new(flusher: Flusher, limit: AnswerLimit, sanitizer: &Sanitizer) -> Self {
        Self {
            flusher,
            limit,
            secrets: SecretFilter::new(sanitizer),
            segmenter: Segmenter::new(),
            segments: Vec::new(),
            open: None,
            questions: Vec::new(),
            unremembered: Vec::new(),
        }
    }

    /// Whether the text held a question.
    pub(super) fn has_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// The text so far is in the history.
    pub(super) fn set_remembered(&mut self) {
        self.unremembered.clear();
    }

    /// The questions in the text.
    pub(super) fn take_questions(&mut self) -> Vec<(PromptId, PromptDraft)> {
        std::mem::take(&mut self.questions)
    }

    /// Takes a piece of the answer or of the reasoning.
    pub(super) async fn push(
        &mut self,
        writer: &mut TurnWriter,
        kind: BlockKind,
        piece: &str,
    ) -> Result<(), StorageError> {
        if self.secrets.kind != kind {
            self.release_held(writer).await?;
            self.secrets.kind = kind;
        }
        let piece = self.secrets.filter(self.limit.take(piece));
        match kind {
            BlockKind::Text => self.push_answer(writer, &piece).await,
            BlockKind::Thinking => self.append(writer, kind, &piece).await,
        }
    }

    /// Ends the block: what was held back comes out, and it becomes a message.
    pub(super) async fn end_block(&mut self, writer: &mut TurnWriter) -> Result<(), StorageError> {
        self.release_held(writer).await?;
        let mut segments = std::mem::take(&mut self.segments);
        std::mem::take(&mut self.segmenter).finish(&mut segments);
        self.push_segments(writer, &mut segments).await?;
        self.segments = segments;
        self.close_block(writer).await
    }

    /// Withholds the text since the last message for the history: its messages are replaced
    /// wherever they were shown or stored, and its questions do not open.
    pub(super) async fn withhold(&mut self, writer: &mut TurnWriter) -> Result<(), StorageError> {
        self.end_block(writer).await?;
        self.questions.clear();
        let withheld = std::mem::take(&mut self.unremembered);
        let is_withheld = |event: &NewEvent| {
            let message = event.message.as_ref().map(|message| message.get().id);
            message.is_some_and(|id| withheld.iter().any(|(withheld, _)| *withheld == id))
        };
        writer.pending.step.events.retain(|event| !is_withheld(event));
        for (id, message_type) in withheld {
            let shown_as = match message_type {
                MessageType::Thinking => MessageType::Thinking,
                _ => MessageType::Info,
            };
            let mut message = writer.new_message(id, shown_as);
            WITHHELD.clone_into(&mut message.content);
            metadata::WITHHELD.set(&mut message.metadata, &true);
            writer.add_message(message);
        }
        writer.commit().await
    }

    /// Takes a piece of the answer that holds no secret.
    async fn push_answer(
        &mut self,
        writer: &mut TurnWriter,
        piece: &str,
    ) -> Result<(), StorageError> {
        if self.segmenter.passes(piece) {
            return self.append(writer, BlockKind::Text, piece).await;
        }
        let mut segments = std::mem::take(&mut self.segments);
        self.segmenter.push(piece, &mut segments);
        self.push_segments(writer, &mut segments).await?;
        self.segments = segments;
        Ok(())
    }

    /// Passes on what could have been the beginning of a secret.
    async fn release_held(&mut self, writer: &mut TurnWriter) -> Result<(), StorageError> {
        let rest = self.secrets.finish();
        match self.secrets.kind {
            _ if rest.is_empty() => Ok(()),
            BlockKind::Thinking => self.append(writer, BlockKind::Thinking, &rest).await,
            BlockKind::Text => self.push_answer(writer, &rest).await,
        }
    }

    async fn push_segments(
        &mut self,
        writer: &mut TurnWriter,
        segments: &mut Vec<Segment>,
    ) -> Result<(), StorageError> {
        for segment in segments.drain(..) {
            match segment {
                Segment::Text(text) | Segment::Invalid { source: text } => {
                    self.append(writer, BlockKind::Text, &text).await?;
                }
                Segment::Plan { source, plan } => {
                    self.push_prompt(writer, &source, plan.into()).await?;
                }
                Segment::Question { source, question } => {
                    self.push_prompt(writer, &source, question.into()).await?;
                }
                Segment::Prompt { source, prompt } => {
                    self.push_prompt(writer, &source, *prompt).await?;
                }
            }
        }
        Ok(())
    }

    /// Appends a piece to the block of its kind.
    async fn append(
        &mut self,
        writer: &mut TurnWriter,
        kind: BlockKind,
        raw: &str,
    ) -> Result<(), StorageError> {
        if self.open.as_ref().is_some_and(|open| open.kind != kind) {
            self.close_block(writer).await?;
        }
        if self.open.is_none() {
            // White space alone does not begin a message.
            if raw.trim().is_empty() {
                return Ok(());
            }
            writer.commit().await?;
            writer.open_block(kind);
            let stream = CleanStream::new(&writer.sanitizer);
            self.open = Some(OpenTextBlock { kind, stream });
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        let ahead = writer.log.push(writer.identity(), raw, &mut open.stream)?;
        self.keep_pace(writer, ahead).await;
        Ok(())
    }

    /// Reports text to be stored, and waits while there is too much of it.
    async fn keep_pace(&mut self, writer: &TurnWriter, ahead: Ahead) {
        if ahead.first {
            self.flusher.add(&writer.log);
        }
        let is_late = ahead.since.is_some_and(|since| since.elapsed() > MAX_AHEAD_TIME);
        if ahead.bytes > MAX_AHEAD_BYTES || is_late {
            let mut stored = writer.log.stored();
            // A write that ended before this subscription is not signalled again. The log
            // outlives the turn, and so does the sender.
            if writer.log.is_ahead() {
                let _stored = stored.changed().await;
            }
        }
    }

    /// Turns the open block, if there is one, into a message of the next write.
    async fn close_block(&mut self, writer: &mut TurnWriter) -> Result<(), StorageError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        writer.log.finish(writer.identity(), open.stream)?;
        let closed = closed_block(writer).await?;
        writer.pending.step.closes_block = Some(closed.block);
        let message_type = match open.kind {
            BlockKind::Thinking => MessageType::Thinking,
            BlockKind::Text => text_type(closed.text.get()),
        };
        let message = Message {
            content: closed.raw,
            ..writer.new_message(closed.block.message, message_type)
        };
        self.unremembered.push((message.id, message.message_type.clone()));
        writer.add_message(message);
        Ok(())
    }

    /// A plan, a question or a prompt that was found in the text: a message of its own, and a
    /// prompt once the turn is over.
    async fn push_prompt(
        &mut self,
        writer: &mut TurnWriter,
        source: &str,
        draft: PromptDraft,
    ) -> Result<(), StorageError> {
        self.close_block(writer).await?;
        writer.commit().await?;
        let read = process_output(&writer.sanitizer, &json!({"type": "text", "text": source}));
        let prompt = PromptId::new(Uuid::now_v7());
        let mut message = Message {
            content: read.content,
            data: read.data,
            options: read.options,
            questions: read.questions,
            metadata: read.metadata,
            ..writer.new_message(MessageId::new(Uuid::now_v7()), read.message_type)
        };
        metadata::PROMPT_ID.set(&mut message.metadata, &prompt);
        self.questions.push((prompt, draft));
        self.unremembered.push((message.id, message.message_type.clone()));
        writer.add_message(message);
        writer.commit().await
    }
}

/// Waits until the flusher stores no text of the block any more.
async fn closed_block(writer: &TurnWriter) -> Result<ClosedBlock, StorageError> {
    let mut stored = writer.log.stored();
    loop {
        stored.mark_unchanged();
        if let Some(closed) = writer.log.close_block(writer.identity())? {
            return Ok(closed);
        }
        let _stored = stored.changed().await;
    }
}

/// Removes the secrets that the configuration names before anything else is done with a
/// text: streamed text is stored raw, for the model.
struct SecretFilter {
    sanitizer: Sanitizer,
    /// `None` if no secret is named.
    stream: Option<StreamSanitizer>,
    /// Of the text that streams.
    kind: BlockKind,
}

impl SecretFilter {
    fn new(sanitizer: &Sanitizer) -> Self {
        let stream = sanitizer.secrets_stream();
        Self { sanitizer: sanitizer.clone(), stream, kind: BlockKind::Text }
    }

    /// The piece without secrets, as far as it is certain by now.
    fn filter<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        let Some(stream) = &mut self.stream else { return Cow::Borrowed(piece) };
        if stream.passes(piece) {
            return Cow::Borrowed(piece);
        }
        let mut passed = String::new();
        stream.push(piece, &mut passed);
        Cow::Owned(passed)
    }

    /// Ends the text and returns what was held back.
    fn finish(&mut self) -> String {
        let mut rest = String::new();
        if let Some(stream) = self.stream.take_if(|stream| !stream.is_idle()) {
            stream.finish(&mut rest);
        }
        if self.stream.is_none() {
            self.stream = self.sanitizer.secrets_stream();
        }
        rest
    }
}
