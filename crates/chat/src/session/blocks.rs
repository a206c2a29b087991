//! Text on its way: raw pieces in, shown pieces out, finished messages at the end.

use std::borrow::Cow;
use std::time::Duration;

use parlor_guard::classifier::text_type;
use parlor_guard::sanitizer::{Sanitizer, StreamSanitizer};
use parlor_guard::segmenter::{Segment, Segmenter};
use parlor_guard::{Clean, CleanStream, process_output};
use parlor_protocol::message::{Message, Metadata};
use parlor_protocol::{MessageId, MessageType, PromptDraft, PromptId, Role};
use parlor_storage::{BlockKind, NewEvent, StorageError};
use serde_json::json;
use uuid::Uuid;

use super::Session;
use crate::event_log::{Ahead, ClosedBlock};
use crate::flusher::Flusher;
use crate::texts::now;

/// How far text may be ahead of storage before reading pauses.
const MOST_AHEAD: usize = 64 * 1024;
const LONGEST_AHEAD: Duration = Duration::from_secs(2);
/// Stands for what was withheld.
const WITHHELD: &str = "This part of the answer was withheld.";

/// The text that streams right now.
pub(super) struct Blocks {
    flusher: Flusher,
    secrets: Secrets,
    segmenter: Segmenter,
    segments: Vec<Segment>,
    open: Option<Open>,
    /// Questions that were found in the text: they open with the end of the turn.
    questions: Vec<(PromptId, PromptDraft)>,
    /// Messages that are not in the history yet: they may still be withheld.
    unremembered: Vec<(MessageId, MessageType)>,
}

struct Open {
    kind: BlockKind,
    stream: CleanStream,
}

impl Blocks {
    pub(super) fn new(flusher: Flusher, sanitizer: &Sanitizer) -> Self {
        Self {
            flusher,
            secrets: Secrets::new(sanitizer),
            segmenter: Segmenter::new(),
            segments: Vec::new(),
            open: None,
            questions: Vec::new(),
            unremembered: Vec::new(),
        }
    }

    /// Whether something was asked in the text.
    pub(super) fn has_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// What was said so far is in the history.
    pub(super) fn is_remembered(&mut self) {
        self.unremembered.clear();
    }

    /// What was asked in the text.
    pub(super) fn take_questions(&mut self) -> Vec<(PromptId, PromptDraft)> {
        std::mem::take(&mut self.questions)
    }
}

/// Takes the secrets that the configuration names out of a text before anything else
/// is done with it: what streams is stored as it came, for the model.
struct Secrets {
    sanitizer: Sanitizer,
    /// None if no secret is named.
    stream: Option<StreamSanitizer>,
    /// Which text it is.
    kind: BlockKind,
}

impl Secrets {
    fn new(sanitizer: &Sanitizer) -> Self {
        let stream = sanitizer.secrets_stream();
        Self { sanitizer: sanitizer.clone(), stream, kind: BlockKind::Text }
    }

    /// The piece without secrets, as far as it is certain by now.
    fn without<'a>(&mut self, piece: &'a str) -> Cow<'a, str> {
        let Some(stream) = &mut self.stream else { return Cow::Borrowed(piece) };
        if stream.passes(piece) {
            return Cow::Borrowed(piece);
        }
        let mut passed = String::new();
        stream.push(piece, &mut passed);
        Cow::Owned(passed)
    }

    /// Ends the text: what was held back. The next one begins.
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

impl Session {
    /// Takes a piece of the answer.
    pub(super) async fn text(&mut self, piece: &str) -> Result<(), StorageError> {
        self.turn_to(BlockKind::Text).await?;
        let piece = self.blocks.secrets.without(self.room.take(piece));
        self.answer(&piece).await
    }

    /// Takes a piece of the reasoning.
    pub(super) async fn thinking(&mut self, piece: &str) -> Result<(), StorageError> {
        self.turn_to(BlockKind::Thinking).await?;
        let piece = self.blocks.secrets.without(self.room.take(piece));
        self.append(BlockKind::Thinking, &piece).await
    }

    /// Ends the block: what was held back comes out, and it becomes a message.
    pub(super) async fn end_block(&mut self) -> Result<(), StorageError> {
        self.release_held().await?;
        let mut segments = std::mem::take(&mut self.blocks.segments);
        std::mem::take(&mut self.blocks.segmenter).finish(&mut segments);
        self.show(&mut segments).await?;
        self.blocks.segments = segments;
        self.close_block().await
    }

    /// Takes a piece of the answer that holds no secret.
    async fn answer(&mut self, piece: &str) -> Result<(), StorageError> {
        if self.blocks.segmenter.passes(piece) {
            return self.append(BlockKind::Text, piece).await;
        }
        let mut segments = std::mem::take(&mut self.blocks.segments);
        self.blocks.segmenter.push(piece, &mut segments);
        self.show(&mut segments).await?;
        self.blocks.segments = segments;
        Ok(())
    }

    /// What comes next is reasoning, or is not.
    async fn turn_to(&mut self, kind: BlockKind) -> Result<(), StorageError> {
        if self.blocks.secrets.kind != kind {
            self.release_held().await?;
            self.blocks.secrets.kind = kind;
        }
        Ok(())
    }

    /// Says what could have been the beginning of a secret, and was none.
    async fn release_held(&mut self) -> Result<(), StorageError> {
        let rest = self.blocks.secrets.finish();
        match self.blocks.secrets.kind {
            _ if rest.is_empty() => Ok(()),
            BlockKind::Thinking => self.append(BlockKind::Thinking, &rest).await,
            BlockKind::Text => self.answer(&rest).await,
        }
    }

    async fn show(&mut self, segments: &mut Vec<Segment>) -> Result<(), StorageError> {
        for segment in segments.drain(..) {
            match segment {
                Segment::Text(text) => self.append(BlockKind::Text, &text).await?,
                Segment::Invalid { source } => self.append(BlockKind::Text, &source).await?,
                Segment::Plan { source, plan } => self.structure(&source, plan.into()).await?,
                Segment::Question { source, question } => {
                    self.structure(&source, question.into()).await?;
                }
                Segment::Prompt { source, prompt } => self.structure(&source, *prompt).await?,
            }
        }
        Ok(())
    }

    /// Shows a piece in the block of its kind.
    async fn append(&mut self, kind: BlockKind, raw: &str) -> Result<(), StorageError> {
        if self.blocks.open.as_ref().is_some_and(|open| open.kind != kind) {
            self.close_block().await?;
        }
        if self.blocks.open.is_none() {
            // Leading white space alone is no message yet.
            if raw.trim().is_empty() {
                return Ok(());
            }
            self.commit_finished().await?;
            self.writer.open_block(kind);
            let stream = CleanStream::new(&self.sanitizer);
            self.blocks.open = Some(Open { kind, stream });
        }
        let Some(open) = &mut self.blocks.open else { return Ok(()) };
        let ahead = self.writer.log.push(raw, &mut open.stream);
        self.keep_pace(ahead).await;
        Ok(())
    }

    /// Reports what is to be stored, and waits while it is too much.
    async fn keep_pace(&mut self, ahead: Ahead) {
        if ahead.first {
            self.blocks.flusher.add(&self.writer.log);
        }
        let late = ahead.since.is_some_and(|since| since.elapsed() > LONGEST_AHEAD);
        if ahead.bytes > MOST_AHEAD || late {
            let mut stored = self.writer.log.stored();
            // What was stored before it listened is not told again. The log outlives
            // the turn, so the sender is there.
            if self.writer.log.is_ahead() {
                let _stored = stored.changed().await;
            }
        }
    }

    /// Turns the open block, if there is one, into a finished message.
    async fn close_block(&mut self) -> Result<(), StorageError> {
        let Some(open) = self.blocks.open.take() else { return Ok(()) };
        self.writer.log.finish(open.stream);
        let closed = self.closed_block().await;
        self.finished.closes_block = Some(closed.block);
        let message = self.message_of(closed);
        self.note(message.get());
        self.finished.message(message);
        Ok(())
    }

    fn note(&mut self, message: &Message) {
        self.blocks.unremembered.push((message.id, message.message_type.clone()));
    }

    /// What was said since the last message for the history is no answer: its words
    /// are replaced wherever they were shown or stored, and nothing of it is asked.
    pub(super) async fn withhold(&mut self) -> Result<(), StorageError> {
        self.end_block().await?;
        self.blocks.questions.clear();
        let withheld = std::mem::take(&mut self.blocks.unremembered);
        let is_withheld = |event: &NewEvent| {
            let message = event.message.as_ref().map(|message| message.get().id);
            message.is_some_and(|id| withheld.iter().any(|(withheld, _)| *withheld == id))
        };
        self.finished.events.retain(|event| !is_withheld(event));
        for (id, message_type) in withheld {
            let shown_as = match message_type {
                MessageType::Thinking => MessageType::Thinking,
                _ => MessageType::Info,
            };
            let mut message =
                Message { content: WITHHELD.to_owned(), ..self.message(id, shown_as) };
            message.metadata.insert("withheld".to_owned(), json!(true));
            self.finished.message(Clean::new(&self.sanitizer, message));
        }
        self.commit_finished().await
    }

    /// Waits until nothing of the block is on its way to storage.
    async fn closed_block(&self) -> ClosedBlock {
        let mut stored = self.writer.log.stored();
        loop {
            stored.mark_unchanged();
            if let Some(closed) = self.writer.log.close_block() {
                return closed;
            }
            let _stored = stored.changed().await;
        }
    }

    /// The words stay what was streamed; what they are is the classifier's to say.
    fn message_of(&self, closed: ClosedBlock) -> Clean<Message> {
        let message_type = match closed.block.kind {
            BlockKind::Thinking => MessageType::Thinking,
            BlockKind::Text => text_type(closed.text.get()),
        };
        let message =
            Message { content: closed.raw, ..self.message(closed.block.message, message_type) };
        Clean::new(&self.sanitizer, message)
    }

    /// A plan, a question or a prompt that was found in the text: a message of
    /// its own, and a prompt once the turn is over.
    async fn structure(&mut self, source: &str, draft: PromptDraft) -> Result<(), StorageError> {
        self.close_block().await?;
        self.commit_finished().await?;
        let said = json!({"type": "text", "text": source});
        let read = process_output(&self.sanitizer, &said);
        let prompt = PromptId::new(Uuid::now_v7());
        let mut message = Message {
            content: read.content,
            data: read.data,
            options: read.options,
            questions: read.questions,
            metadata: read.metadata,
            ..self.message(MessageId::new(Uuid::now_v7()), read.message_type)
        };
        message.metadata.insert("prompt_id".to_owned(), json!(prompt));
        self.blocks.questions.push((prompt, draft));
        self.note(&message);
        self.finished.message(Clean::new(&self.sanitizer, message));
        self.commit_finished().await
    }

    /// A message of the agent without words yet.
    pub(super) fn message(&self, id: MessageId, message_type: MessageType) -> Message {
        Message {
            id,
            conversation_id: self.writer.conversation,
            turn_id: self.writer.turn,
            role: Role::Assistant,
            message_type,
            content: String::new(),
            data: None,
            options: None,
            questions: None,
            metadata: Metadata::new(),
            created_at: now(),
        }
    }
}
