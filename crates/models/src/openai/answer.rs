//! The answers of OpenAI chat completions: events of the wire in, ours out.
//!
//! Pure. [`AnswerReader`] is fed the data of one server-sent event after the
//! other. Words are passed on while they come; tool calls when the answer is
//! over, because only then they are certainly whole.
//!
//! The reason to stop comes before the last events: what the request cost may
//! still follow. So the end is `[DONE]`, or the end of the body after a reason,
//! for not every server sends the marker. A reason that says `stop` beside tool
//! calls means the calls; one that says that the answer was cut off or filtered
//! means that there are none, as the last may not be whole.
//!
//! Reasoning has a field of its own, or stands in tags before the answer
//! ([`super::think_tags`]).

use std::collections::VecDeque;

use parlor_agent::{ModelError, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::calls::{CallPiece, Calls};
use super::error::{mid_stream_error, refused};
use super::note::{Note, ReasoningField};
use super::think_tags::{Piece, ThinkTags};
use crate::client::{ModelEvent, StopReason};
use crate::http::answer::Reader;
use crate::http::vendor_error::Refusal;

/// Reads one answer.
#[derive(Debug)]
pub(crate) struct AnswerReader {
    /// The answer's own id.
    id: String,
    open: Option<Words>,
    tags: ThinkTags,
    calls: Calls,
    note: Note,
    stop: Option<StopReason>,
    finished: bool,
}

/// What streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Text,
    Thinking,
}

impl AnswerReader {
    /// A reader for an answer of this model.
    pub(crate) fn new(model: &str) -> Self {
        Self {
            id: String::new(),
            open: None,
            tags: ThinkTags::default(),
            calls: Calls::default(),
            note: Note { model: model.to_owned(), ..Note::default() },
            stop: None,
            finished: false,
        }
    }
}

impl Reader for AnswerReader {
    fn read(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<(), ModelError> {
        if data.trim_ascii() == b"[DONE]" {
            return self.done(out);
        }
        let chunk: Chunk = match serde_json::from_slice(data) {
            Ok(chunk) => chunk,
            Err(error) => return Err(wrong_shape(data, &error)),
        };
        if chunk.is_error()
            && let Ok(event) = serde_json::from_slice::<Value>(data)
            && let Some(error) = mid_stream_error(&event)
        {
            return Err(error);
        }
        if self.id.is_empty() {
            self.id = chunk.id.unwrap_or_default();
        }
        if let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() {
            self.delta(choice.delta.unwrap_or_default(), out)?;
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.stop = Some(stop_reason(&reason, choice.error)?);
            }
        }
        out.extend(chunk.usage.map(|usage| ModelEvent::Usage(usage.counted())));
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finished
    }

    fn close(&mut self, out: &mut VecDeque<ModelEvent>) -> bool {
        if let Some(reason) = self.stop {
            self.end(reason, out);
        }
        self.stop.is_some()
    }

    fn refused(refusal: Refusal<'_>) -> ModelError {
        refused(refusal)
    }
}

impl AnswerReader {
    fn delta(
        &mut self,
        mut delta: Delta,
        out: &mut VecDeque<ModelEvent>,
    ) -> Result<(), ModelError> {
        let (field, reasoning) = delta.reasoning();
        self.note.reasoning_field = field.or(self.note.reasoning_field);
        self.words(Words::Thinking, reasoning, out);
        if let Some(content) = delta.content.filter(|content| !content.is_empty()) {
            self.content(content, out);
        }
        self.words(Words::Text, delta.refusal, out);
        self.note.add_details(delta.reasoning_details.unwrap_or_default());
        for piece in delta.tool_calls.unwrap_or_default() {
            self.calls.add(piece)?;
        }
        Ok(())
    }

    fn content(&mut self, content: String, out: &mut VecDeque<ModelEvent>) {
        let mut tags = std::mem::take(&mut self.tags);
        tags.push(content, |piece| self.piece(piece, out));
        self.tags = tags;
    }

    fn piece(&mut self, piece: Piece, out: &mut VecDeque<ModelEvent>) {
        match piece {
            Piece::Text(text) => self.words(Words::Text, Some(text), out),
            Piece::Thinking(text) => self.words(Words::Thinking, Some(text), out),
        }
    }

    fn words(&mut self, kind: Words, piece: Option<String>, out: &mut VecDeque<ModelEvent>) {
        let Some(piece) = piece.filter(|piece| !piece.is_empty()) else { return };
        if self.open.is_some_and(|open| open != kind) {
            out.push_back(ModelEvent::BlockEnd);
        }
        self.open = Some(kind);
        out.push_back(match kind {
            Words::Text => ModelEvent::Text(piece),
            Words::Thinking => ModelEvent::Thinking(piece),
        });
    }

    /// The end marker came. Some servers give no reason; but an answer without
    /// one and without anything in it is how others fail.
    fn done(&mut self, out: &mut VecDeque<ModelEvent>) -> Result<(), ModelError> {
        self.end_of_content(out);
        let said = self.open.is_some() || !self.calls.is_empty();
        let reason = self.stop.or(said.then_some(StopReason::EndTurn)).ok_or_else(|| {
            ModelError::Interrupted("it ended with nothing said and no reason given".into())
        })?;
        self.end(reason, out);
        Ok(())
    }

    fn end_of_content(&mut self, out: &mut VecDeque<ModelEvent>) {
        if let Some(held) = self.tags.finish() {
            self.piece(held, out);
        }
    }

    fn end(&mut self, reason: StopReason, out: &mut VecDeque<ModelEvent>) {
        self.finished = true;
        self.end_of_content(out);
        out.extend(self.open.take().map(|_| ModelEvent::BlockEnd));
        let calls = std::mem::take(&mut self.calls);
        let reason = match reason {
            StopReason::CutOff | StopReason::Declined => reason,
            _ if calls.is_empty() => StopReason::EndTurn,
            _ => {
                let answer = if self.id.is_empty() { "call" } else { &self.id };
                let (blocks, extra_content) = calls.finish(answer);
                let note = Note { extra_content, ..std::mem::take(&mut self.note) };
                out.extend(
                    note.into_block().into_iter().chain(blocks).map(ModelEvent::ContentBlock),
                );
                StopReason::ToolUse
            }
        };
        out.push_back(ModelEvent::Stop(reason));
    }
}

fn stop_reason(name: &str, error: Option<Value>) -> Result<StopReason, ModelError> {
    match name {
        "length" | "max_tokens" | "model_length" => Ok(StopReason::CutOff),
        "tool_calls" | "function_call" => Ok(StopReason::ToolUse),
        "content_filter" => Ok(StopReason::Declined),
        "insufficient_system_resource" => Err(ModelError::Overloaded { retry_after: None }),
        "error" | "abort" => {
            let said = error.map(|error| serde_json::json!({"error": error}));
            let why = said.as_ref().and_then(mid_stream_error);
            Err(why.unwrap_or_else(|| ModelError::Interrupted("its server failed".into())))
        }
        // `stop`, and what will come: the model stopped.
        _ => Ok(StopReason::EndTurn),
    }
}

/// An event that is not of the shape it should be may still say why.
fn wrong_shape(data: &[u8], error: &serde_json::Error) -> ModelError {
    let event: Option<Value> = serde_json::from_slice(data).ok();
    event.as_ref().and_then(mid_stream_error).unwrap_or_else(|| ModelError::not_json(error))
}

/// All events in one shape, whatever a server leaves out or adds.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Chunk {
    id: Option<String>,
    object: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<WireUsage>,
    error: Option<serde::de::IgnoredAny>,
}

impl Chunk {
    fn is_error(&self) -> bool {
        self.error.is_some() || self.object.as_deref() == Some("error")
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    reasoning_details: Option<Vec<Value>>,
    tool_calls: Option<Vec<CallPiece>>,
}

impl Delta {
    /// The next piece of reasoning, and where it stands. Some servers send it in
    /// both fields; it is the same.
    fn reasoning(&mut self) -> (Option<ReasoningField>, Option<String>) {
        match (self.reasoning_content.take(), self.reasoning.take()) {
            (Some(piece), other) if !piece.is_empty() || other.is_none() => {
                (Some(ReasoningField::ReasoningContent), Some(piece))
            }
            (_, Some(piece)) => (Some(ReasoningField::Reasoning), Some(piece)),
            (_, None) => (None, None),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

impl WireUsage {
    /// Here those from and for the cache are among the tokens of the prompt.
    fn counted(self) -> Usage {
        let details = self.prompt_tokens_details.unwrap_or_default();
        let cache_read_tokens = details.cached_tokens.unwrap_or_default();
        let cache_write_tokens = details.cache_write_tokens.unwrap_or_default();
        let cached = cache_read_tokens.saturating_add(cache_write_tokens);
        Usage {
            cost_micros: 0,
            input_tokens: self.prompt_tokens.unwrap_or_default().saturating_sub(cached),
            output_tokens: self.completion_tokens.unwrap_or_default(),
            cache_read_tokens,
            cache_write_tokens,
        }
    }
}
