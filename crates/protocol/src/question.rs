//! Questions (T-4) and the options to answer them with (C-4).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::structure::{StructureError, optional_text, required_list, required_text, scalar_text};

/// One answer to choose.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct QuestionOption {
    /// What the person reads.
    pub label: String,
    /// What is sent back.
    pub value: String,
    /// A second line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A question with options, as an agent writes it in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Question {
    /// What is asked.
    pub question: String,
    /// What can be answered.
    pub options: Vec<QuestionOption>,
    /// What one should know to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// How serious it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The value that is highlighted. It is never chosen automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// How serious a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Severity {
    /// Shown red.
    Critical,
    /// Shown orange.
    Major,
    /// Shown plain.
    Minor,
}

/// One of several questions that are answered together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct SubQuestion {
    /// The key of its answer.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// A word or two that name the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// What can be answered.
    pub options: Vec<QuestionOption>,
    /// Whether several options may be chosen.
    #[serde(default)]
    pub multi_select: bool,
    /// Whether a free text may be given instead.
    #[serde(default)]
    pub allow_other: bool,
}

impl QuestionOption {
    /// An option with an explicit value.
    pub fn plain(label: impl Into<String>) -> Self {
        let label = label.into();
        Self { value: label.clone(), label, description: None }
    }

    /// Reads one option from a bare text or number, or from an object that
    /// has at least something to show.
    pub fn from_json(value: &Value) -> Option<Self> {
        if let Some(text) = scalar_text(value) {
            return (!text.trim().is_empty()).then(|| Self::plain(text));
        }
        let first_of = |fields: &[&str]| fields.iter().find_map(|f| optional_text(value, f));
        let label = first_of(&["label", "name", "title", "text", "value", "id"])?;
        Some(Self {
            value: first_of(&["value", "id", "optionId"]).unwrap_or_else(|| label.clone()),
            label,
            description: optional_text(value, "description"),
        })
    }

    /// Reads a list of options, or nothing if one of them cannot be shown: a
    /// list with a hole would offer a choice that is not the agent's.
    pub fn list_from_json(value: &Value) -> Option<Vec<Self>> {
        value.as_array()?.iter().map(Self::from_json).collect()
    }
}

impl Question {
    /// True for JSON that means to be a question, valid or not (C-2).
    pub fn is_claimed_by(value: &Value) -> bool {
        value.get("question").is_some() && value.get("options").is_some()
    }

    /// Reads a question: a text and at least one option that can be shown.
    pub fn from_json(value: &Value) -> Result<Self, StructureError> {
        if !value.is_object() {
            return Err(StructureError::NotAnObject);
        }
        let question = required_text(value, "question")?;
        required_list(value, "options")?;
        let options = value.get("options").and_then(QuestionOption::list_from_json).ok_or(
            StructureError::WrongType { field: "options", expected: "a list of label and value" },
        )?;
        let default = optional_text(value, "default")
            .filter(|default| options.iter().any(|option| option.value == *default));
        Ok(Self {
            question,
            options,
            context: optional_text(value, "context"),
            severity: value
                .get("severity")
                .and_then(|severity| Severity::deserialize(severity).ok()),
            default,
        })
    }
}

impl SubQuestion {
    /// Reads the questions of an ask tool, every one of them (C-4). One that
    /// has no text is left out; one without options is answered in words.
    pub fn list_from_json(value: &Value) -> Vec<Self> {
        let mut questions: Vec<Self> = Vec::new();
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            let Ok(question) = required_text(item, "question") else {
                continue;
            };
            let options =
                item.get("options").and_then(QuestionOption::list_from_json).unwrap_or_default();
            let id = optional_text(item, "id")
                .filter(|id| questions.iter().all(|earlier| earlier.id != *id))
                .unwrap_or_else(|| format!("q{}", index + 1));
            questions.push(Self {
                id,
                question,
                header: optional_text(item, "header"),
                multi_select: flag(item, &["multiSelect", "multi_select"]),
                allow_other: options.is_empty() || flag(item, &["allow_other", "isOther"]),
                options,
            });
        }
        questions
    }
}

fn flag(value: &Value, fields: &[&str]) -> bool {
    fields.iter().any(|field| value.get(field).and_then(Value::as_bool) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// T-4: question and options are needed; the rest may be there.
    #[test]
    fn a_question_needs_a_text_and_options_to_show() {
        let question = Question::from_json(&json!({
            "question": "Which one?", "context": "Two are left.", "severity": "critical", "default": "b",
            "options": [{"label": "First", "value": "a"}, {"label": "Second", "value": "b"}],
        }))
        .unwrap();
        assert_eq!(question.severity, Some(Severity::Critical));
        assert_eq!(question.default.as_deref(), Some("b"));

        for (bad, why) in [
            (json!({"question": "Q?", "options": []}), "'options' is missing or empty"),
            (json!({"question": "Q?", "options": "a"}), "'options' must be a list"),
            (
                json!({"question": "Q?", "options": [{}]}),
                "'options' must be a list of label and value",
            ),
            (
                json!({"question": "Q?", "options": ["a", null]}),
                "'options' must be a list of label and value",
            ),
            (json!({"question": " ", "options": ["a"]}), "'question' is missing or empty"),
            (json!({"question": ["Q?"], "options": ["a"]}), "'question' must be a text"),
        ] {
            assert_eq!(Question::from_json(&bad).unwrap_err().to_string(), why, "{bad}");
        }
    }

    /// T-4: what is optional and makes no sense is dropped, not fatal.
    #[test]
    fn a_default_that_is_no_option_and_a_strange_severity_are_dropped() {
        let question = Question::from_json(
            &json!({"question": "Q?", "options": ["a"], "default": "z", "severity": "apocalyptic"}),
        )
        .unwrap();
        assert_eq!((question.default, question.severity), (None, None));
    }

    /// C-4: strings, numbers and objects become label, value and description.
    #[test]
    fn options_are_normalised() {
        let options = QuestionOption::list_from_json(&json!([
            "Yes", 3, {"label": "SQLite", "description": "One file"}, {"name": "Allow", "optionId": "allow_once"},
        ]))
        .unwrap();
        let pairs: Vec<_> = options.iter().map(|o| (o.label.as_str(), o.value.as_str())).collect();
        assert_eq!(
            pairs,
            [("Yes", "Yes"), ("3", "3"), ("SQLite", "SQLite"), ("Allow", "allow_once")]
        );
        assert_eq!(options[2].description.as_deref(), Some("One file"));
    }

    /// C-4: every question is kept, with ids that are all different.
    #[test]
    fn every_sub_question_is_kept() {
        let questions = SubQuestion::list_from_json(&json!([
            {"question": "Which database?", "id": "db", "options": ["a", "b"]},
            {"question": "Which extras?", "id": "db", "multiSelect": true, "options": ["x"]},
            {"question": "Any words?"},
            {"header": "no text"},
        ]));
        let ids: Vec<_> = questions.iter().map(|q| q.id.as_str()).collect();
        assert_eq!(ids, ["db", "q2", "q3"]);
        assert!(questions[1].multi_select && !questions[1].allow_other);
        assert!(questions[2].allow_other, "without options the answer is words");
    }
}
