//! `GET /api/conversations/{id}/export?format=markdown|json`: a conversation as a file,
//! as people saw it.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use parlor_protocol::message::{Message, MessageData};
use parlor_protocol::{
    ConversationId, FileReference, MessageType, PromptClosed, PromptOutcome, Role, metadata,
};
use parlor_storage::{ConversationView, PromptView};
use serde::Deserialize;

use super::body::{Parameters, PathId};
use super::errors::ApiError;
use super::json;
use crate::app::App;
use crate::auth::Principal;

/// How much of another version names it, in characters.
const LONGEST_NAME: usize = 80;

#[derive(Debug, Deserialize)]
pub(crate) struct Query {
    #[serde(default)]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Markdown,
    Json,
}

/// The conversation as a file.
pub(crate) async fn export(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ConversationId>,
    Parameters(Query { format }): Parameters<Query>,
) -> Result<Response, ApiError> {
    let view = app.chat.conversation(&principal.caller, id).await?;
    let (mut response, kind, ending) = match format {
        Format::Json => (json(&view)?, "application/json", "json"),
        Format::Markdown => (markdown(&view).into_response(), "text/markdown; charset=utf-8", "md"),
    };
    let name = format!("attachment; filename=\"conversation-{id}.{ending}\"");
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

fn markdown(view: &ConversationView) -> String {
    let mut text = format!("# {}\n", view.conversation.title.get());
    for message in view.messages_of_path() {
        let message = message.get();
        // Thinking is shown while it streams, and is not part of the conversation.
        if message.message_type == MessageType::Thinking {
            continue;
        }
        let who = match message.role {
            Role::User => "You",
            Role::Assistant => "Assistant",
            Role::Tool => "Tool",
        };
        text.push_str(&format!("\n**{who}**\n\n{}\n", body(message)));
        if let Some(others) = other_versions(view, message) {
            text.push_str(&format!("\n{others}\n"));
        }
        if let Some(closed) = closing(view, message) {
            text.push_str(&format!("\n{}\n", outcome(message, closed)));
        }
    }
    text
}

/// Names the other versions of a message that began a turn: they are in the JSON.
fn other_versions(view: &ConversationView, message: &Message) -> Option<String> {
    if message.role != Role::User {
        return None;
    }
    let place = view.turns.iter().find(|place| place.turn_id == message.turn_id)?;
    let versions = view.turns.iter().filter(|other| other.parent == place.parent);
    let said = versions.filter_map(|place| {
        let mut messages = view.messages.iter().map(|message| message.get());
        messages.find(|said| said.turn_id == place.turn_id && said.role == Role::User)
    });
    let said: Vec<&Message> = said.collect();
    let at = said.iter().position(|version| version.id == message.id)?;
    if said.len() == 1 {
        return None;
    }
    let others = said.iter().filter(|version| version.id != message.id).map(|version| {
        let line = version.content.lines().find(|line| !line.trim().is_empty());
        format!("“{}”", line.unwrap_or("…").chars().take(LONGEST_NAME).collect::<String>())
    });
    let others = others.collect::<Vec<_>>().join(", ");
    Some(format!("*Version {} of {}. Not in this file: {others}.*", at + 1, said.len()))
}

/// The outcome of the prompt that a message shows.
fn closing<'v>(view: &'v ConversationView, message: &Message) -> Option<&'v PromptClosed> {
    let id = metadata::PROMPT_ID.get(&message.metadata)?;
    let shown = |prompt: &&PromptView| prompt.prompt.get().id == id;
    view.prompts.iter().find(shown)?.closed.as_ref()
}

fn outcome(message: &Message, closed: &PromptClosed) -> String {
    let by = closed.answered_by.as_deref().map(|who| format!(" by {who}")).unwrap_or_default();
    let is_call = matches!(message.data, Some(MessageData::ToolCall(_)));
    let said = match closed.outcome {
        PromptOutcome::Answered if closed.tool_call.is_some() => "Allowed with changes",
        PromptOutcome::Answered if is_call => "Allowed",
        PromptOutcome::Answered => "Answered",
        PromptOutcome::Refused => "Refused",
        PromptOutcome::Expired => "Expired without an answer",
        PromptOutcome::Cancelled => "Cancelled",
    };
    let mut text = format!("*{said}{by}.*");
    if let Some(reason) = &closed.reason {
        text.push_str(&format!("\n\n{}", quoted(reason)));
    }
    if let Some(proposed) = metadata::PROPOSED.get(&message.metadata) {
        text.push_str(&format!("\n\nProposed:\n\n{}", fenced(&proposed.input)));
    }
    text
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

fn body(message: &Message) -> String {
    match &message.data {
        Some(MessageData::ToolCall(call)) => format!("`{}`\n\n{}", call.name, fenced(&call.input)),
        Some(MessageData::ToolResult(result)) => {
            format!("`{}`\n\n{}", result.name, fenced(&result.output))
        }
        Some(MessageData::Plan(plan)) => {
            let steps = plan
                .steps
                .iter()
                .map(|step| format!("{}. {} ({})\n", step.step_number, step.action, step.reason));
            let steps: String = steps.collect();
            let steps = plan.markdown.clone().unwrap_or(steps);
            format!("{}\n\n{steps}", plan.goal)
        }
        Some(MessageData::Question(question)) => {
            let options = question.options.iter().map(|option| format!("- {}\n", option.label));
            format!("{}\n\n{}", question.question, options.collect::<String>())
        }
        Some(MessageData::Other(_)) | None => match files(message) {
            Some(files) if message.content.is_empty() => files,
            Some(files) => format!("{}\n\n{files}", message.content),
            None => message.content.clone(),
        },
    }
}

/// The files that came with a message, by name, kind and size.
fn files(message: &Message) -> Option<String> {
    let files = metadata::FILES.raw(&message.metadata)?;
    let files: Vec<FileReference> = Vec::deserialize(files).ok()?;
    let line = |file: &FileReference| {
        format!("- File: {} ({}, {} bytes)", file.name, file.media_type, file.size)
    };
    Some(files.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// A code block whose fence is longer than any inside it.
fn fenced(value: &serde_json::Value) -> String {
    let text = match value {
        serde_json::Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}
