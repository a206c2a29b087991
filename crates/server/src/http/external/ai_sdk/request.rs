//! What a client of the AI SDK posts, and what it asks for. Pure.
//!
//! It posts all messages that it has each time. What counts is the last message of the person, or
//! the parts of an assistant message that answer what was asked last.

use parlor_protocol::{ClientTool, PromptAnswer, PromptId, PromptType};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::attached::Attached;
use crate::dialects::ai_sdk::untagged;
use crate::dialects::answers;
use crate::http::errors::ApiError;

/// What is wrong with a request that neither says nor answers anything.
const NOTHING_SAID: &str = "messages: the last one must be of the role user, or an assistant's \
    whose last step has an approval or an output that answers what is asked; to read on, resume";

/// The body of a request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChatInput {
    pub(super) id: String,
    messages: Vec<UiMessage>,
    trigger: Option<String>,
    message_id: Option<String>,
    #[serde(default)]
    tools: Value,
}

/// A message. Those before the last are history, which the log has: their parts are not read.
#[derive(Debug, Deserialize)]
pub(super) struct UiMessage {
    pub(super) id: String,
    role: String,
    #[serde(default)]
    parts: Vec<Value>,
}

/// What a request asks for.
#[derive(Debug)]
pub(super) enum Wish<'a> {
    /// Takes a message of the person.
    Send(&'a UiMessage),
    /// Takes a message again, whose text the person changed.
    Edit(&'a UiMessage),
    /// Tries a message again; with the id of the answer that it replaces, if the client says it.
    Regenerate(&'a UiMessage, Option<&'a str>),
    /// Takes the answers in a message, which is continued.
    Answer(&'a UiMessage),
}

/// An answer in a part of a message, if what it names is a prompt.
#[derive(Debug)]
pub(super) struct GivenAnswer {
    pub(super) prompt: PromptId,
    payload: Result<Value, Option<String>>,
}

impl ChatInput {
    /// What the request asks for.
    pub(super) fn wish(&self) -> Result<Wish<'_>, ApiError> {
        let last = self.messages.last().ok_or_else(nothing_said)?;
        let named = self.message_id.as_deref();
        let continued = self.messages.iter().find(|message| Some(message.id.as_str()) == named);
        match self.trigger.as_deref() {
            Some("regenerate-message") if last.role == "user" => {
                Ok(Wish::Regenerate(last, named.filter(|id| *id != last.id)))
            }
            Some("regenerate-message") => Err(ApiError::malformed(
                "messages: to regenerate an answer, the last one must be of the role user",
            )),
            None | Some("submit-message") => match (continued, last.role.as_str()) {
                (Some(message), _) if message.role == "assistant" => Ok(Wish::Answer(message)),
                (Some(message), "user") if message.id == last.id => Ok(Wish::Edit(last)),
                (_, "user") => Ok(Wish::Send(last)),
                (_, "assistant") => Ok(Wish::Answer(last)),
                _ => Err(nothing_said()),
            },
            Some(other) => Err(ApiError::malformed(format!("trigger: {other:?} is not known"))),
        }
    }

    /// The tools of the client: by their names, or as a list.
    pub(super) fn tools(&self) -> Result<Vec<ClientTool>, ApiError> {
        let wrong = || ApiError::malformed("tools: they must be a list, or an object by name");
        match &self.tools {
            Value::Null => Ok(Vec::new()),
            Value::Array(tools) => tools
                .iter()
                .map(|tool| {
                    let tool = tool.as_object().ok_or_else(wrong)?;
                    let name = tool.get("name").and_then(Value::as_str).ok_or_else(wrong)?;
                    Ok(client_tool(name, tool))
                })
                .collect(),
            Value::Object(tools) => tools
                .iter()
                .map(|(name, tool)| Ok(client_tool(name, tool.as_object().ok_or_else(wrong)?)))
                .collect(),
            _ => Err(wrong()),
        }
    }
}

fn client_tool(name: &str, tool: &Map<String, Value>) -> ClientTool {
    let description = tool.get("description").and_then(Value::as_str).unwrap_or_default();
    let schema = tool.get("inputSchema").or(tool.get("parameters")).unwrap_or(&Value::Null);
    // A schema that the AI SDK wraps.
    let input_schema = schema.get("jsonSchema").unwrap_or(schema).clone();
    ClientTool { name: name.to_owned(), description: description.to_owned(), input_schema }
}

pub(super) fn nothing_said() -> ApiError {
    ApiError::malformed(NOTHING_SAID)
}

impl UiMessage {
    /// The text and the files of a message of the person.
    pub(super) fn content(&self) -> Result<(String, Attached), ApiError> {
        let (mut texts, mut attached) = (Vec::new(), Attached::default());
        if self.parts.is_empty() {
            return Err(ApiError::malformed(
                "messages: the last one has no parts; the AI SDK is known from version 5 on",
            ));
        }
        for part in &self.parts {
            match part["type"].as_str() {
                Some("text") => texts.push(part["text"].as_str().unwrap_or_default()),
                Some("file") => {
                    let url = part["url"].as_str().unwrap_or_default();
                    if !attached.add_url(part["filename"].as_str(), url) {
                        return Err(ApiError::malformed(
                            "messages: a file must come as data:…;base64,…, not as an address",
                        ));
                    }
                }
                other => {
                    let other = other.unwrap_or("?");
                    let why = format!("messages: a part of type {other} is not taken");
                    return Err(ApiError::malformed(why));
                }
            }
        }
        Ok((texts.join("\n"), attached))
    }

    /// The answers in the last step: a response asks in its last step, and the response to the
    /// answers begins a new one.
    pub(super) fn answers(&self) -> Vec<GivenAnswer> {
        let begin = self.parts.iter().rposition(|part| part["type"] == "step-start");
        let step = self.parts.get(begin.unwrap_or_default()..).unwrap_or_default();
        step.iter().filter_map(given_answer).collect()
    }

    /// The ids of calls and approvals that the message has.
    pub(super) fn holds(&self) -> Vec<String> {
        let ids = self.parts.iter().flat_map(|part| [&part["toolCallId"], &part["approval"]["id"]]);
        ids.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

impl GivenAnswer {
    /// The answer to a prompt of this type.
    pub(super) fn answer(self, prompt_type: PromptType) -> PromptAnswer {
        match self.payload {
            Ok(payload) => answers::answer(prompt_type, payload),
            Err(reason) => answers::refusal(reason),
        }
    }
}

fn given_answer(part: &Value) -> Option<GivenAnswer> {
    let (id, payload) = match part["state"].as_str()? {
        "approval-responded" => {
            let approval = &part["approval"];
            let mut payload = json!({"approved": approval["approved"]});
            if let Some(reason) = approval["reason"].as_str() {
                payload["reason"] = json!(reason);
            }
            (&approval["id"], Ok(payload))
        }
        "output-available" => (&part["toolCallId"], Ok(part["output"].clone())),
        "output-error" => (&part["toolCallId"], Err(part["errorText"].as_str().map(str::to_owned))),
        _ => return None,
    };
    let prompt = untagged(id.as_str()?).parse().ok()?;
    Some(GivenAnswer { prompt, payload })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(body: Value) -> ChatInput {
        serde_json::from_value(body).unwrap()
    }

    fn body(trigger: &str, message_id: Option<&str>, messages: Value) -> ChatInput {
        input(json!({"id": "c", "trigger": trigger, "messageId": message_id, "messages": messages}))
    }

    /// I-2: what a request asks for, of all that a client can post.
    #[test]
    fn the_wish_of_a_request() {
        let user = |id: &str| json!({"id": id, "role": "user", "parts": []});
        let assistant = |id: &str| json!({"id": id, "role": "assistant", "parts": []});
        let wish = |trigger: &str, named: Option<&str>, messages: Value| match body(
            trigger, named, messages,
        )
        .wish()
        {
            Ok(Wish::Send(message)) => format!("send {}", message.id),
            Ok(Wish::Edit(message)) => format!("edit {}", message.id),
            Ok(Wish::Regenerate(message, of)) => format!("regenerate {} {of:?}", message.id),
            Ok(Wish::Answer(message)) => format!("answer {}", message.id),
            Err(error) => error.into_body().message,
        };
        let submit = "submit-message";
        assert_eq!(wish(submit, None, json!([user("u1")])), "send u1");
        assert_eq!(wish(submit, Some("u1"), json!([user("u1")])), "edit u1");
        let talk = json!([user("u1"), assistant("a1")]);
        assert_eq!(wish(submit, None, talk.clone()), "answer a1");
        assert_eq!(wish(submit, Some("a1"), talk.clone()), "answer a1");
        let later = json!([user("u1"), assistant("a1"), user("u2")]);
        assert_eq!(wish(submit, Some("a1"), later.clone()), "answer a1");
        assert_eq!(wish(submit, None, later.clone()), "send u2");
        let again = "regenerate-message";
        assert_eq!(wish(again, None, json!([user("u1")])), "regenerate u1 None");
        assert_eq!(wish(again, Some("a1"), json!([user("u1")])), "regenerate u1 Some(\"a1\")");
        assert_eq!(wish(again, Some("u1"), json!([user("u1")])), "regenerate u1 None");
        assert!(wish(again, None, talk).contains("role user"));
        assert!(wish(submit, None, json!([])).contains("role user"));
        assert!(wish(submit, None, json!([{"id": "s", "role": "system"}])).contains("role user"));
        assert!(wish("resume", None, later).contains("trigger"));
    }

    /// I-2: only what the last step answers counts; calls of the server are passed over by their
    /// prompts, which do not exist.
    #[test]
    fn the_answers_of_the_last_step() {
        let id = |n: u8| format!("0198c5a2-7b1e-7cc0-8000-00000000000{n}");
        let message: UiMessage = serde_json::from_value(json!({"id": "a", "role": "assistant", "parts": [
            {"type": "step-start"},
            {"type": "dynamic-tool", "toolCallId": id(1), "state": "output-available", "output": 1},
            {"type": "step-start"},
            {"type": "text", "text": "x"},
            {"type": "dynamic-tool", "toolCallId": "call_9", "state": "output-available"},
            {"type": "dynamic-tool", "toolCallId": id(2), "state": "approval-responded",
             "approval": {"id": format!("{}~ab", id(3)), "approved": false, "reason": "no"}},
            {"type": "tool-x", "toolCallId": id(4), "state": "output-error", "errorText": "broken"},
            {"type": "dynamic-tool", "toolCallId": id(5), "state": "input-available"},
        ]}))
        .unwrap();
        let answers: Vec<String> = message
            .answers()
            .into_iter()
            .map(|given| format!("{} {:?}", given.prompt, given.payload))
            .collect();
        assert_eq!(
            answers,
            [
                format!(
                    "{} Ok(Object {{\"approved\": Bool(false), \"reason\": String(\"no\")}})",
                    id(3)
                ),
                format!("{} Err(Some(\"broken\"))", id(4)),
            ]
        );
        assert_eq!(message.holds().len(), 6);
    }

    /// I-2: tools come by name or as a list.
    #[test]
    fn tools_in_both_forms() {
        let schema = json!({"type": "object"});
        let by_name = json!({"look": {"description": "Looks.", "inputSchema": schema}});
        let list = json!([{"name": "look", "description": "Looks.", "parameters": schema}]);
        for tools in [by_name, list] {
            let input = input(json!({"id": "c", "messages": [], "tools": tools}));
            let tools = input.tools().unwrap();
            assert_eq!((tools.len(), tools[0].name.as_str()), (1, "look"));
            assert_eq!(tools[0].input_schema, schema);
        }
        assert!(input(json!({"id": "c", "messages": [], "tools": "x"})).tools().is_err());
        assert!(input(json!({"id": "c", "messages": [], "tools": [{}]})).tools().is_err());
    }
}
