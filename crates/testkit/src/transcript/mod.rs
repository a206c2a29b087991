//! What a model received, as lines that are the same for all wire formats.

mod chat_completions;
mod gemini;
mod lines;
mod messages;
mod responses;

use self::lines::Lines;
use crate::format::Format;
use crate::record::RecordedRequest;

impl RecordedRequest {
    /// The conversation, a line for each thing that was said: `system: …`,
    /// `user: …`, `assistant: …`, `call t1: look {"at":1}`, `result t1: …`,
    /// `picture image/png`. Texts that one side says one after the other are one
    /// line. Reasoning and vendors' own blocks are left out.
    pub fn transcript(&self) -> Vec<String> {
        let mut lines = Lines::default();
        match self.format() {
            Format::Messages => messages::read(&self.body, &mut lines),
            Format::ChatCompletions => chat_completions::read(&self.body, &mut lines),
            Format::Responses => responses::read(&self.body, &mut lines),
            Format::Gemini => gemini::read(&self.body, &mut lines),
        }
        lines.into()
    }
}
