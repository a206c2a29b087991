//! The tool calls of a turn: what is known about each, and how it ended.
//!
//! An agent announces a call, says more about it, may ask for permission, and says how it
//! ended; any of these may be missing. That a call is in progress does not mean that it runs:
//! some agents say so before they ask. So the start of a call that was not asked about is held
//! back until the next line, or until none came for a moment.

use std::collections::HashMap;

use agent_client_protocol_schema::v1::{
    ContentBlock as AcpContent, Diff, EmbeddedResourceResource, ToolCall, ToolCallContent,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use parlor_agent::flow::ToolFlow;
use parlor_agent::{ContentBlock, ToolOutcome, diff};
use parlor_protocol::{Content, Preview, SubQuestion};
use serde_json::{Map, Value, json};

use super::tools::labels;
use crate::fields::said;
use crate::program_flow::is_inside;
use crate::result_text::{LONGEST_RESULT, cut};

/// Fields of a raw result that hold its text, by the names that agents use.
const OUTPUT_FIELDS: &[&str] =
    &["output", "text", "stdout", "error", "message", "formatted_output"];
/// Tools that are questions to the person.
const QUESTIONS: &[&str] = &["ask_user_question", "AskUserQuestion"];
/// Arguments that are paths, by the names that agents use.
const PATHS: &[&str] = &["path", "file_path", "filePath", "absolute_path", "abs_path", "dir_path"];
/// The argument of a search in files.
const PATTERN: &str = "pattern";
/// The name of a call about which nothing is known.
const UNKNOWN_TOOL: &str = "tool";

/// The calls of a turn, by the agent's ids.
#[derive(Debug, Default)]
pub(super) struct Calls(HashMap<String, Call>);

/// A call.
#[derive(Debug)]
pub(super) struct Call {
    /// The id under which people see it.
    pub(super) id: String,
    pub(super) state: State,
    fields: ToolCallUpdateFields,
    /// The tool's name where the agent says it beside the protocol.
    name: Option<String>,
    /// The tool's name as people saw it first.
    shown_tool: Option<String>,
    /// Output that came in pieces.
    streamed: String,
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Announced. Whether it runs or needs approval is not known yet.
    Announced,
    /// Said to be in progress; not shown yet.
    Held,
    /// Waits for a person's approval.
    Asked,
    /// Runs, and is shown to people.
    Running,
    /// Over, refused, or shown in another way.
    Settled,
}

impl Calls {
    /// The call with this id; a new one if it was never announced.
    pub(super) fn get(&mut self, id: &str) -> &mut Call {
        self.0.entry(id.to_owned()).or_insert_with(|| Call {
            id: id.to_owned(),
            state: State::Announced,
            fields: ToolCallUpdateFields::default(),
            name: None,
            shown_tool: None,
            streamed: String::new(),
        })
    }

    /// A call is announced.
    pub(super) fn announce(&mut self, call: ToolCall, raw: &Value) -> &mut Call {
        let update = ToolCallUpdate::from(call);
        self.update(update, raw)
    }

    /// More about a call.
    pub(super) fn update(&mut self, update: ToolCallUpdate, raw: &Value) -> &mut Call {
        let call = self.get(&update.tool_call_id.to_string());
        call.merge(update.fields);
        call.add_beside(raw);
        call
    }

    /// The ids of the calls that are in this state, in a stable order.
    pub(super) fn in_state(&self, state: State) -> Vec<String> {
        let mut ids: Vec<String> = self
            .0
            .iter()
            .filter(|(_, call)| call.state == state)
            .map(|(id, _)| id.clone())
            .collect();
        ids.sort();
        ids
    }

    /// Whether any call runs or waits for approval.
    pub(super) fn are_open(&self) -> bool {
        self.0.values().any(|call| matches!(call.state, State::Asked | State::Running))
    }

    /// Whether a call other than this one is at work: it would be lost with the process.
    pub(super) fn others_run(&self, id: &str) -> bool {
        let works = |call: &Call| matches!(call.state, State::Held | State::Running);
        self.0.iter().any(|(other, call)| other != id && works(call))
    }

    /// Called when the turn is over.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Call {
    fn merge(&mut self, fields: ToolCallUpdateFields) {
        let known = &mut self.fields;
        // Content and input are replaced as a whole.
        known.kind = fields.kind.or(known.kind.take());
        known.status = fields.status.or(known.status.take());
        known.title = fields.title.or(known.title.take());
        known.name = fields.name.or(known.name.take());
        known.content = fields.content.or(known.content.take());
        known.locations = fields.locations.or(known.locations.take());
        known.raw_input = fields.raw_input.or(known.raw_input.take());
        known.raw_output = fields.raw_output.or(known.raw_output.take());
    }

    /// What agents say beside the protocol: the tool's name, and output in pieces.
    fn add_beside(&mut self, raw: &Value) {
        let meta = &raw["_meta"];
        let name = said(meta, "toolName").or_else(|| said(&meta["claudeCode"], "toolName"));
        self.name = name.map(str::to_owned).or(self.name.take());
        if let Some(piece) = said(&meta["terminal_output"], "data")
            && self.streamed.len() < LONGEST_RESULT
        {
            self.streamed.push_str(piece);
        }
    }

    /// Shows it to people: from now on it has this id, and its tool the same name.
    pub(super) fn show(&mut self, id: String, state: State) {
        self.shown_tool = Some(self.tool());
        self.id = id;
        self.state = state;
    }

    /// The tool's name, or else what kind of tool it is.
    pub(super) fn tool(&self) -> String {
        if let Some(shown) = &self.shown_tool {
            return shown.clone();
        }
        let kind = || {
            let kind = serde_json::to_value(self.fields.kind?).ok()?;
            kind.as_str().filter(|kind| *kind != "other").map(str::to_owned)
        };
        let named = self.fields.name.clone().or_else(|| self.name.clone());
        named.filter(|name| !name.trim().is_empty()).or_else(kind).unwrap_or(UNKNOWN_TOOL.into())
    }

    pub(super) fn kind(&self) -> ToolKind {
        self.fields.kind.unwrap_or_default()
    }

    /// Its labels, by what the agent has said of it so far (F-1).
    pub(super) fn flow(&self, working_dir: &str, files: Content) -> ToolFlow {
        labels(self.kind(), self.stays_inside(working_dir), files)
    }

    /// Whether it is known to use no files but those of the working directory. A read that names
    /// none could be one of anything.
    pub(super) fn stays_inside(&self, working_dir: &str) -> bool {
        let input = self.raw_input().unwrap_or_default();
        let places = self.fields.locations.iter().flatten();
        let mut paths: Vec<Option<&str>> = places.map(|place| place.path.to_str()).collect();
        paths.extend(PATHS.iter().filter_map(|name| Some(input.get(*name)?.as_str())));
        let searches = self.kind() == ToolKind::Search && input.contains_key(PATTERN);
        let inside = |path: &Option<&str>| path.is_some_and(|path| is_inside(path, working_dir));
        (searches || !paths.is_empty()) && paths.iter().all(inside)
    }

    pub(super) fn title(&self) -> Option<&str> {
        self.fields.title.as_deref().filter(|title| !title.trim().is_empty())
    }

    /// Its arguments as the agent gave them, if it did.
    pub(super) fn raw_input(&self) -> Option<Map<String, Value>> {
        match self.fields.raw_input.as_ref()? {
            Value::Null => None,
            Value::Object(input) => Some(input.clone()),
            other => Some(Map::from_iter([("input".to_owned(), other.clone())])),
        }
    }

    /// Its arguments for people: without any, what the agent says about it.
    pub(super) fn shown_input(&self) -> Map<String, Value> {
        self.raw_input().unwrap_or_else(|| {
            let mut shown = Map::new();
            let mut add = |name: &str, value: Value| shown.insert(name.to_owned(), value);
            if let Some(title) = self.title() {
                add("title", json!(title));
            }
            let text = self.content_text();
            if !text.trim().is_empty() {
                add("description", json!(text));
            }
            if self.has_changes() {
                add("changes", self.diffs().map(change).collect());
            }
            shown
        })
    }

    /// Whether the agent says which texts it would change.
    pub(super) fn has_changes(&self) -> bool {
        self.diffs().next().is_some()
    }

    /// The questions to the person, if it is nothing else.
    pub(super) fn questions(&self) -> Option<Vec<SubQuestion>> {
        if !QUESTIONS.contains(&self.tool().as_str()) {
            return None;
        }
        let mut questions = SubQuestion::list_from_json(self.raw_input()?.get("questions")?);
        questions.iter_mut().for_each(|question| question.allow_other = true);
        (!questions.is_empty()).then_some(questions)
    }

    /// What it would change, as far as the agent says it (P-7).
    pub(super) fn preview(&self) -> Option<Preview> {
        let diffs: Vec<&Diff> = self.diffs().collect();
        match diffs.as_slice() {
            [] => None,
            [only] => Some(diff::diff(only.old_text.as_deref(), Some(&only.new_text))),
            several => {
                let pieces: Vec<(&str, &str)> = several
                    .iter()
                    .map(|diff| (diff.old_text.as_deref().unwrap_or_default(), &*diff.new_text))
                    .collect();
                Some(diff::edits(&pieces))
            }
        }
    }

    /// The text in its content: a plan, or what it is about.
    pub(super) fn content_text(&self) -> String {
        let texts = self.contents().filter_map(|content| match content {
            ToolCallContent::Content(content) => text_of(&content.content),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Whether its status says that it is over, and whether it failed.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.fields.status, Some(ToolCallStatus::Completed | ToolCallStatus::Failed))
    }

    pub(super) fn is_in_progress(&self) -> bool {
        self.fields.status == Some(ToolCallStatus::InProgress)
    }

    /// How it ended, as people see it.
    pub(super) fn outcome(&self) -> ToolOutcome {
        let (content, is_error) = (self.result(), self.failed());
        ToolOutcome::answered(content, is_error)
    }

    /// Its result, for the history. Pictures are only mentioned there.
    pub(super) fn result_block(&self) -> ContentBlock {
        let content = self.result().into_iter().map(|block| match block {
            ContentBlock::Image { .. } => ContentBlock::text("[image]"),
            other => other,
        });
        ContentBlock::ToolResult {
            tool_use_id: self.id.clone(),
            content: content.collect(),
            is_error: self.failed(),
        }
    }

    pub(super) fn use_block(&self) -> ContentBlock {
        let input = Value::Object(self.shown_input());
        ContentBlock::ToolUse { id: self.id.clone(), name: self.tool(), input }
    }

    fn failed(&self) -> bool {
        self.fields.status == Some(ToolCallStatus::Failed)
    }

    /// The words of the tool itself come before what the agent made of them.
    fn result(&self) -> Vec<ContentBlock> {
        let mut room = LONGEST_RESULT;
        let mut blocks = Vec::new();
        let words = self.raw_output().or_else(|| {
            let changes: Vec<String> = self.diffs().map(changed).collect();
            let texts = [self.content_text(), changes.join("\n"), self.streamed.clone()];
            texts.into_iter().find(|text| !text.trim().is_empty())
        });
        blocks.extend(words.map(|words| ContentBlock::text(cut(&words, &mut room))));
        blocks.extend(self.contents().filter_map(|content| match content {
            ToolCallContent::Content(content) => image(&content.content),
            _ => None,
        }));
        blocks
    }

    fn raw_output(&self) -> Option<String> {
        let output = self.fields.raw_output.as_ref()?;
        let text = match output {
            Value::String(text) => Some(text.as_str()),
            other => OUTPUT_FIELDS.iter().find_map(|field| said(other, field)),
        };
        text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
    }

    fn contents(&self) -> impl Iterator<Item = &ToolCallContent> {
        self.fields.content.iter().flatten()
    }

    fn diffs(&self) -> impl Iterator<Item = &Diff> {
        self.contents().filter_map(|content| match content {
            ToolCallContent::Diff(diff) => Some(diff),
            _ => None,
        })
    }
}

/// A change as an argument: the whole of it, so that it can be compared.
fn change(diff: &Diff) -> Value {
    json!({"path": diff.path, "old": diff.old_text, "new": diff.new_text})
}

fn changed(diff: &Diff) -> String {
    format!("Changed {}", diff.path.display())
}

fn text_of(content: &AcpContent) -> Option<String> {
    match content {
        AcpContent::Text(text) => Some(text.text.clone()),
        AcpContent::ResourceLink(link) => Some(link.uri.clone()),
        AcpContent::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => Some(text.text.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn image(content: &AcpContent) -> Option<ContentBlock> {
    match content {
        AcpContent::Image(image) => Some(ContentBlock::Image {
            media_type: image.mime_type.clone(),
            data: image.data.clone(),
        }),
        _ => None,
    }
}
