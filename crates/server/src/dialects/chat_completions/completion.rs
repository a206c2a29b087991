//! A completion as one object, put together while the turn is read.

use parlor_protocol::{ErrorCode, MessageId};
use serde_json::{Value, json};

use super::Form;
use crate::dialects::turn_steps::TextBlock;

/// Between two texts of a turn, which are one content.
const BETWEEN: &str = "\n\n";

/// What a completion holds so far.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    text: Texts,
    reasoning: Texts,
    /// The calls of the client's own tools.
    pub(super) calls: Vec<Value>,
    end: Option<Ended>,
}

/// Texts, by the messages that they are part of. Those that stream are not kept.
#[derive(Debug, Default)]
struct Texts {
    kept: Vec<(MessageId, String)>,
    has_some: bool,
    begins: bool,
}

#[derive(Debug)]
enum Ended {
    Finished { reason: &'static str, tokens: Option<u64>, facts: Option<Value> },
    Failed(Failure),
}

/// Why there is no completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The turn failed.
    Turn {
        /// How.
        code: ErrorCode,
        /// In a sentence.
        message: String,
    },
    /// The server stops: the same request again gets the rest.
    Lost,
}

impl Failure {
    /// The code, and a sentence.
    pub(super) fn parts(&self) -> (&str, &str) {
        match self {
            Self::Turn { code, message } => (code.as_str(), message),
            Self::Lost => ("connection_lost", "The answer goes on; the conversation has the rest."),
        }
    }
}

impl Completion {
    fn texts(&mut self, block: TextBlock) -> &mut Texts {
        if block.is_reasoning { &mut self.reasoning } else { &mut self.text }
    }

    /// A text begins.
    pub(super) fn begin(&mut self, block: TextBlock) {
        self.texts(block).begins = true;
    }

    /// Adds a piece; returns it as it stands in the content.
    pub(super) fn push(&mut self, block: TextBlock, text: &str, form: Form) -> String {
        let texts = self.texts(block);
        let follows = std::mem::take(&mut texts.begins) && texts.has_some;
        texts.has_some = true;
        if form == Form::Whole {
            match texts.kept.last_mut().filter(|(id, _)| *id == block.id && !follows) {
                Some((_, kept)) => kept.push_str(text),
                None => texts.kept.push((block.id, text.to_owned())),
            }
        }
        if follows { format!("{BETWEEN}{text}") } else { text.to_owned() }
    }

    /// A text is another one than was shown.
    pub(super) fn replace(&mut self, block: TextBlock, text: &str) {
        let kept = self.texts(block).kept.iter_mut().find(|(id, _)| *id == block.id);
        if let Some((_, kept)) = kept {
            text.clone_into(kept);
        }
    }

    pub(super) fn finish(
        &mut self,
        reason: &'static str,
        tokens: Option<u64>,
        facts: Option<Value>,
    ) {
        self.end = Some(Ended::Finished { reason, tokens, facts });
    }

    pub(super) fn fail(&mut self, failure: Failure) {
        self.end = Some(Ended::Failed(failure));
    }

    /// All of it.
    pub(super) fn whole(self, id: &str, created: i64, model: &str) -> Result<Value, Failure> {
        let (reason, tokens, facts) = match self.end {
            Some(Ended::Finished { reason, tokens, facts }) => (reason, tokens, facts),
            Some(Ended::Failed(failure)) => return Err(failure),
            None => return Err(Failure::Lost),
        };
        let content = match self.text.joined() {
            None if !self.calls.is_empty() => Value::Null,
            text => json!(text.unwrap_or_default()),
        };
        let mut message = json!({"role": "assistant", "content": content, "refusal": null});
        if let Some(reasoning) = self.reasoning.joined() {
            message["reasoning_content"] = json!(reasoning);
        }
        if !self.calls.is_empty() {
            message["tool_calls"] = json!(self.calls);
        }
        let choice =
            json!({"index": 0, "message": message, "finish_reason": reason, "logprobs": null});
        let mut whole = json!({
            "id": id,
            "object": "chat.completion",
            "created": created,
            "model": model,
            "choices": [choice],
        });
        if let Some(tokens) = tokens {
            whole["usage"] = usage(tokens);
        }
        if let Some(facts) = facts {
            whole["parlor"] = facts;
        }
        Ok(whole)
    }
}

impl Texts {
    fn joined(self) -> Option<String> {
        let texts: Vec<String> = self.kept.into_iter().map(|(_, text)| text).collect();
        Some(texts.join(BETWEEN)).filter(|text| !text.is_empty())
    }
}

/// The tokens of a turn. Agents report those in and out as one number.
pub(super) fn usage(tokens: u64) -> Value {
    json!({"prompt_tokens": 0, "completion_tokens": tokens, "total_tokens": tokens})
}
