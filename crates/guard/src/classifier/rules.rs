//! The rules of C-2, one function each. A rule returns what the line is, or
//! nothing if the next rule decides.

use std::cell::OnceCell;

use parlor_protocol::{
    MessageType, Plan, PromptDraft, PromptType, Question, QuestionOption, metadata,
};
use serde_json::Value;

use super::envelope::{Said, ToolUse};
use super::{Classified, Structured, options, text_rules};
use crate::segmenter::{Segment, Segmenter, is_plan_claim, is_question_claim};

/// A line, and what was found in its text.
pub(super) struct Reading<'v> {
    pub(super) said: Said<'v>,
    text: String,
    segments: Vec<Segment>,
    sanitize: &'v dyn Fn(&str) -> String,
    sanitized: OnceCell<String>,
}

impl<'v> Reading<'v> {
    pub(super) fn new(said: Said<'v>, sanitize: &'v dyn Fn(&str) -> String) -> Self {
        let text = said.text.join("\n");
        let segments = if said.partial { Vec::new() } else { Segmenter::split(&text) };
        Self { said, text, segments, sanitize, sanitized: OnceCell::new() }
    }

    /// The text as the text rules see it; a fragment is not judged.
    fn judged(&self) -> Option<&str> {
        (!self.said.partial && !self.text.trim().is_empty())
            .then(|| self.sanitized.get_or_init(|| (self.sanitize)(&self.text)).as_str())
    }

    fn prompts(&self) -> impl Iterator<Item = &PromptDraft> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Prompt { prompt, .. } => Some(&**prompt),
            _ => None,
        })
    }
}

/// 1. The turn was stopped. The text about that is not shown.
pub(super) fn aborted_result(reading: &Reading<'_>) -> Option<Classified> {
    reading.said.aborted.then(|| message(MessageType::Info, String::new()))
}

/// 2. The agent reports a failure.
pub(super) fn failure(reading: &Reading<'_>) -> Option<Classified> {
    reading.said.error.as_ref().map(|words| message(MessageType::Error, words.clone()))
}

/// 3. The output of a tool. It is not searched for plans or questions.
pub(super) fn tool_output(reading: &Reading<'_>) -> Option<Classified> {
    let results = &reading.said.results;
    let first = results.first()?;
    let texts: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    let output = match results.as_slice() {
        [only] => only.output.clone(),
        several => several.iter().map(|result| result.output.clone()).collect(),
    };
    Some(Classified {
        data: Some(Structured::ToolResult {
            name: first.name.clone(),
            output,
            is_error: results.iter().any(|result| result.is_error),
        }),
        ..message(MessageType::ToolResult, texts.join("\n"))
    })
}

/// 4. A plan: presented as one, or JSON that is a valid one.
pub(super) fn plan(reading: &Reading<'_>) -> Option<Classified> {
    let said = &reading.said;
    let presented = said.plan.clone().or_else(|| said.tools.iter().find_map(ToolUse::plan));
    if let Some(plan) = presented {
        return Some(Classified { options: answers(&said.tools), ..of_plan(plan) });
    }
    if let Some(object) = said.objects.iter().find(|object| is_plan_claim(object)) {
        return Some(Plan::from_json(object).map_or_else(|_| original_words(object), of_plan));
    }
    reading.segments.iter().find_map(|segment| match segment {
        Segment::Plan { plan, .. } => Some(of_plan(plan.clone())),
        _ => None,
    })
}

/// 5. An ask tool, or a list of questions.
pub(super) fn questions(reading: &Reading<'_>) -> Option<Classified> {
    let said = &reading.said;
    if let Some(tool) = said.tools.iter().find(|tool| tool.is_ask()) {
        return Some(options::of_questions(options::of_ask(tool)));
    }
    let listed = said.objects.iter().map(|object| options::listed(object));
    let prompted = reading.prompts().filter_map(|prompt| prompt.questions.clone());
    std::iter::once(said.questions.clone())
        .chain(listed)
        .chain(prompted)
        .find(|questions| !questions.is_empty())
        .map(options::of_questions)
}

/// 6. A question with options. Whatever claims to be one, or a plan, and is
///    not valid is `text` in its original words, and no later rule runs.
pub(super) fn question(reading: &Reading<'_>) -> Option<Classified> {
    if let Some(question) = &reading.said.question {
        return Some(of_question(question.clone()));
    }
    if let Some(object) = reading.said.objects.iter().find(|object| is_question_claim(object)) {
        let question = Question::from_json(object);
        return Some(question.map_or_else(|_| original_words(object), of_question));
    }
    let written = reading.segments.iter().find_map(|segment| match segment {
        Segment::Question { question, .. } => Some(of_question(question.clone())),
        Segment::Prompt { prompt, .. } => Some(of_prompt(prompt)),
        _ => None,
    });
    written.or_else(|| {
        let invalid = |segment: &Segment| matches!(segment, Segment::Invalid { .. });
        let claims = reading.segments.iter().any(invalid);
        claims.then(|| message(MessageType::Text, reading.text.clone()))
    })
}

/// 7. Options to choose from, and no question.
pub(super) fn bare_options(reading: &Reading<'_>) -> Option<Classified> {
    let options = reading.said.objects.iter().find_map(|object| options::bare(object))?;
    Some(options::without_question(&reading.text, options))
}

/// 8. A tool: one that asks first, or one that simply runs.
pub(super) fn tool_use(reading: &Reading<'_>) -> Option<Classified> {
    let tools = &reading.said.tools;
    if let Some(tool) = tools.iter().find(|tool| tool.asks_permission) {
        let data = Structured::ToolCall { name: tool.name.clone(), input: tool.input.clone() };
        return Some(Classified {
            data: Some(data),
            options: answers(tools),
            ..message(MessageType::ToolCall, tool.words().to_owned())
        });
    }
    let tool = tools.first()?;
    let text = reading.text.trim();
    Some(Classified {
        data: Some(Structured::ToolResult {
            name: tool.name.clone(),
            output: Value::Null,
            is_error: false,
        }),
        ..message(
            MessageType::ToolResult,
            if text.is_empty() { tool.words() } else { text }.to_owned(),
        )
    })
}

/// 9. How the agent reasons.
pub(super) fn thinking(reading: &Reading<'_>) -> Option<Classified> {
    let thoughts = &reading.said.thinking;
    if thoughts.is_empty() {
        return None;
    }
    let mut words = thoughts.join("\n");
    if !reading.text.is_empty() {
        words = format!("{words}\n\n{}", reading.text);
    }
    Some(message(MessageType::Thinking, words))
}

/// 10. Text that reads like an error.
pub(super) fn error_text(reading: &Reading<'_>) -> Option<Classified> {
    text_rules::begins_like_an_error(reading.judged()?)
        .then(|| message(MessageType::Error, reading.text.clone()))
}

/// 11. Text that reads like a question. A guess, which never opens a prompt.
pub(super) fn question_text(reading: &Reading<'_>) -> Option<Classified> {
    text_rules::asks(reading.judged()?)
        .then(|| message(MessageType::Question, reading.text.clone()))
}

/// 12. Everything else.
pub(super) fn info(reading: &Reading<'_>) -> Classified {
    message(MessageType::Info, reading.text.clone())
}

/// The answers that the tool which waits for leave lists.
fn answers(tools: &[ToolUse]) -> Option<Vec<QuestionOption>> {
    let asking = tools.iter().find(|tool| tool.asks_permission)?;
    (!asking.answers.is_empty()).then(|| asking.answers.clone())
}

fn message(message_type: MessageType, content: String) -> Classified {
    Classified { message_type, content, ..Classified::default() }
}

fn of_plan(plan: Plan) -> Classified {
    let content = plan.to_markdown();
    Classified { data: Some(Structured::Plan(plan)), ..message(MessageType::Plan, content) }
}

fn of_question(question: Question) -> Classified {
    Classified {
        options: Some(question.options.clone()),
        ..message(MessageType::Question, question.question.clone())
    }
    .with_question(question)
}

/// A prompt between markers is a question; without options it is answered in
/// words, or with yes or no.
fn of_prompt(prompt: &PromptDraft) -> Classified {
    let mut classified = match &prompt.options {
        Some(options) => of_question(Question {
            question: prompt.question.clone(),
            options: options.clone(),
            context: prompt.context.clone(),
            severity: prompt.severity,
            default: prompt.default.clone(),
        }),
        None => message(MessageType::Question, prompt.question.clone()),
    };
    let name = match prompt.prompt_type {
        PromptType::Confirm => "confirm",
        PromptType::Input => "input",
        _ => "select",
    };
    metadata::PROMPT_TYPE.set(&mut classified.metadata, name);
    classified
}

fn original_words(object: &Value) -> Classified {
    message(MessageType::Text, object.to_string())
}

impl Classified {
    fn with_question(mut self, question: Question) -> Self {
        if let Some(severity) = &question.severity {
            metadata::SEVERITY.set(&mut self.metadata, severity);
        }
        self.data = Some(Structured::Question(question));
        self
    }
}
