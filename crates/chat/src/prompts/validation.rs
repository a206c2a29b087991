//! Validates an answer against its prompt (P-5). Pure.
//!
//! The public half of the prompt says what can be answered, the private half what that means
//! to whoever asked. What a person typed by hand is collected for the guardrail.

use parlor_guard::guardrail::Typed;
use parlor_protocol::{
    PlanDecision, PromptAnswer, PromptDraft, PromptOutcome, PromptStep, PromptType, QuestionOption,
    SubQuestion, ToolCall, UserPrompt,
};
use serde_json::{Map, Value, json};

use super::{PendingCall, Resolution, Subject, edit, form};
use crate::validation_error::ValidationError;

/// The longest result of a client's tool, as JSON.
const MAX_CLIENT_RESULT: usize = 256 * 1024;

/// A yes to a call that words of others may be behind is for that call alone (F-4).
const NOT_ALWAYS: &str = "This cannot be allowed for the rest of the conversation, because the \
                          agent has read what others wrote. Allow it once, or go on without what \
                          was read.";

/// Where somebody else has to answer, they do so each time (Y-2).
const NOT_ALWAYS_OTHER: &str = "This cannot be allowed for the rest of the conversation: somebody \
                                else than who asks has to allow each call.";

/// A valid answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValidAnswer {
    pub(crate) outcome: PromptOutcome,
    /// As the person gave it, for people.
    pub(crate) response: Option<Value>,
    pub(crate) resolution: Resolution,
    /// Of an approved call: exactly what runs.
    pub(crate) arguments: Option<Map<String, Value>>,
    /// Whether the person changed the arguments.
    pub(crate) edited: bool,
    /// What was typed by hand.
    typed: Vec<String>,
}

impl ValidAnswer {
    /// Why not, in the person's words.
    pub(crate) fn reason(&self) -> Option<&String> {
        match &self.resolution {
            Resolution::No(reason) => reason.as_ref(),
            Resolution::Yes | Resolution::Given { .. } => None,
        }
    }

    /// What it decides, if the prompt was about a plan.
    pub(crate) fn plan_decision(&self) -> Option<PlanDecision> {
        match &self.resolution {
            Resolution::Given { value, .. } => PlanDecision::from_json(value),
            Resolution::Yes | Resolution::No(_) => None,
        }
    }

    /// The answer as a message of the person.
    pub(crate) fn into_text(self) -> String {
        match self.resolution {
            Resolution::Given { said, .. } => said,
            Resolution::Yes | Resolution::No(_) => String::new(),
        }
    }
}

impl Typed for ValidAnswer {
    fn typed(&self) -> Vec<&str> {
        self.typed.iter().map(String::as_str).collect()
    }
}

/// Validates an answer; the error says what is wrong.
pub(crate) fn validate(
    public: &UserPrompt,
    subject: &Subject,
    answer: &PromptAnswer,
) -> Result<ValidAnswer, ValidationError> {
    let reason = answer.reason.clone().filter(|reason| !reason.trim().is_empty());
    if answer.cancelled {
        return Ok(refused(None, reason));
    }
    match subject {
        Subject::Call(call) => approval(public, call, answer, reason),
        Subject::Result => Ok(match yes_or_no(&answer.response)? {
            true => yes(&answer.response),
            false => refused(Some(answer.response.clone()), reason),
        }),
        Subject::ClientCall => client_result(&answer.response),
        Subject::Question(draft) => question(public, draft, answer, reason),
    }
}

/// The result of the client's tool. It is not what a person typed: it is scanned like any other
/// result, before the model reads it.
fn client_result(response: &Value) -> Result<ValidAnswer, ValidationError> {
    if response.is_null() {
        return Err("The result of the tool is missing; an empty one is \"\".".into());
    }
    if response.to_string().len() > MAX_CLIENT_RESULT {
        return Err(format!("The result is longer than {MAX_CLIENT_RESULT} bytes.").into());
    }
    Ok(ValidAnswer {
        outcome: PromptOutcome::Answered,
        response: None,
        resolution: Resolution::Given { value: response.clone(), said: String::new() },
        arguments: None,
        edited: false,
        typed: Vec::new(),
    })
}

fn approval(
    public: &UserPrompt,
    call: &PendingCall,
    answer: &PromptAnswer,
    reason: Option<String>,
) -> Result<ValidAnswer, ValidationError> {
    if !yes_or_no(&answer.response)? {
        return Ok(refused(Some(answer.response.clone()), reason));
    }
    if answer.remember.is_some() && public.influence.is_some() {
        return Err(NOT_ALWAYS.into());
    }
    let needs_other = public.approvers.as_ref().is_some_and(|approvers| approvers.other);
    if answer.remember.is_some() && needs_other {
        return Err(NOT_ALWAYS_OTHER.into());
    }
    let mut valid = yes(&answer.response);
    valid.arguments = Some(call.input.clone());
    if let (Some(input), Some(shown)) = (&answer.input, &public.tool_call)
        && let Some(arguments) = edited_arguments(shown, call, input)?
    {
        valid.arguments = Some(arguments);
        valid.edited = true;
        let before = texts(&shown.input);
        valid.typed = texts(input).into_iter().filter(|text| !before.contains(text)).collect();
    }
    Ok(valid)
}

/// The arguments as the person changed them; `None` if they are the same.
pub(crate) fn edited_arguments(
    shown: &ToolCall,
    call: &PendingCall,
    input: &Value,
) -> Result<Option<Map<String, Value>>, ValidationError> {
    if *input == shown.input {
        return Ok(None);
    }
    let masked = shown.masked.as_deref().unwrap_or_default();
    let arguments = edit::merge(&call.input, &shown.input, masked, input)?;
    edit::validate(call.schema.as_ref(), &arguments)?;
    Ok(Some(arguments))
}

fn question(
    public: &UserPrompt,
    draft: &PromptDraft,
    answer: &PromptAnswer,
    reason: Option<String>,
) -> Result<ValidAnswer, ValidationError> {
    let response = &answer.response;
    let given = match draft.prompt_type {
        PromptType::Confirm => {
            let answer = if yes_or_no(response)? { "yes" } else { "no" };
            Given::chosen(answer, answer)
        }
        PromptType::Input => free_text(response)?,
        PromptType::Select => {
            chosen(response, public.options.as_deref(), draft.options.as_deref())?
        }
        PromptType::MultiQuestion => questions(response, public, draft)?,
        PromptType::Wizard => steps(response, public, draft)?,
        PromptType::Plan => plan(response, reason)?,
        PromptType::ClientCall => return Err("This question cannot be answered.".into()),
        PromptType::Form => {
            let schema = draft.schema.as_ref().ok_or("This form cannot be answered.")?;
            let filled = form::validate(schema, response)?;
            Given { said: form_text(&filled), value: filled, typed: texts(response) }
        }
    };
    Ok(ValidAnswer {
        outcome: PromptOutcome::Answered,
        response: Some(response.clone()),
        resolution: Resolution::Given { value: given.value, said: given.said },
        arguments: None,
        edited: false,
        typed: given.typed,
    })
}

/// One part of an answer: its value, its text for people, what was typed.
struct Given {
    value: Value,
    said: String,
    typed: Vec<String>,
}

impl Given {
    fn chosen(value: &str, label: &str) -> Self {
        Self { value: json!(value), said: label.to_owned(), typed: Vec::new() }
    }

    fn typed(text: &str) -> Self {
        Self { value: json!(text), said: text.to_owned(), typed: vec![text.to_owned()] }
    }
}

fn yes_or_no(response: &Value) -> Result<bool, String> {
    match response.as_str() {
        Some("yes") => Ok(true),
        Some("no") => Ok(false),
        _ => Err("Answer \"yes\" or \"no\".".to_owned()),
    }
}

fn free_text(response: &Value) -> Result<Given, String> {
    match response.as_str() {
        Some(text) if !text.trim().is_empty() => Ok(Given::typed(text)),
        Some(_) => Err("The answer is empty.".to_owned()),
        None => Err("The answer must be a text.".to_owned()),
    }
}

/// An option is chosen by the value that people see; its own value is at the same index of
/// the asker's list.
fn chosen(
    response: &Value,
    public: Option<&[QuestionOption]>,
    raw: Option<&[QuestionOption]>,
) -> Result<Given, String> {
    let (public, raw) = (public.unwrap_or_default(), raw.unwrap_or_default());
    let value = response.as_str().unwrap_or_default();
    let index = public.iter().position(|option| option.value == value);
    match index.and_then(|at| Some((public.get(at)?, raw.get(at)?))) {
        Some((shown, raw)) => Ok(Given::chosen(&raw.value, &shown.label)),
        None => {
            let values: Vec<&str> = public.iter().map(|option| option.value.as_str()).collect();
            Err(format!("Choose one of: {}.", values.join(", ")))
        }
    }
}

/// `execute`, or `refine` with the changes as the reason.
fn plan(response: &Value, reason: Option<String>) -> Result<Given, String> {
    match (response.as_str(), reason) {
        (Some("execute"), _) => Ok(Given {
            value: PlanDecision::Execute.to_json(),
            said: "Execute plan".to_owned(),
            typed: Vec::new(),
        }),
        (Some("refine"), Some(changes)) => Ok(Given {
            value: PlanDecision::Refine(changes.clone()).to_json(),
            said: changes.clone(),
            typed: vec![changes],
        }),
        (Some("refine"), None) => Err("Say in \"reason\" what to change.".to_owned()),
        _ => Err("Answer \"execute\" or \"refine\".".to_owned()),
    }
}

fn questions(response: &Value, public: &UserPrompt, draft: &PromptDraft) -> Result<Given, String> {
    let shown = public.questions.as_deref().unwrap_or_default();
    let raw = draft.questions.as_deref().unwrap_or_default();
    let parts = shown.iter().zip(raw).map(|(shown, raw)| {
        let given = sub_question(&response[shown.id.as_str()], shown, raw)
            .map_err(|why| format!("'{}': {why}", shown.id))?;
        let title = shown.header.as_deref().unwrap_or(&shown.question);
        Ok((raw.id.clone(), title.to_owned(), given))
    });
    together(response, parts)
}

fn sub_question(response: &Value, shown: &SubQuestion, raw: &SubQuestion) -> Result<Given, String> {
    let one = |value: &Value| {
        chosen(value, Some(&shown.options), Some(&raw.options))
            .or_else(|why| if shown.allow_other { free_text(value) } else { Err(why) })
    };
    let Value::Array(values) = response else { return one(response) };
    if !shown.multi_select {
        return Err("Only one answer is possible.".to_owned());
    }
    if values.is_empty() {
        return Err("Choose at least one.".to_owned());
    }
    let parts: Vec<Given> = values.iter().map(one).collect::<Result<_, _>>()?;
    Ok(Given {
        said: parts.iter().map(|part| part.said.as_str()).collect::<Vec<_>>().join(", "),
        typed: parts.iter().flat_map(|part| part.typed.clone()).collect(),
        value: parts.into_iter().map(|part| part.value).collect(),
    })
}

fn steps(response: &Value, public: &UserPrompt, draft: &PromptDraft) -> Result<Given, String> {
    let shown = public.steps.as_deref().unwrap_or_default();
    let raw = draft.steps.as_deref().unwrap_or_default();
    let parts = shown.iter().zip(raw).map(|(shown, raw)| {
        let given = step(&response[shown.id.as_str()], shown, raw)
            .map_err(|why| format!("'{}': {why}", shown.id))?;
        Ok((raw.id.clone(), shown.title.clone(), given))
    });
    together(response, parts)
}

fn step(response: &Value, shown: &PromptStep, raw: &PromptStep) -> Result<Given, String> {
    match raw.prompt_type {
        PromptType::Confirm => {
            let answer = if yes_or_no(response)? { "yes" } else { "no" };
            Ok(Given::chosen(answer, answer))
        }
        PromptType::Select => chosen(response, shown.options.as_deref(), raw.options.as_deref()),
        PromptType::Input
        | PromptType::MultiQuestion
        | PromptType::Plan
        | PromptType::Wizard
        | PromptType::Form
        | PromptType::ClientCall => free_text(response),
    }
}

/// Several answers as one object, by the asker's own keys.
fn together(
    response: &Value,
    parts: impl Iterator<Item = Result<(String, String, Given), String>>,
) -> Result<Given, String> {
    if !response.is_object() {
        return Err("Answer with an object: a value for each question.".to_owned());
    }
    let mut all = Given { value: json!({}), said: String::new(), typed: Vec::new() };
    for part in parts {
        let (key, title, given) = part?;
        all.value[key.as_str()] = given.value;
        if !all.said.is_empty() {
            all.said.push('\n');
        }
        all.said.push_str(&format!("{title}: {}", given.said));
        all.typed.extend(given.typed);
    }
    Ok(all)
}

fn yes(response: &Value) -> ValidAnswer {
    ValidAnswer {
        outcome: PromptOutcome::Answered,
        response: Some(response.clone()),
        resolution: Resolution::Yes,
        arguments: None,
        edited: false,
        typed: Vec::new(),
    }
}

fn refused(response: Option<Value>, reason: Option<String>) -> ValidAnswer {
    ValidAnswer {
        outcome: PromptOutcome::Refused,
        response,
        typed: reason.iter().cloned().collect(),
        resolution: Resolution::No(reason),
        arguments: None,
        edited: false,
    }
}

/// Every text in a value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// A form's answer as lines of text.
fn form_text(response: &Value) -> String {
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    };
    let fields = response.as_object().into_iter().flatten();
    fields.map(line).collect::<Vec<_>>().join("\n")
}
