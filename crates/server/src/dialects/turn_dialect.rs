//! What the dialects of external clients have in common: each encodes a part of one turn as a
//! response.
//!
//! A response begins with a message or after the answer to a prompt, and ends when the turn ends
//! or waits for the next answer. Events before that part are told as [`TurnDialect::earlier`]: what
//! a dialect knows of a turn follows from the log alone, so the same response can be encoded again.

use bytes::BytesMut;
use parlor_protocol::{DoneReason, EventBody};
use parlor_storage::{ConversationView, PromptView, Served};

/// Encodes a part of a turn.
pub(crate) trait TurnDialect: Send + 'static {
    /// An event of the turn that earlier responses had.
    fn earlier(&mut self, event: &Served<EventBody>);

    /// The response begins.
    fn begin(&mut self, to: &mut BytesMut);

    /// The next event.
    fn event(&mut self, event: &Served<EventBody>, to: &mut BytesMut) -> Wants;

    /// The conversation as it is, if an event wanted it.
    fn conversation(&mut self, view: &ConversationView, to: &mut BytesMut) {
        let _not_wanted = (view, to);
    }

    /// The response ends.
    fn end(&mut self, end: &End, to: &mut BytesMut);

    /// Whether a prompt ends the response also if it was answered since.
    fn ends_at_answered_prompts(&self) -> bool {
        false
    }

    /// Shows that the response is alive.
    fn keep_alive(&self, to: &mut BytesMut) {
        to.extend_from_slice(b": keep-alive\n\n");
    }
}

/// What a dialect wants after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// The next event.
    More,
    /// The whole conversation: what was shown has to be replaced.
    Conversation,
}

/// How a response ends.
#[derive(Debug)]
pub(crate) enum End {
    /// The turn is over. Open prompts are those whose answer begins the next turn.
    Done {
        /// Why it ended.
        reason: DoneReason,
        /// Tokens in and out, where they are known.
        tokens_used: Option<u64>,
        /// Prompts that are open.
        open: Vec<PromptView>,
    },
    /// The turn waits for answers to these prompts.
    Waits(Vec<PromptView>),
    /// The prompt is closed, and nothing follows from it.
    Nothing,
    /// The server stops, or the conversation was deleted: the client has to ask again.
    Lost,
}
