//! What is new in the input of a response: answers to prompts, or a message.
//!
//! A client may send everything that was said so far. What follows the last item of ours is new:
//! either answers, or messages, of which the last one is the person's.

use parlor_chat::EarlierMessage;
use parlor_protocol::PromptId;
use serde_json::{Value, json};

use super::content::Content;
use super::errors::OpenAiError;
use crate::dialects::openai_values::called;
use crate::dialects::responses::approval;

/// What is new.
#[derive(Debug)]
pub(super) enum Input {
    /// Answers to prompts.
    Answers(Vec<Given>),
    /// A message, with what was said before it.
    Message { content: Content, earlier: Vec<EarlierMessage> },
}

/// An answer: the prompt, and what is said to it.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) prompt: PromptId,
    pub(super) payload: Value,
}

impl Input {
    /// Reads an input: a text, or items.
    pub(super) fn read(input: &Value) -> Result<Self, OpenAiError> {
        let items = match input {
            Value::String(text) => {
                let content = Content { text: text.clone(), ..Content::default() };
                return Ok(Self::Message { content, earlier: Vec::new() });
            }
            Value::Array(items) => items,
            _ => return refuse("The input must be a text or a list of items."),
        };
        let new = items.iter().rev().take_while(|item| is_of_client(item)).count();
        let new = &items[items.len() - new..];
        let answers: Vec<&Value> = new.iter().filter(|item| is_answer(item)).collect();
        if answers.is_empty() {
            return message(items);
        }
        if answers.len() != new.len() {
            return refuse("Answers and messages cannot come together: answer first.");
        }
        Ok(Self::Answers(answers.into_iter().map(given).collect::<Result<_, _>>()?))
    }
}

/// The kind of an item; a message may leave it out.
fn kind(item: &Value) -> &str {
    item["type"].as_str().unwrap_or("message")
}

fn is_answer(item: &Value) -> bool {
    matches!(kind(item), "mcp_approval_response" | "function_call_output")
}

/// Whether an item is the client's own, not one of an earlier output.
fn is_of_client(item: &Value) -> bool {
    is_answer(item) || (kind(item) == "message" && item["role"] != "assistant")
}

fn given(item: &Value) -> Result<Given, OpenAiError> {
    let unknown = |name: &str| {
        let why = format!("Nothing named '{name}' waits for an answer.");
        OpenAiError::invalid("item_not_found", Some("input"), why)
    };
    if kind(item) == "function_call_output" {
        let name = item["call_id"].as_str().unwrap_or_default();
        let prompt = called(name).ok_or_else(|| unknown(name))?;
        let output = Content::read(&item["output"], "input")?.text;
        return Ok(Given { prompt, payload: Value::String(output) });
    }
    let name = item["approval_request_id"].as_str().unwrap_or_default();
    let prompt = approval(name).ok_or_else(|| unknown(name))?;
    let Some(approve) = item["approve"].as_bool() else {
        return refuse("approve must be true or false.");
    };
    let mut payload = json!({"approved": approve});
    if let Some(reason) = item["reason"].as_str().filter(|reason| !reason.is_empty()) {
        payload["reason"] = json!(reason);
    }
    Ok(Given { prompt, payload })
}

fn message(items: &[Value]) -> Result<Input, OpenAiError> {
    let last = items.split_last().filter(|(last, _)| last["role"] == "user");
    let Some((last, before)) = last else {
        return refuse("The last item must be a message of the role user, or an answer.");
    };
    let content = Content::read(&last["content"], "input")?;
    let mut earlier = Vec::new();
    // Calls, results and reasoning of the past are not told again.
    for item in before.iter().filter(|item| kind(item) == "message") {
        let role = item["role"].as_str().unwrap_or("user").to_owned();
        if !matches!(role.as_str(), "system" | "developer" | "user" | "assistant") {
            return refuse("A message is of the role system, developer, user or assistant.");
        }
        let Content { text, .. } = Content::read(&item["content"], "input")?;
        if !text.trim().is_empty() {
            earlier.push(EarlierMessage { role, text });
        }
    }
    Ok(Input::Message { content, earlier })
}

fn refuse<T>(why: &str) -> Result<T, OpenAiError> {
    Err(OpenAiError::param("input", why))
}
