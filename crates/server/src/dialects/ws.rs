//! WebSocket frames: one JSON object each, with `type`, `id` and `conversation_id`
//! (W-3).
//!
//! - A message is a frame of its own type. Text that streams before it comes as
//!   `streamStart`, `streamToken` and, once the message is complete, `streamEnd`.
//! - `id` is an event id: a client that reconnects with `after=` the last `id` that it
//!   has seen misses nothing. A frame that is no event of the log has the id of the
//!   event before it.
//! - Text that was shown and lost (the server was killed) is replaced: the stream
//!   starts again with `replaces`, followed by the text.
//! - A failed turn is reported twice: in a message of type `error`, which stays in the
//!   conversation, and in `streamError`, for clients that wait for the stream.

use parlor_chat::LargeEvent;
use parlor_protocol::{
    ClientMessageId, ConversationId, ErrorBody, EventBody, EventId, MessageId, MessageType,
    PromptId, Role,
};
use parlor_storage::{Logged, Served};
use serde::Serialize;

use super::event_writer::{AsDisplay, EventWriter, write_event};

mod frames;

use frames::{
    Artifact, BareFrame, Frame, Refusal, StreamEnd, StreamError, StreamStart, StreamToken,
    Thinking, TypedMessage,
};

/// Encodes the frames of one connection. It tracks what the client has seen.
#[derive(Debug)]
pub struct Encoder {
    conversation: Option<ConversationId>,
    position: EventId,
    stream: Option<Stream>,
}

/// A text block whose beginning the client has seen.
#[derive(Debug)]
struct Stream {
    block: u64,
    /// Unknown after a reconnect inside the block, until more of it comes.
    message: Option<MessageId>,
}

/// The client's frame that a refusal replies to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum InReplyTo {
    /// A frame without an id.
    #[default]
    Nothing,
    /// A message with the client's own id.
    Message(ClientMessageId),
    /// An answer to a prompt, or a request for more time.
    Prompt(PromptId),
}

impl Encoder {
    /// For a client that follows no conversation yet.
    pub fn new() -> Self {
        Self { conversation: None, position: EventId::durable(0), stream: None }
    }

    /// For a client that has seen everything up to an event.
    pub fn at(conversation: ConversationId, position: EventId) -> Self {
        // A client knows a position inside a block only from that block.
        let stream = position.offset.map(|_| Stream { block: position.seq, message: None });
        Self { conversation: Some(conversation), position, stream }
    }

    /// The conversation that the client follows.
    pub fn conversation(&self) -> Option<ConversationId> {
        self.conversation
    }

    /// Appends the frames of an event.
    pub fn event(&mut self, event: &Logged, to: &mut Vec<String>) {
        self.body(event.id, event.body.get(), to);
    }

    /// Appends the frames of an event that is not stored. Its id is the position of the
    /// client.
    pub fn live(&mut self, body: &Served<EventBody>, to: &mut Vec<String>) {
        self.body(self.position, body.get(), to);
    }

    /// Appends the frames that come before a large event, which is encoded by
    /// [`whole`].
    pub fn large(&mut self, event: &LargeEvent, to: &mut Vec<String>) {
        let finished = event.message().filter(|(_, role, kind)| streams(*role, kind));
        self.end_stream(finished.map(|(id, ..)| *id), to);
        self.position = event.id();
    }

    /// The frame that refuses a frame of the client. It is no event: it goes to this
    /// client only, and is not repeated.
    pub fn refusal(&self, error: &ErrorBody, recoverable: bool, in_reply_to: &InReplyTo) -> String {
        let (client_message_id, answered_prompt) = match in_reply_to {
            InReplyTo::Nothing => (None, None),
            InReplyTo::Message(id) => (Some(id), None),
            InReplyTo::Prompt(id) => (None, Some(AsDisplay(*id))),
        };
        let refusal = Refusal {
            message: &error.message,
            content: &error.message,
            code: error.code,
            recoverable,
            retry_after: error.retry_after,
            prompt_id: error.prompt_id.map(AsDisplay),
            problems: error.problems.as_deref(),
            budget: error.budget,
            client_message_id,
            answered_prompt,
        };
        let mut frame = Vec::new();
        self.frame("error", self.position, &refusal, &mut frame);
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
                let thinking = Thinking { content: text, text, message_id: AsDisplay(*message_id) };
                self.frame("thinking", id, &thinking, to);
            }
            EventBody::Message(message) => {
                let finished = streams(message.role, &message.message_type).then_some(message.id);
                self.end_stream(finished, to);
                push(&TypedMessage::new(id, message), to);
            }
            EventBody::Error { message, code, recoverable } => {
                let message_id =
                    self.stream.take().and_then(|stream| stream.message).map(AsDisplay);
                let (code, recoverable) = (*code, *recoverable);
                let error = StreamError { error: message, code, recoverable, message_id };
                self.frame("streamError", id, &error, to);
            }
            EventBody::UserPrompt(prompt) => {
                self.end_stream(None, to);
                // A prompt has its own `type` and `conversation_id`.
                push(&BareFrame { kind: None, id: AsDisplay(id), data: prompt }, to);
            }
            // `id` is the event id.
            EventBody::Artifact { kind, id: artifact_id } if kind != "recipe" => {
                self.end_stream(None, to);
                self.frame("artifact", id, &Artifact { kind, artifact_id }, to);
            }
            EventBody::Start { .. }
            | EventBody::BranchChosen { .. }
            | EventBody::Queued { .. }
            | EventBody::ToolUse { .. }
            | EventBody::Artifact { .. }
            | EventBody::UserPromptUpdated(_)
            | EventBody::UserPromptClosed(_)
            | EventBody::Done { .. } => {
                self.end_stream(None, to);
                let conversation = self.conversation;
                write_event(body, &mut FrameWriter { id, conversation, to });
            }
        }
        self.position = id;
    }

    /// The next piece of text. The first one begins a stream.
    fn token(&mut self, id: EventId, message: MessageId, text: &str, to: &mut Vec<String>) {
        match &mut self.stream {
            Some(stream) if stream.block == id.seq => stream.message = Some(message),
            _ => {
                self.end_stream(None, to);
                self.start_stream(id.seq, message, false, to);
            }
        }
        self.frame(
            "streamToken",
            id,
            &StreamToken { token: text, message_id: AsDisplay(message) },
            to,
        );
    }

    /// Text that replaces what the client has seen of it.
    fn replacement(&mut self, id: EventId, message: MessageId, text: &str, to: &mut Vec<String>) {
        self.start_stream(id.seq, message, true, to);
        if !text.is_empty() {
            self.token(id, message, text, to);
        }
    }

    /// Its id is the beginning of the block: a client that reconnects there gets the
    /// text, and no second start.
    fn start_stream(
        &mut self,
        block: u64,
        message: MessageId,
        replaces: bool,
        to: &mut Vec<String>,
    ) {
        let start = StreamStart { message_id: AsDisplay(message), replaces };
        self.frame("streamStart", EventId::delta(block, 0), &start, to);
        self.stream = Some(Stream { block, message: Some(message) });
    }

    /// Any other event ends a stream of text. The id of the end is the position so far:
    /// a client that loses the connection here gets the end again, with the event.
    /// `finished` is the message whose text was streamed, if a message ends it.
    fn end_stream(&mut self, finished: Option<MessageId>, to: &mut Vec<String>) {
        let Some(stream) = self.stream.take() else { return };
        // A client that reconnected after the last piece has seen it all.
        let Some(message) = stream.message.or(finished) else { return };
        self.frame("streamEnd", self.position, &StreamEnd { message_id: AsDisplay(message) }, to);
    }

    fn frame(&self, kind: &'static str, id: EventId, data: &impl Serialize, to: &mut Vec<String>) {
        let conversation_id = self.conversation.map(AsDisplay);
        push(&Frame { kind, id: AsDisplay(id), conversation_id, data }, to);
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

/// The payload of a large event.
pub fn whole(conversation: ConversationId, event: &Logged) -> Vec<u8> {
    let mut frames = Vec::new();
    Encoder::at(conversation, event.id).event(event, &mut frames);
    frames.concat().into_bytes()
}

/// Whether the text of a message is streamed before it.
fn streams(role: Role, message_type: &MessageType) -> bool {
    role == Role::Assistant && *message_type != MessageType::Thinking
}

/// Writes the events that are the same in all dialects.
struct FrameWriter<'a> {
    id: EventId,
    conversation: Option<ConversationId>,
    to: &'a mut Vec<String>,
}

impl EventWriter for FrameWriter<'_> {
    fn event(&mut self, name: &'static str, data: &impl Serialize) {
        let conversation_id = self.conversation.map(AsDisplay);
        push(&Frame { kind: name, id: AsDisplay(self.id), conversation_id, data }, self.to);
    }

    fn conversation_event(&mut self, name: &'static str, data: &impl Serialize) {
        push(&BareFrame { kind: Some(name), id: AsDisplay(self.id), data }, self.to);
    }
}

/// Our own types always serialize; half a frame must not go out.
fn push(frame: &impl Serialize, to: &mut Vec<String>) {
    to.extend(serde_json::to_string(frame));
}

#[cfg(test)]
mod tests;
