//! The wire formats of the server, chosen by the path of the request.
//!
//! A script is written once; a [`Wire`] turns it into the events of one response, and
//! keeps the state that the format needs.

mod chat_completions;
mod gemini;
mod messages;
mod responses;

use serde_json::Value;

use self::chat_completions::ChatCompletions;
use self::gemini::Gemini;
use self::messages::Messages;
use self::responses::Responses;
use crate::format::Format;
use crate::frame::Frame;
use crate::record::RecordedRequest;
use crate::say::Say;
use crate::script::Script;

/// One wire format, during one response.
pub(crate) trait Wire: Send {
    /// What comes before everything that is said.
    fn begin(&mut self, script: &Script) -> Vec<Frame>;

    /// What is said, as events.
    fn say(&mut self, say: &Say) -> Vec<Frame>;

    /// What comes after everything that was said.
    fn end(&mut self, script: &Script) -> Vec<Frame>;

    /// Any event.
    fn event(&self, event: Value) -> Frame;

    /// The body of a refusal. Without a kind, the usual one for the status.
    fn refusal(&self, status: u16, kind: Option<&str>, message: &str) -> Value;

    /// The body of an answer that is not streamed.
    fn whole(&self, text: &str) -> Value;
}

/// The wire format that a request is in.
pub(crate) fn wire_of(request: &RecordedRequest) -> Box<dyn Wire> {
    match request.format() {
        Format::Messages => Box::new(Messages::default()),
        Format::ChatCompletions => Box::new(ChatCompletions::new(&request.body)),
        Format::Responses => Box::new(Responses::new(request)),
        Format::Gemini => Box::new(Gemini),
    }
}
