//! Questions as text, for an editor that has no forms: how one is asked, and what the next
//! message means. Pure.
//!
//! Fail closed: a choice, a plan or a yes counts only if the message is exactly what was
//! asked for. While a turn waits for the answer, any other message leaves the question open
//! and says what would be an answer. If no turn waits, it is a message like any other, and
//! passes the question over, as in a browser.

use parlor_protocol::{
    PromptAnswer, PromptStep, PromptType, QuestionOption, SubQuestion, UserPrompt,
};
use serde_json::{Map, Value, json};

use super::answers;
use super::form::yes_or_no;

/// The message that refuses to answer.
const CANCEL: &str = "/cancel";

/// What a message means while a question is open.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    /// It answers the question.
    Answer(PromptAnswer),
    /// It is a message like any other.
    Message,
    /// It is not sent; the text says what would be an answer.
    Unclear(String),
}

/// How the question is answered. The question itself is a message of the conversation.
/// `page` is its address for a browser.
pub(super) fn ask(prompt: &UserPrompt, page: Option<&str>) -> String {
    let mut text = parts(prompt);
    text.push_str(how(prompt.prompt_type));
    text.push_str(&format!(" `{CANCEL}` refuses to answer."));
    if let Some(page) = page {
        text.push_str(&format!(" You can also answer at {page}"));
    }
    text
}

/// What a message means.
pub(super) fn read(prompt: &UserPrompt, message: &str, turn_waits: bool) -> Reply {
    let message = message.trim();
    if message == CANCEL {
        return Reply::Answer(answers::refused());
    }
    match answer(prompt, message, turn_waits) {
        Some(answer) => Reply::Answer(answer),
        None if turn_waits => Reply::Unclear(format!(
            "This is not an answer to the open question, and was not sent. {}",
            how(prompt.prompt_type)
        )),
        None => Reply::Message,
    }
}

fn how(prompt_type: PromptType) -> &'static str {
    match prompt_type {
        PromptType::Confirm => "Reply `yes` or `no`.",
        PromptType::Input => "Your next message is the answer.",
        PromptType::Select => "Reply with the number or the name of an option.",
        PromptType::MultiQuestion | PromptType::Wizard => {
            "Reply with one line for each question, in this order: a number, a name or your own \
             words; several separated by commas."
        }
        PromptType::Plan => {
            "Reply `execute` to carry the plan out, or write what should change in it."
        }
        PromptType::Form => "Reply with one line for each field: `name: value`.",
        PromptType::ClientCall => "The app that sent the message answers it.",
    }
}

/// What can be answered, as a list that ends with an empty line.
fn parts(prompt: &UserPrompt) -> String {
    let mut text = String::new();
    text.extend(prompt.context.as_ref().map(|context| format!("{context}\n\n")));
    match prompt.prompt_type {
        PromptType::Select => text.push_str(&list(prompt.options.as_deref().unwrap_or_default())),
        PromptType::MultiQuestion => {
            for question in prompt.questions.iter().flatten() {
                text.push_str(&format!("**{}**\n\n", question.question));
                text.push_str(&list(&question.options));
            }
        }
        PromptType::Wizard => {
            for step in prompt.steps.iter().flatten() {
                text.push_str(&format!("**{}**\n\n", step.question));
                text.push_str(&list(&step_options(step)));
            }
        }
        PromptType::Form => text.push_str(&fields(prompt.schema.as_ref())),
        PromptType::Confirm | PromptType::Input | PromptType::Plan | PromptType::ClientCall => {}
    }
    text
}

fn list(options: &[QuestionOption]) -> String {
    let mut text = String::new();
    for (index, option) in options.iter().enumerate() {
        text.push_str(&format!("{}. {}", index + 1, option.label));
        text.extend(option.description.as_ref().map(|more| format!(": {more}")));
        text.push('\n');
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn fields(schema: Option<&Value>) -> String {
    let properties = schema.and_then(|schema| schema["properties"].as_object());
    let required = schema.and_then(|schema| schema["required"].as_array());
    let mut text = String::new();
    for (name, field) in properties.into_iter().flatten() {
        text.push_str(&format!("- `{name}`"));
        text.extend(field["title"].as_str().map(|title| format!(": {title}")));
        let choices = field["enum"].as_array().map(|choices| {
            let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
            choices.join(", ")
        });
        let kind = choices.or_else(|| field["type"].as_str().map(str::to_owned));
        let must = required.is_some_and(|required| required.iter().any(|key| key == name));
        let must = if must { "required" } else { "optional" };
        text.push_str(&format!(" ({}, {must})\n", kind.unwrap_or_default()));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn answer(prompt: &UserPrompt, message: &str, turn_waits: bool) -> Option<PromptAnswer> {
    if message.is_empty() {
        return None;
    }
    let given = match prompt.prompt_type {
        PromptType::Confirm => json!(chosen(&yes_or_no(), message)?),
        PromptType::Input => json!(message),
        PromptType::Select => json!(chosen(prompt.options.as_deref()?, message)?),
        PromptType::MultiQuestion => several(prompt.questions.as_deref()?, message, question)?,
        PromptType::Wizard => several(prompt.steps.as_deref()?, message, step)?,
        PromptType::Form => filled(prompt.schema.as_ref()?, message)?,
        PromptType::ClientCall => return None,
        PromptType::Plan if message.eq_ignore_ascii_case("execute") => json!("execute"),
        // Without a turn that waits it is a message, which asks for whatever it says.
        PromptType::Plan if !turn_waits => return None,
        PromptType::Plan => {
            let reason = Some(message.to_owned());
            return Some(PromptAnswer { reason, ..answers::given(json!("refine")) });
        }
    };
    Some(answers::given(given))
}

/// The value of an option, by its number, its label or its value. What could mean two
/// options means none.
fn chosen(options: &[QuestionOption], text: &str) -> Option<String> {
    let text = text.trim();
    let meant = |&(index, option): &(usize, &QuestionOption)| {
        option.value == text
            || option.label.to_lowercase() == text.to_lowercase()
            || (index + 1).to_string() == text
    };
    let mut found = options.iter().enumerate().filter(meant);
    match (found.next(), found.next()) {
        (Some((_, option)), None) => Some(option.value.clone()),
        _ => None,
    }
}

/// One line for each part.
fn several<T>(
    parts: &[T],
    message: &str,
    read: fn(&T, &str) -> Option<(String, Value)>,
) -> Option<Value> {
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() != parts.len() {
        return None;
    }
    let answers = parts.iter().zip(lines).map(|(part, line)| read(part, line));
    Some(Value::Object(answers.collect::<Option<Map<String, Value>>>()?))
}

fn question(question: &SubQuestion, line: &str) -> Option<(String, Value)> {
    let one = |text: &str| {
        let own = || question.allow_other.then(|| text.trim().to_owned());
        chosen(&question.options, text).or_else(own)
    };
    let answer = if question.multi_select {
        json!(line.split(',').map(one).collect::<Option<Vec<String>>>()?)
    } else {
        json!(one(line)?)
    };
    Some((question.id.clone(), answer))
}

fn step(step: &PromptStep, line: &str) -> Option<(String, Value)> {
    let answer = match step.prompt_type {
        PromptType::Input => line.to_owned(),
        _ => chosen(&step_options(step), line)?,
    };
    Some((step.id.clone(), json!(answer)))
}

fn step_options(step: &PromptStep) -> Vec<QuestionOption> {
    match step.prompt_type {
        PromptType::Confirm => yes_or_no().into(),
        _ => step.options.clone().unwrap_or_default(),
    }
}

/// The fields of a form: lines of `name: value`, or a JSON object.
fn filled(schema: &Value, message: &str) -> Option<Value> {
    if let Ok(object @ Value::Object(_)) = serde_json::from_str(message) {
        return Some(object);
    }
    let properties = schema["properties"].as_object()?;
    let mut fields = Map::new();
    for line in message.lines().filter(|line| !line.trim().is_empty()) {
        let (name, text) = line.split_once(':')?;
        let field = properties.get(name.trim())?;
        fields.insert(name.trim().to_owned(), typed(field, text.trim())?);
    }
    Some(Value::Object(fields))
}

fn typed(field: &Value, text: &str) -> Option<Value> {
    Some(match field["type"].as_str() {
        Some("integer") => json!(text.parse::<i64>().ok()?),
        Some("number") => json!(text.parse::<f64>().ok()?),
        Some("boolean") => match chosen(&yes_or_no(), text) {
            Some(word) => json!(word == "yes"),
            None => json!(text.parse::<bool>().ok()?),
        },
        Some("array") => text.split(',').map(|part| json!(part.trim())).collect(),
        _ => json!(text),
    })
}

#[cfg(test)]
mod tests;
