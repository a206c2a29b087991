//! Options and questions, wherever an agent puts them (C-4).

use parlor_protocol::{MessageType, QuestionOption, SubQuestion};
use serde_json::{Value, json};

use super::Classified;
use super::envelope::ToolUse;

/// The questions in an object's `questions`; none if there are none.
pub(super) fn listed(object: &Value) -> Vec<SubQuestion> {
    SubQuestion::list_from_json(&object["questions"])
}

/// The questions of an ask tool: a list of them, or a single one.
pub(super) fn of_ask(tool: &ToolUse) -> Vec<SubQuestion> {
    let mut questions = listed(&tool.input);
    if questions.is_empty() {
        questions = SubQuestion::list_from_json(&json!([tool.input]));
    }
    for question in &mut questions {
        question.allow_other |= tool.takes_other_answers();
    }
    questions
}

/// Two or more options of an object that has no question.
pub(super) fn bare(object: &Value) -> Option<Vec<QuestionOption>> {
    if !object["question"].is_null() {
        return None;
    }
    QuestionOption::list_from_json(&object["options"]).filter(|options| options.len() >= 2)
}

/// A `multi_question`: every question is kept, `options` are the first one's.
pub(super) fn of_questions(questions: Vec<SubQuestion>) -> Classified {
    let words: Vec<&str> = questions.iter().map(|each| each.question.as_str()).collect();
    Classified {
        message_type: MessageType::MultiQuestion,
        content: words.join("\n"),
        options: questions
            .first()
            .map(|first| first.options.clone())
            .filter(|options| !options.is_empty()),
        questions: Some(questions),
        ..Classified::default()
    }
}

/// Options whose question, if there is one, is the text beside them.
pub(super) fn without_question(text: &str, options: Vec<QuestionOption>) -> Classified {
    of_questions(vec![SubQuestion {
        id: "q1".to_owned(),
        question: text.to_owned(),
        header: None,
        options,
        multi_select: false,
        allow_other: false,
    }])
}
