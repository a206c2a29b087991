//! The open questions of the program, and the lines that answer them.
//!
//! Every question arrives as a permission request. Two tools are questions themselves: one asks the
//! person, the other presents a plan; everything else is a tool call. An MCP server of the program
//! may ask for a form. A missing or blank answer is never consent (B-4).

use std::collections::{HashMap, HashSet};

use parlor_agent::{Answer, Reply};
use parlor_protocol::{Plan, PromptDraft, PromptType, SubQuestion};
use serde_json::{Map, Value, json};

use super::outgoing::{allow, deny, response};
use crate::fields::{object, said, text};
use crate::refusal::{NO_ANSWER, REFUSED, why_not};

const QUESTIONS: &str = "AskUserQuestion";
const PLAN: &str = "ExitPlanMode";

/// Questions without an answer.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions {
    pending: HashMap<String, Pending>,
    /// The ids of all requests of this turn, answered or not.
    known: HashSet<String>,
}

#[derive(Debug)]
struct Pending {
    request: String,
    asked: Question,
}

/// What a request asks for.
#[derive(Debug)]
pub(super) enum Question {
    /// Approval of a call with these arguments.
    Call { input: Map<String, Value> },
    /// Answers to questions, each identified by its full text.
    Questions { input: Map<String, Value>, ids: Vec<(String, String)> },
    /// Approval of a plan.
    Plan { input: Map<String, Value> },
    /// A form of an MCP server.
    Form,
}

/// What follows from an answer.
#[derive(Debug, PartialEq)]
pub(super) struct Answered {
    /// The line to the program.
    pub(super) line: Value,
    /// Whether the program makes the call now.
    pub(super) runs: bool,
    /// If a person changed the call: the arguments that were proposed, and those that run.
    pub(super) edited: Option<(Map<String, Value>, Map<String, Value>)>,
}

impl OpenQuestions {
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether a request arrived before. A repeated one is not a new question, and an answer does
    /// not apply to its possibly different content.
    pub(super) fn knows(&self, request: &str) -> bool {
        self.known.contains(request)
    }

    pub(super) fn add(&mut self, id: &str, request: &str, asked: Question) {
        self.known.insert(request.to_owned());
        self.pending.insert(id.to_owned(), Pending { request: request.to_owned(), asked });
    }

    /// The id of the question that a request asks.
    pub(super) fn id_of(&self, request: &str) -> Option<String> {
        self.pending
            .iter()
            .find(|(_, pending)| pending.request == request)
            .map(|(id, _)| id.clone())
    }

    /// Removes a question.
    pub(super) fn remove(&mut self, id: &str) {
        self.pending.remove(id);
    }

    /// Removes all questions.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Answers the question with this id, if there is one.
    pub(super) fn answer(&mut self, id: &str, reply: Reply) -> Option<Answered> {
        let Pending { request, asked } = self.pending.remove(id)?;
        Some(match (asked, reply) {
            (Question::Call { input }, Reply::Run { arguments, .. }) => {
                let edited = (input != arguments).then(|| (input, arguments.clone()));
                Answered { line: allow(&request, arguments), runs: true, edited }
            }
            (Question::Questions { input, ids }, Reply::Answer(Answer::Given(value))) => {
                match answers(&ids, &value) {
                    Some(answers) => answered(allow(&request, with(input, "answers", answers))),
                    None => answered(deny(&request, NO_ANSWER)),
                }
            }
            (Question::Plan { input }, Reply::Answer(Answer::Given(value))) => {
                answered(decided_plan(&request, input, &value))
            }
            (Question::Form, Reply::Answer(Answer::Given(value))) => {
                answered(response(&request, json!({"action": "accept", "content": value})))
            }
            (Question::Form, reply) => {
                let expired = reply == Reply::Answer(Answer::Expired);
                let action = if expired { "cancel" } else { "decline" };
                answered(response(&request, json!({"action": action})))
            }
            (_, reply) => answered(deny(&request, &why_not(&reply))),
        })
    }
}

/// The question in a permission request, if it is one and not a call. The text of a plan is in the
/// request, or else in the input that the model `said`.
pub(super) fn question(
    tool: &str,
    input: &Map<String, Value>,
    said: &Map<String, Value>,
) -> Option<(Question, PromptDraft)> {
    match tool {
        QUESTIONS => questions(input),
        PLAN => {
            let markdown = said_in(input, "plan").or_else(|| said_in(said, "plan"))?;
            let mut plan = Plan::from_markdown(markdown);
            if plan.goal.is_empty() {
                plan.goal = "Plan".to_owned();
            }
            Some((Question::Plan { input: input.clone() }, plan.into()))
        }
        _ => None,
    }
}

/// The form that an MCP server of the program asks for.
pub(super) fn form(request: &Value) -> Option<(String, PromptDraft)> {
    let schema = request.get("requested_schema").filter(|schema| schema.is_object())?;
    let question = said(request, "message").unwrap_or("Please fill this in.");
    let mut draft = PromptDraft::bare(PromptType::Form, question);
    draft.schema = Some(schema.clone());
    Some((text(request, "mcp_server_name").to_owned(), draft))
}

/// Whether a tool is nothing but a question to the person.
pub(super) fn is_question(tool: &str) -> bool {
    tool == QUESTIONS || is_plan(tool)
}

/// Whether a tool presents a plan.
pub(super) fn is_plan(tool: &str) -> bool {
    tool == PLAN
}

fn questions(input: &Map<String, Value>) -> Option<(Question, PromptDraft)> {
    let mut questions = SubQuestion::list_from_json(input.get("questions")?);
    if questions.is_empty() {
        return None;
    }
    // The program gives two to four options; "Other" is added by Parlor.
    questions.iter_mut().for_each(|question| question.allow_other = true);
    let ids = questions.iter().map(|q| (q.id.clone(), q.question.clone())).collect();
    let texts: Vec<&str> = questions.iter().map(|q| q.question.as_str()).collect();
    let mut draft = PromptDraft::bare(PromptType::MultiQuestion, texts.join("\n"));
    draft.questions = Some(questions);
    Some((Question::Questions { input: input.clone(), ids }, draft))
}

/// The answers in the program's format: by the full text of the question, several choices as a
/// list. `None` if any of them is missing or blank.
fn answers(ids: &[(String, String)], given: &Value) -> Option<Value> {
    let blank = |value: &Value| value.as_str().is_none_or(|text| text.trim().is_empty());
    let mut answers = Map::new();
    for (id, question) in ids {
        let answer = given.get(id)?;
        let says_nothing = match answer {
            Value::Array(parts) => parts.is_empty() || parts.iter().any(blank),
            single => blank(single),
        };
        if says_nothing {
            return None;
        }
        answers.insert(question.clone(), answer.clone());
    }
    Some(Value::Object(answers))
}

fn decided_plan(request: &str, input: Map<String, Value>, value: &Value) -> Value {
    if let Some(words) = said(value, "refine") {
        let message = format!(
            "The person wants the plan to be changed. Change it, and present the whole plan again \
             with {PLAN}. What to change: {words}"
        );
        return deny(request, &message);
    }
    if value.as_str() != Some("execute") {
        return deny(request, REFUSED);
    }
    let accept_edits =
        json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    response(
        request,
        json!({"behavior": "allow", "updatedInput": input, "updatedPermissions": accept_edits}),
    )
}

fn answered(line: Value) -> Answered {
    Answered { line, runs: false, edited: None }
}

fn with(mut input: Map<String, Value>, field: &str, value: Value) -> Map<String, Value> {
    input.insert(field.to_owned(), value);
    input
}

fn said_in<'v>(input: &'v Map<String, Value>, field: &str) -> Option<&'v str> {
    input.get(field)?.as_str().filter(|text| !text.trim().is_empty())
}

/// The input of a permission request.
pub(super) fn input(request: &Value) -> Map<String, Value> {
    object(request, "input")
}
