//! Frames of the WebSocket: one JSON object each, with `type`, `id` and
//! `conversation_id` (W-3).
//!
//! - A message is a frame of its own type. Text that streams before it comes as
//!   `streamStart`, `streamToken` and, once the message is there, `streamEnd`.
//! - `id` is a place in the log: a client that comes back with `after=` the last
//!   `id` that it has seen misses nothing. A frame that is no event of the log
//!   names the place that was reached before it.
//! - Text that was shown and lost (the server was killed) is replaced: the stream
//!   starts again, with `replaces`, and what follows is the text.
//! - A turn that fails says so twice: in a message of type `error`, which stays,
//!   and in `streamError`, for whoever waits for the stream.

use parlor_chat::LargeEvent;
use parlor_protocol::{
    ClientMessageId, ConversationId, ErrorBody, EventBody, EventId, MessageId, MessageType,
    PromptId, Role,
};
use parlor_storage::{Logged, Served};
use serde::Serialize;

use super::vocabulary::{self, Pen, Shown};

mod shapes;

use shapes::{
    Artifact, Frame, Numbered, Refusal, StreamEnd, StreamError, StreamStart, StreamToken, Thought,
    Typed,
};

/// Writes the frames of one connection. It knows what the client has seen.
#[derive(Debug)]
pub struct Encoder {
    conversation: Option<ConversationId>,
    place: EventId,
    stream: Option<Stream>,
}

/// Text that a client has seen the beginning of.
#[derive(Debug)]
struct Stream {
    block: u64,
    /// Not known to whoever came back in the middle, until more of it comes.
    message: Option<MessageId>,
}

/// Which frame of the client is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum About {
    /// One without a mark.
    #[default]
    Nothing,
    /// A message with the client's mark.
    Message(ClientMessageId),
    /// An answer to a prompt, or the wish for more time.
    Prompt(PromptId),
}

impl Encoder {
    /// For a client that follows no conversation yet.
    pub fn new() -> Self {
        Self { conversation: None, place: EventId::durable(0), stream: None }
    }

    /// For a client that has seen everything up to a place.
    pub fn at(conversation: ConversationId, place: EventId) -> Self {
        // A place inside a block is one that a client has because it was there.
        let stream = place.offset.map(|_| Stream { block: place.seq, message: None });
        Self { conversation: Some(conversation), place, stream }
    }

    /// The conversation that the client follows.
    pub fn conversation(&self) -> Option<ConversationId> {
        self.conversation
    }

    /// Appends the frames of an event.
    pub fn event(&mut self, event: &Logged, to: &mut Vec<String>) {
        self.body(event.id, event.body.get(), to);
    }

    /// Appends the frames of an event that is not stored. It names the place that was
    /// reached before it.
    pub fn live(&mut self, body: &Served<EventBody>, to: &mut Vec<String>) {
        self.body(self.place, body.get(), to);
    }

    /// Appends the frames that come before a large event, which goes out by itself
    /// ([`whole`]).
    pub fn large(&mut self, event: &LargeEvent, to: &mut Vec<String>) {
        let finished = event.message().filter(|(_, role, kind)| streams(*role, kind));
        self.end_stream(finished.map(|(id, ..)| *id), to);
        self.place = event.id();
    }

    /// The frame that refuses what a client sent. It is no event: it goes to this
    /// client only, and is not repeated.
    pub fn refusal(&self, error: &ErrorBody, recoverable: bool, about: &About) -> String {
        let (client_message_id, answers) = match about {
            About::Nothing => (None, None),
            About::Message(mark) => (Some(mark), None),
            About::Prompt(id) => (None, Some(Shown(*id))),
        };
        let refusal = Refusal {
            message: &error.message,
            content: &error.message,
            code: error.code,
            recoverable,
            retry_after: error.retry_after,
            prompt_id: error.prompt_id.map(Shown),
            problems: error.problems.as_deref(),
            client_message_id,
            answers,
        };
        let mut frame = Vec::new();
        self.frame("error", self.place, &refusal, &mut frame);
        frame.concat()
    }

    fn body(&mut self, id: EventId, body: &EventBody, to: &mut Vec<String>) {
        match body {
            EventBody::Chunk { text, message_id } => self.token(id, *message_id, text, to),
            EventBody::Snapshot { text, message_id } => {
                self.replacement(id, *message_id, text, to);
            }
            EventBody::Thinking { text, message_id } => {
                self.end_stream(None, to);
                let thought = Thought { content: text, text, message_id: Shown(*message_id) };
                self.frame("thinking", id, &thought, to);
            }
            EventBody::Message(message) => {
                let finished = streams(message.role, &message.message_type).then_some(message.id);
                self.end_stream(finished, to);
                push(&Typed::new(id, message), to);
            }
            EventBody::Error { message, code, recoverable } => {
                let message_id = self.stream.take().and_then(|stream| stream.message).map(Shown);
                let (code, recoverable) = (*code, *recoverable);
                let error = StreamError { error: message, code, recoverable, message_id };
                self.frame("streamError", id, &error, to);
            }
            EventBody::UserPrompt(prompt) => {
                self.end_stream(None, to);
                // A prompt brings its `type` and its `conversation_id` along.
                push(&Numbered { kind: None, id: Shown(id), data: prompt }, to);
            }
            // `id` is taken by the place.
            EventBody::Artifact { kind, id: artifact_id } if kind != "recipe" => {
                self.end_stream(None, to);
                self.frame("artifact", id, &Artifact { kind, artifact_id }, to);
            }
            EventBody::Start { .. }
            | EventBody::Queued { .. }
            | EventBody::ToolUse { .. }
            | EventBody::Artifact { .. }
            | EventBody::UserPromptUpdated(_)
            | EventBody::UserPromptClosed(_)
            | EventBody::Done { .. } => {
                self.end_stream(None, to);
                vocabulary::write(body, &mut FramePen { id, conversation: self.conversation, to });
            }
        }
        self.place = id;
    }

    /// The next piece of text; the first is announced.
    fn token(&mut self, id: EventId, message: MessageId, text: &str, to: &mut Vec<String>) {
        match &mut self.stream {
            Some(stream) if stream.block == id.seq => stream.message = Some(message),
            _ => {
                self.end_stream(None, to);
                self.start_stream(id.seq, message, false, to);
            }
        }
        self.frame("streamToken", id, &StreamToken { token: text, message_id: Shown(message) }, to);
    }

    /// Text instead of what the client has seen of it.
    fn replacement(&mut self, id: EventId, message: MessageId, text: &str, to: &mut Vec<String>) {
        self.start_stream(id.seq, message, true, to);
        if !text.is_empty() {
            self.token(id, message, text, to);
        }
    }

    /// Its place is the beginning of the block: whoever goes on from there gets
    /// the text, and no second announcement.
    fn start_stream(
        &mut self,
        block: u64,
        message: MessageId,
        replaces: bool,
        to: &mut Vec<String>,
    ) {
        let start = StreamStart { message_id: Shown(message), replaces };
        self.frame("streamStart", EventId::delta(block, 0), &start, to);
        self.stream = Some(Stream { block, message: Some(message) });
    }

    /// Whatever comes after text ends it. Its place is the one that was reached:
    /// whoever loses the connection right here gets it once more, with what ended it.
    /// `finished` is the message whose words came as tokens, if one ends it.
    fn end_stream(&mut self, finished: Option<MessageId>, to: &mut Vec<String>) {
        let Some(stream) = self.stream.take() else { return };
        // Whoever came back after the last piece has seen it all.
        let Some(message) = stream.message.or(finished) else { return };
        self.frame("streamEnd", self.place, &StreamEnd { message_id: Shown(message) }, to);
    }

    fn frame(&self, kind: &'static str, id: EventId, data: &impl Serialize, to: &mut Vec<String>) {
        let conversation_id = self.conversation.map(Shown);
        push(&Frame { kind, id: Shown(id), conversation_id, data }, to);
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

/// The frame of a large event, without a head.
pub fn whole(conversation: ConversationId, event: &Logged) -> Vec<u8> {
    let mut frames = Vec::new();
    Encoder::at(conversation, event.id).event(event, &mut frames);
    frames.concat().into_bytes()
}

/// Whether the words of a message come as tokens before it.
fn streams(role: Role, message_type: &MessageType) -> bool {
    role == Role::Assistant && *message_type != MessageType::Thinking
}

/// Writes what all dialects say alike.
struct FramePen<'a> {
    id: EventId,
    conversation: Option<ConversationId>,
    to: &'a mut Vec<String>,
}

impl Pen for FramePen<'_> {
    fn event(&mut self, name: &'static str, data: &impl Serialize) {
        let conversation_id = self.conversation.map(Shown);
        push(&Frame { kind: name, id: Shown(self.id), conversation_id, data }, self.to);
    }

    fn event_of_a_conversation(&mut self, name: &'static str, data: &impl Serialize) {
        push(&Numbered { kind: Some(name), id: Shown(self.id), data }, self.to);
    }
}

/// Our own types can always be written; half a frame must not go out.
fn push(frame: &impl Serialize, to: &mut Vec<String>) {
    to.extend(serde_json::to_string(frame));
}

#[cfg(test)]
mod tests;
