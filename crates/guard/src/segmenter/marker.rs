//! Inline markers (P-10): how an agent that can only write text asks.

use parlor_protocol::{Plan, PromptType, QuestionOption, Severity, SubQuestion};
use serde::Deserialize;
use serde_json::Value;

use super::segment::Found;

/// Begins a prompt. A space stands for any white space, or none.
pub(super) const START: &[u8] = b"<!-- userPrompt:start -->";
/// Ends a prompt.
pub(super) const END: &[u8] = b"<!-- userPrompt:end -->";

/// White space in a marker is at most this long.
const SPACE_AT_MOST: usize = 8;

/// A prompt as an agent wrote it between markers. It never stands for an
/// approval: JSON with a `toolCall` is not read as a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkerPrompt {
    /// How it is answered: `confirm`, `input`, `select` or `multi_question`.
    pub prompt_type: PromptType,
    /// What is asked; the questions, a line each, of a `multi_question`
    /// without a question of its own.
    pub question: String,
    /// What can be chosen; only a `select` has options.
    pub options: Option<Vec<QuestionOption>>,
    /// The questions of a `multi_question`.
    pub questions: Option<Vec<SubQuestion>>,
    /// What one should know to answer.
    pub context: Option<String>,
    /// How much hangs on it.
    pub severity: Option<Severity>,
    /// The answer that is highlighted, never taken by itself.
    pub default: Option<String>,
}

/// Whether a marker is still being spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    More,
    Done,
    No,
}

/// Compares bytes with a marker, one by one. A marker has a `<` at its
/// beginning only, so a comparison that failed can begin again at the next `<`.
#[derive(Debug)]
pub(super) struct Matcher {
    /// What is yet to come; nothing, once the comparison failed.
    left: &'static [u8],
    spaces: usize,
}

impl Matcher {
    pub(super) fn new(marker: &'static [u8]) -> Self {
        Self { left: marker, spaces: 0 }
    }

    pub(super) fn feed(&mut self, byte: u8) -> Progress {
        if self.left.first() == Some(&b' ') {
            if byte.is_ascii_whitespace() && self.spaces < SPACE_AT_MOST {
                self.spaces += 1;
                return Progress::More;
            }
            (self.left, self.spaces) = (&self.left[1..], 0);
        }
        match self.left {
            [last] if *last == byte => Progress::Done,
            [next, left @ ..] if *next == byte => {
                self.left = left;
                Progress::More
            }
            _ => {
                self.left = &[];
                Progress::No
            }
        }
    }
}

/// Reads what stands between the markers.
pub(super) fn read_prompt(body: &str) -> Found {
    match serde_json::from_str::<Value>(body) {
        Ok(value) if !has(&value, "toolCall") && !has(&value, "tool_call") => {
            read_value(&value).unwrap_or(Found::Invalid)
        }
        _ => Found::Invalid,
    }
}

fn read_value(value: &Value) -> Option<Found> {
    match PromptType::deserialize(prompt_type(value)?).ok()? {
        PromptType::Plan => {
            Plan::from_json(value.get("plan").unwrap_or(value)).ok().map(Found::Plan)
        }
        prompt_type @ (PromptType::Confirm
        | PromptType::Input
        | PromptType::Select
        | PromptType::MultiQuestion) => MarkerPrompt::read(prompt_type, value).map(Found::Prompt),
        // They need a schema or steps that are checked where prompts are opened.
        PromptType::Wizard | PromptType::Form => None,
    }
}

/// `promptType`, or `type` unless that only says that it is a prompt.
fn prompt_type(value: &Value) -> Option<&Value> {
    value.get("promptType").or_else(|| value.get("type"))
}

impl MarkerPrompt {
    fn read(prompt_type: PromptType, value: &Value) -> Option<Self> {
        let questions = match prompt_type {
            PromptType::MultiQuestion => Some(read_questions(value)?),
            _ => None,
        };
        let options = match prompt_type {
            PromptType::Select => Some(read_options(value)?),
            _ => None,
        };
        let question = text(value, "question").or_else(|| Some(lines(questions.as_ref()?)))?;
        Some(Self {
            prompt_type,
            question,
            default: read_default(prompt_type, value, options.as_deref()),
            options,
            questions,
            context: text(value, "context"),
            severity: value.get("severity").and_then(|field| Severity::deserialize(field).ok()),
        })
    }
}

fn read_questions(value: &Value) -> Option<Vec<SubQuestion>> {
    let questions = SubQuestion::list_from_json(value.get("questions")?);
    (!questions.is_empty()).then_some(questions)
}

fn read_options(value: &Value) -> Option<Vec<QuestionOption>> {
    QuestionOption::list_from_json(value.get("options")?).filter(|options| !options.is_empty())
}

/// A default that cannot be answered is dropped.
fn read_default(
    prompt_type: PromptType,
    value: &Value,
    options: Option<&[QuestionOption]>,
) -> Option<String> {
    let default = match value.get("default")? {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        _ => text(value, "default")?,
    };
    let answers = match prompt_type {
        PromptType::Confirm => default == "yes" || default == "no",
        PromptType::Select => options?.iter().any(|option| option.value == default),
        _ => true,
    };
    answers.then_some(default)
}

fn lines(questions: &[SubQuestion]) -> String {
    questions.iter().map(|each| each.question.as_str()).collect::<Vec<_>>().join("\n")
}

fn text(value: &Value, field: &str) -> Option<String> {
    let text = match value.get(field)? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

fn has(value: &Value, field: &str) -> bool {
    value.get(field).is_some_and(|field| !field.is_null())
}
