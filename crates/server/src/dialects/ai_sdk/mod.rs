//! AI SDK (`useChat`): a part of a turn as one UI message stream.
//!
//! 1. A turn is one assistant message. A response that follows an answer continues the message
//!    that the client has, under the id that the client gave it.
//! 2. Text, reasoning and calls are parts of steps. A step ends with its results: what comes after
//!    them begins the next one.
//! 3. A prompt is asked at the end of a response, in its last step ([`prompts`]): there the client
//!    looks whether everything is answered, and then posts by itself. For the same reason the next
//!    response begins with a new step.
//! 4. What happened between the end of a response and the answer to its prompt is told with the
//!    next one.

mod asking;
mod calls;
mod parts;
mod prompts;
#[cfg(test)]
mod tests;
mod texts;

use std::collections::{HashMap, HashSet};

use bytes::BytesMut;
use parlor_protocol::{ConversationId, DoneReason, EventBody, PromptId, TurnId, UserPrompt};
use parlor_storage::Served;
use serde_json::{Value, json};

use self::parts::Part;
use super::data_lines::write;
use super::turn_dialect::{End, TurnDialect, Wants};
use super::turn_steps::{Step, TextBlock, TurnSteps};

/// Separates an id from a tag that makes it another one to the client.
const TAG: char = '~';

/// The major version of `ai` that a client has. It does not say so itself, and fails on every part
/// that it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// Without approvals: they are questions.
    Five,
    /// With approvals.
    Six,
    /// With approvals, and steps that can be taken back.
    Seven,
}

/// A message that the client has, and that a response continues.
#[derive(Debug, Clone)]
pub(crate) struct Continued {
    /// Its id, as the client gave it.
    pub(crate) message: String,
    /// The ids of calls and approvals that it has, as the client knows them.
    pub(crate) holds: Vec<String>,
    /// The first prompt that the client answered: the earlier response ended with it.
    pub(crate) after: PromptId,
}

/// One response.
#[derive(Debug)]
pub(crate) struct AiSdk {
    version: Version,
    message: String,
    conversation: ConversationId,
    turn: TurnId,
    tag: Option<String>,
    steps: TurnSteps,
    /// The prompt with which the earlier response ended, and what happened since.
    after: Option<PromptId>,
    since: Option<Vec<Served<EventBody>>>,
    /// Calls and prompts that the client knows, by our ids, with its ids.
    known: HashMap<String, String>,
    /// Those of them that it knew before.
    held: HashSet<String>,
    /// Calls that were asked about once more, with the tags of their new ids.
    renamed: HashMap<String, String>,
    /// The prompts of the turn.
    prompts: HashMap<PromptId, UserPrompt>,
    step: StepParts,
    open_text: Option<TextBlock>,
    /// Whether the person or the client has something to answer.
    is_asking: bool,
    error: Option<String>,
}

/// What the open step has.
#[derive(Debug, Default)]
struct StepParts {
    is_open: bool,
    /// The ids of its tool parts, as the client knows them.
    tools: HashSet<String>,
    /// Whether one of them has its output.
    has_output: bool,
    /// Whether one of these is run by the client: with such a step at its end, a message is posted.
    is_postable: bool,
    /// Its texts, to write them again.
    texts: Vec<(TextBlock, String)>,
    /// Whether it has parts that could not be written again.
    has_others: bool,
}

impl AiSdk {
    /// A response with a message of its own.
    pub(crate) fn new(version: Version, conversation: ConversationId, turn: TurnId) -> Self {
        Self {
            version,
            message: turn.to_string(),
            conversation,
            turn,
            tag: None,
            steps: TurnSteps::default(),
            after: None,
            since: None,
            known: HashMap::new(),
            held: HashSet::new(),
            renamed: HashMap::new(),
            prompts: HashMap::new(),
            step: StepParts::default(),
            open_text: None,
            is_asking: false,
            error: None,
        }
    }

    /// A response that continues a message.
    pub(crate) fn continuing(mut self, continued: Continued) -> Self {
        self.message = continued.message;
        self.after = Some(continued.after);
        for id in continued.holds {
            let ours = untagged(&id).to_owned();
            self.held.insert(ours.clone());
            self.known.insert(ours, id);
        }
        self
    }

    /// A response that asks again. A client answers the first of parts with the same id, so these
    /// get ids of their own.
    pub(crate) fn again(mut self, tag: &str) -> Self {
        self.message = format!("{}{TAG}{tag}", self.message);
        self.tag = Some(tag.to_owned());
        self
    }

    fn tell(&mut self, event: &EventBody, to: &mut BytesMut) {
        if let EventBody::Start { turn_id, .. } = event {
            self.turn = *turn_id;
        }
        // A call that a person is asked about is written with the prompt.
        let is_asked = matches!(event, EventBody::UserPrompt(_));
        let mut steps = std::mem::take(&mut self.steps);
        steps.read(event, &mut |step| match step {
            Step::Call(_) if is_asked => {}
            step => self.step(step, to),
        });
        self.steps = steps;
    }

    fn step(&mut self, step: Step<'_>, to: &mut BytesMut) {
        match step {
            Step::TextBegins(block) => self.begin_text(block, to),
            Step::Text(block, delta) => self.text(block, delta, to),
            Step::TextEnds(_, message) => {
                self.end_text(to);
                if let Some(message) = message {
                    self.structure(message, to);
                }
            }
            Step::Replaced(block, text) => self.replace(block, text, to),
            Step::Message(message) => self.whole_message(message, to),
            Step::Call(call) => self.call(&call, to),
            Step::Result { result, status, by_client, .. } => match by_client {
                Some(prompt) => self.client_result(prompt, result, to),
                None => self.result(result, status, to),
            },
            Step::Progress { call, tool, progress } => {
                let data = json!({"toolCallId": call, "toolName": tool, "progress": progress});
                write(to, &Part::Progress { data, transient: true });
            }
            Step::Artifact { kind, id } => {
                self.content(to);
                self.step.has_others = true;
                let data = json!({"kind": kind, "id": id});
                match kind {
                    "recipe" => write(to, &Part::Recipe { id, data }),
                    _ => write(to, &Part::Artifact { id: format!("{kind}-{id}"), data }),
                }
            }
            // It is asked at the end of the response, if it is still open then.
            Step::Prompt(prompt) => {
                self.prompts.insert(prompt.id, prompt.clone());
            }
            Step::PromptClosed(closed) => self.closed(closed, to),
            Step::Error { message, .. } => self.error = Some(message.to_owned()),
        }
    }

    fn metadata(&self) -> Value {
        json!({"conversation_id": self.conversation, "turn_id": self.turn})
    }

    fn finish(&mut self, finish_reason: &'static str, metadata: Value, to: &mut BytesMut) {
        self.finish_last_step(to);
        write(to, &Part::Finish { finish_reason, message_metadata: metadata });
    }

    /// The client reads no further than an error, so it comes last.
    fn fail(&mut self, error_text: &str, metadata: Value, to: &mut BytesMut) {
        self.finish_last_step(to);
        write(to, &Part::MessageMetadata { message_metadata: metadata.clone() });
        write(to, &Part::Error { error_text });
        write(to, &Part::Finish { finish_reason: "error", message_metadata: metadata });
    }
}

impl TurnDialect for AiSdk {
    fn earlier(&mut self, event: &Served<EventBody>) {
        match (event.get(), &mut self.since) {
            // What a turn said before its end was in the response that ended with it.
            (EventBody::Done { .. }, Some(since)) => since.clear(),
            (_, Some(since)) => return since.push(event.clone()),
            (EventBody::UserPrompt(prompt), None) if self.after == Some(prompt.id) => {
                self.since = Some(Vec::new());
            }
            (_, None) => {}
        }
        let prompts = &mut self.prompts;
        self.steps.read(event.get(), &mut |step| {
            if let Step::Prompt(prompt) = step {
                prompts.insert(prompt.id, prompt.clone());
            }
        });
    }

    fn begin(&mut self, to: &mut BytesMut) {
        self.steps.close_block();
        let since = self.since.take().unwrap_or_default();
        write(to, &Part::Start { message_id: &self.message, message_metadata: self.metadata() });
        if self.after.is_some() {
            self.content(to);
        }
        for event in since {
            self.tell(event.get(), to);
        }
    }

    fn event(&mut self, event: &Served<EventBody>, to: &mut BytesMut) -> Wants {
        self.tell(event.get(), to);
        Wants::More
    }

    fn end(&mut self, end: &End, to: &mut BytesMut) {
        self.steps.close_block();
        self.end_text(to);
        if let End::Waits(open) | End::Done { open, .. } = end {
            let open: Vec<&UserPrompt> = open.iter().map(|view| view.prompt.get()).collect();
            self.ask(&open, to);
        }
        let mut metadata = self.metadata();
        match end {
            End::Waits(_) => self.finish("tool-calls", metadata, to),
            End::Nothing => self.finish("stop", metadata, to),
            End::Lost => {
                self.fail("The answer goes on; resume to read the rest.", metadata, to);
            }
            End::Done { reason, tokens_used, .. } => {
                metadata["reason"] = json!(reason);
                if let Some(tokens) = tokens_used {
                    metadata["tokens_used"] = json!(tokens);
                }
                match reason {
                    DoneReason::Complete if self.is_asking => {
                        self.finish("tool-calls", metadata, to);
                    }
                    DoneReason::Complete => self.finish("stop", metadata, to),
                    DoneReason::Stopped => {
                        self.finish_last_step(to);
                        write(to, &Part::MessageMetadata { message_metadata: metadata });
                        write(to, &Part::Abort { reason: "stopped" });
                    }
                    DoneReason::Error | DoneReason::Interrupted => {
                        let error = self.error.take();
                        let why = error.as_deref().unwrap_or("The answer was interrupted.");
                        self.fail(why, metadata, to);
                    }
                }
            }
        }
        to.extend_from_slice(b"data: [DONE]\n\n");
    }
}

/// Our id of something that the client names so.
pub(crate) fn untagged(id: &str) -> &str {
    id.split_once(TAG).map_or(id, |(id, _)| id)
}
