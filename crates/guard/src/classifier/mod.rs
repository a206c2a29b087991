//! Classifies a line of an agent: one of the message types (C-1), its text and
//! its structure.
//!
//! The steps:
//! 1. `envelope` takes the line out of its wire format: whatever the agent,
//!    the rest of this module sees one shape, `Said`.
//! 2. The agent's own text is searched for plans, questions and inline prompts
//!    by the segmenter. Tool output and what people write never are.
//! 3. The rules of C-2 (`rules`) are tried in order; the first that matches
//!    wins, and without a match it is `info`.
//! 4. `metadata` adds the facts that are safe to show.
//!
//! Structure is judged on the raw JSON, text on its sanitized form. The output
//! is raw: the caller sanitizes every leaf before anyone sees it (S-5).
//!
//! The limits of the method: a line is one message of one type. What stands
//! beside the structure that decided the type is not kept; a caller that wants
//! every piece uses the segmenter.

mod envelope;
mod metadata;
mod options;
mod rules;
mod text_rules;

use parlor_protocol::{MessageType, Metadata, Plan, Question, QuestionOption, SubQuestion};
use serde_json::Value;

use envelope::Said;
use rules::Reading;

/// What a line of an agent is. Everything in it is raw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Classified {
    /// What it is.
    pub message_type: MessageType,
    /// What it says in words; empty if it says nothing to a person.
    pub content: String,
    /// The structure behind the words, for types that have one.
    pub data: Option<Structured>,
    /// The options of a question, or of the first of several (C-4); the answers to an
    /// approval, where the agent lists them.
    pub options: Option<Vec<QuestionOption>>,
    /// The questions of a `multi_question`, all of them (C-4).
    pub questions: Option<Vec<SubQuestion>>,
    /// Facts from an allow-list: no ids, paths, models, costs.
    pub metadata: Metadata,
}

/// The structure of a message before the server has given it ids.
#[derive(Debug, Clone, PartialEq)]
pub enum Structured {
    /// Of a `plan`.
    Plan(Plan),
    /// Of a `question` with options.
    Question(Question),
    /// Of a `tool_call`.
    ToolCall {
        /// The tool.
        name: String,
        /// Its arguments.
        input: Value,
    },
    /// Of a `tool_result`.
    ToolResult {
        /// The tool; empty if the line does not name it.
        name: String,
        /// What the tool gave back; `null` while it runs.
        output: Value,
        /// Whether it failed.
        is_error: bool,
    },
}

/// The rules of C-2, in their order.
const RULES: [fn(&Reading<'_>) -> Option<Classified>; 11] = [
    rules::aborted_result, // 1: info
    rules::failure,        // 2: error
    rules::tool_output,    // 3: tool_result
    rules::plan,           // 4: plan
    rules::questions,      // 5: multi_question
    rules::question,       // 6: question
    rules::bare_options,   // 7: multi_question
    rules::tool_use,       // 8: tool_call, tool_result
    rules::thinking,       // 9: thinking
    rules::error_text,     // 10: error
    rules::question_text,  // 11: question
];

/// What a finished text is, as a person sees it: an error, a question, or
/// information. Whatever structure was in it has been taken out of it.
pub fn text_type(clean: &str) -> MessageType {
    if text_rules::begins_like_an_error(clean) {
        MessageType::Error
    } else if text_rules::asks(clean) {
        MessageType::Question
    } else {
        MessageType::Info
    }
}

/// Classifies one line of an agent. `sanitize` is what a person's eyes get:
/// the text rules judge its output.
pub fn classify(value: &Value, sanitize: &dyn Fn(&str) -> String) -> Classified {
    let reading = Reading::new(Said::read(value), sanitize);
    let mut classified =
        RULES.iter().find_map(|rule| rule(&reading)).unwrap_or_else(|| rules::info(&reading));
    metadata::add(value, &reading.said, &mut classified);
    classified
}
