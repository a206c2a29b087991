//! The requests of OpenAI chat completions: our history in, JSON out.
//!
//! Pure. How a history becomes messages:
//! - the system prompt is the first message;
//! - what people say is text, or a list of texts, pictures and files if there are any;
//! - a result of a tool is a message of its own, right after the calls. There is
//!   no field for a failure and no place for a picture: the first is said in
//!   words, the second follows in a message of the user's side;
//! - neighbours with the same role become one message, because templates of
//!   local models insist on turns.
//!
//! Left out is what a server would refuse, so that no history can make a
//! conversation unusable: blank texts, messages of which nothing is left, blocks
//! of other vendors and versions, and reasoning, except for what a server wants
//! back beside its tool calls.

use std::borrow::Cow;

use parlor_agent::tools::ToolSpec;
use parlor_agent::{ContentBlock, Document, HistoryMessage};
use parlor_protocol::Role;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::note::{Note, ReasoningField};
use crate::client::ModelRequest;
use crate::tool_input;

/// What is the same in every request.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) model: String,
    pub(super) max_tokens: Option<u32>,
    pub(super) max_completion_tokens: Option<u32>,
    pub(super) reasoning_effort: Option<&'static str>,
}

/// The body of a request.
pub(super) fn body(template: &Template, request: &ModelRequest<'_>) -> serde_json::Result<Vec<u8>> {
    let system = request.system_prompt.filter(|text| !text.trim().is_empty());
    let mut messages = Messages::new(&template.model, request.history);
    messages.said.extend(system.map(|content| Message::System { content }));
    serde_json::to_vec(&Body {
        model: &template.model,
        stream: true,
        stream_options: StreamOptions { include_usage: true },
        max_tokens: template.max_tokens,
        max_completion_tokens: template.max_completion_tokens,
        reasoning_effort: template.reasoning_effort,
        tools: request.tools.iter().copied().map(tool).collect(),
        messages: messages.of(request.history),
    })
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Message<'a>>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tool<'a> {
    Function { function: Function<'a> },
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    let ToolSpec { name, description, input_schema } = spec;
    Tool::Function { function: Function { name, description, parameters: input_schema } }
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Message<'a> {
    System { content: &'a str },
    User { content: Content<'a> },
    Assistant(Answer<'a>),
    Tool { tool_call_id: &'a str, content: String },
}

#[derive(Serialize, Default)]
struct Answer<'a> {
    /// `null` beside calls, as OpenAI itself writes it.
    content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasoning_details: Vec<Value>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl<'a> },
    File { file: File<'a> },
}

#[derive(Serialize)]
struct File<'a> {
    filename: &'a str,
    file_data: DataUri<'a>,
}

#[derive(Serialize)]
struct ImageUrl<'a> {
    url: DataUri<'a>,
}

/// A picture or a file in an address. It is written out without being put together first.
struct DataUri<'a> {
    media_type: &'a str,
    data: &'a str,
}

impl Serialize for DataUri<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("data:{};base64,{}", self.media_type, self.data))
    }
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: CalledFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    /// JSON as text.
    arguments: String,
}

/// The messages, while they are put together.
struct Messages<'a> {
    model: &'a str,
    /// Whether the model wants `reasoning_content` with every call.
    insists: bool,
    said: Vec<Message<'a>>,
    /// What the user's side has said since the last answer. It comes after the
    /// results of tools, which must follow their calls.
    parts: Vec<Part<'a>>,
}

impl<'a> Messages<'a> {
    fn new(model: &'a str, history: &[HistoryMessage]) -> Self {
        let insists = Note::insists(history, model);
        Self { model, insists, said: Vec::with_capacity(history.len() + 1), parts: Vec::new() }
    }

    fn of(mut self, history: &'a [HistoryMessage]) -> Vec<Message<'a>> {
        let this_turn = history.iter().rposition(|message| message.role == Role::User);
        for (at, message) in history.iter().enumerate() {
            match message.role {
                Role::User | Role::Tool => {
                    message.blocks.iter().for_each(|block| self.heard(block));
                }
                Role::Assistant => self.answered(&message.blocks, Some(at) > this_turn),
            }
        }
        self.end_of_parts();
        self.said
    }

    /// Takes what people and tools say.
    fn heard(&mut self, block: &'a ContentBlock) {
        match block {
            ContentBlock::Text { text } => self.parts.extend(words(text)),
            ContentBlock::Image { media_type, data } => self.parts.push(picture(media_type, data)),
            ContentBlock::ToolResult { tool_use_id, content, is_error } => {
                let content_text = result_text(content, *is_error);
                self.said.push(Message::Tool { tool_call_id: tool_use_id, content: content_text });
                let mut pictures = content.iter().filter_map(as_picture).peekable();
                if pictures.peek().is_some() {
                    let text = format!("Pictures from the tool call {tool_use_id}:");
                    self.parts.push(Part::Text { text: text.into() });
                    self.parts.extend(pictures);
                }
            }
            ContentBlock::Document(Document { name, media_type, data: Some(data), .. }) => {
                let file = File { filename: name, file_data: DataUri { media_type, data } };
                self.parts.push(Part::File { file });
            }
            ContentBlock::Document(Document { text, .. }) => self.parts.extend(words(text)),
            ContentBlock::File(_)
            | ContentBlock::ToolUse { .. }
            | ContentBlock::Thinking { .. }
            | ContentBlock::Vendor { .. }
            | ContentBlock::Unknown(_) => {}
        }
    }

    /// Takes what the model said.
    fn answered(&mut self, blocks: &'a [ContentBlock], this_turn: bool) {
        let note = Note::find(blocks, self.model).unwrap_or_default();
        let mut answer = Answer {
            content: joined(blocks.iter().filter_map(ContentBlock::as_text)),
            tool_calls: blocks.iter().filter_map(|block| call(block, &note, this_turn)).collect(),
            ..Answer::default()
        };
        if !answer.tool_calls.is_empty() {
            self.give_back(note, blocks, this_turn, &mut answer);
        } else if answer.content.is_none() {
            return;
        }
        self.end_of_parts();
        // An answer that was interrupted, and the one after it.
        if let Some(Message::Assistant(last)) = self.said.last_mut()
            && last.tool_calls.is_empty()
        {
            let both = [last.content.take(), answer.content.take()];
            answer.content = joined(both.iter().flatten().map(AsRef::as_ref))
                .map(|text| Cow::Owned(text.into_owned()));
            *last = answer;
        } else {
            self.said.push(Message::Assistant(answer));
        }
    }

    /// Adds what the model wants back beside its calls.
    fn give_back(
        &self,
        note: Note,
        blocks: &'a [ContentBlock],
        this_turn: bool,
        to: &mut Answer<'a>,
    ) {
        let reasoning = || {
            let texts = blocks.iter().filter_map(|block| match block {
                ContentBlock::Thinking { text, .. } => Some(text.as_str()),
                _ => None,
            });
            joined(texts).unwrap_or_default()
        };
        match note.reasoning_field {
            Some(ReasoningField::ReasoningContent) => to.reasoning_content = Some(reasoning()),
            // Details hold the same again.
            Some(ReasoningField::Reasoning) if this_turn && note.reasoning_details.is_empty() => {
                to.reasoning = Some(reasoning());
            }
            Some(ReasoningField::Reasoning) | None => {
                to.reasoning_content = self.insists.then_some(Cow::Borrowed(""));
            }
        }
        if this_turn {
            to.reasoning_details = note.reasoning_details;
        }
    }

    /// Makes a message of what the user's side has said.
    fn end_of_parts(&mut self) {
        let parts = std::mem::take(&mut self.parts);
        let text = |part: &Part<'a>| match part {
            Part::Text { text } => Some(text.clone()),
            Part::ImageUrl { .. } | Part::File { .. } => None,
        };
        let content = match parts.iter().map(text).collect::<Option<Vec<_>>>() {
            Some(texts) if texts.is_empty() => return,
            Some(mut texts) if texts.len() == 1 => Content::Text(texts.remove(0)),
            // Not every server takes a list.
            Some(texts) => Content::Text(texts.join("\n\n").into()),
            None => Content::Parts(parts),
        };
        self.said.push(Message::User { content });
    }
}

fn call<'a>(block: &'a ContentBlock, note: &Note, this_turn: bool) -> Option<Call<'a>> {
    let ContentBlock::ToolUse { id, name, input } = block else { return None };
    let function = CalledFunction { name, arguments: tool_input::as_object(input).to_string() };
    let extra_content = note.extra_content.get(id).filter(|_| this_turn).cloned();
    Some(Call { id, kind: "function", function, extra_content })
}

/// What a tool gave back, in words. An empty text would be refused by some.
fn result_text(content: &[ContentBlock], is_error: bool) -> String {
    let text = joined(content.iter().filter_map(ContentBlock::as_text)).unwrap_or_default();
    let pictures = content.iter().any(|block| as_picture(block).is_some());
    match (is_error, text.is_empty()) {
        (true, false) => format!("Error: {text}"),
        (true, true) => "Error: the tool failed and did not say why.".to_owned(),
        (false, false) => text.into_owned(),
        (false, true) if pictures => "(The pictures follow.)".to_owned(),
        (false, true) => "(The tool gave nothing back.)".to_owned(),
    }
}

fn words(text: &str) -> Option<Part<'_>> {
    (!text.trim().is_empty()).then_some(Part::Text { text: text.into() })
}

fn as_picture(block: &ContentBlock) -> Option<Part<'_>> {
    match block {
        ContentBlock::Image { media_type, data } => Some(picture(media_type, data)),
        _ => None,
    }
}

fn picture<'a>(media_type: &'a str, data: &'a str) -> Part<'a> {
    Part::ImageUrl { image_url: ImageUrl { url: DataUri { media_type, data } } }
}

/// The texts that are not blank, with blank lines between them.
fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> Option<Cow<'a, str>> {
    let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
    match texts.as_slice() {
        [] => None,
        [text] => Some(Cow::Borrowed(text)),
        texts => Some(Cow::Owned(texts.join("\n\n"))),
    }
}
