//! `POST /v1/responses`.
//!
//! 1. What is new in the input is an answer or a message ([`Input`]).
//! 2. An answer is found by its prompt alone; the response is what follows.
//! 3. A message goes to the conversation of the previous response, to the one that is named, or to a
//!    new one. If a prompt is open there, a question is answered by the message; an approval is
//!    asked for again.
//!
//! A response is a part of the log, so it is stored whatever `store` says.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::response::Response;
use bytes::BytesMut;
use parlor_chat::{EarlierMessage, ExternalMessage};
use parlor_protocol::{ChatRequest, ConversationId, ProjectId};
use parlor_storage::PromptView;
use serde::Deserialize;
use serde_json::{Map, Value, json as value};

use super::body::Repeatable;
use super::content::client_tool;
use super::conversation;
use super::errors::OpenAiError;
use super::input::{Given, Input};
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::dialects::answers;
use crate::dialects::responses::{About, Form, ResponseId, Responses};
use crate::dialects::turn_dialect::{End, TurnDialect};
use crate::http::chat::send_external;
use crate::http::errors::ApiError;
use crate::http::external::named;
use crate::http::external::prompts::{self, Answer};
use crate::http::external::turn_response::{Part, TurnResponse, event_stream};
use crate::http::json;
use crate::http::stream_end::ConnectionGuard;

/// What a client sends. Other fields are about the model, and have no effect.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    model: String,
    #[serde(default)]
    input: Value,
    previous_response_id: Option<String>,
    #[serde(default)]
    conversation: Value,
    instructions: Option<String>,
    stream: Option<bool>,
    background: Option<bool>,
    tools: Option<Vec<Value>>,
    #[serde(default)]
    tool_choice: Value,
    #[serde(default)]
    metadata: Value,
}

/// What a request leads to.
enum Next {
    /// A part of a turn.
    Follow(Part),
    /// The open prompts of this conversation again.
    AskAgain(ConversationId),
}

/// `POST /v1/responses`.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    principal: Principal,
    address: ClientAddress,
    Extension(connection): Extension<ConnectionGuard>,
    body: Repeatable<Request>,
) -> Result<Response, OpenAiError> {
    let project = conversation::model(&app, &principal, &body.request.model)?;
    let next = match Input::read(&body.request.input)? {
        Input::Answers(given) => {
            previous(&app, &principal, &body.request).await?;
            Next::Follow(answer(&app, &principal, given).await?)
        }
        Input::Message { content, earlier } => {
            let mut request = ChatRequest {
                message: content.text,
                project: Some(project.clone()),
                ..ChatRequest::default()
            };
            content.attached.put_into(&mut request);
            let message = message(&app, &principal, &body, request, earlier).await?;
            send(&app, &principal, address, message).await?
        }
    };
    let form = match body.request.stream {
        Some(true) => Form::Stream { after: None },
        Some(false) | None => Form::Whole,
    };
    let part = match next {
        Next::Follow(part) => part,
        Next::AskAgain(id) => {
            return ask_again(&app, &principal, &body.request, &project, id, form).await;
        }
    };
    let conversation = part.turn.conversation_id;
    let about = about(&app, &body.request, &project, &part);
    let dialect = Responses::new(about, form);
    if body.request.background == Some(true) && form == Form::Whole {
        return Ok(named(json(&dialect.queued())?, conversation));
    }
    let response = TurnResponse::new(&app, &principal, connection, part, dialect);
    if form != Form::Whole {
        return Ok(named(response.stream(), conversation));
    }
    let (dialect, _) = response.whole().await?;
    if dialect.is_lost() {
        return Err(ApiError::unavailable("The server stops; please try again.").into());
    }
    Ok(named(json(&dialect.object())?, conversation))
}

/// The conversation of the previous response, if one is named.
async fn previous(
    app: &App,
    principal: &Principal,
    request: &Request,
) -> Result<Option<ConversationId>, OpenAiError> {
    let Some(name) = &request.previous_response_id else { return Ok(None) };
    let unknown = || {
        let why = format!("Previous response with id '{name}' not found.");
        let param = Some("previous_response_id");
        OpenAiError::invalid("previous_response_not_found", param, why)
    };
    if !request.conversation.is_null() {
        let why = "Name the previous response or the conversation, not both.";
        return Err(OpenAiError::param("previous_response_id", why));
    }
    let id: ResponseId = name.parse().map_err(|_| unknown())?;
    match app.chat.turn(&principal.caller, id.turn).await {
        Ok(turn) => Ok(Some(turn.conversation_id)),
        Err(parlor_chat::ChatError::NotFound) => Err(unknown()),
        Err(error) => Err(error.into()),
    }
}

async fn answer(app: &App, principal: &Principal, given: Vec<Given>) -> Result<Part, OpenAiError> {
    let mut answers = Vec::new();
    for Given { prompt, payload } in given {
        let kind = prompts::prompt_type(app, principal, prompt).await?;
        answers.push(Answer { prompt, answer: answers::answer(kind, payload) });
    }
    Ok(prompts::answer(app, principal, answers).await?)
}

async fn message(
    app: &App,
    principal: &Principal,
    body: &Repeatable<Request>,
    chat: ChatRequest,
    earlier: Vec<EarlierMessage>,
) -> Result<ExternalMessage, OpenAiError> {
    let request = &body.request;
    let project = chat.project.clone();
    let mut message = ExternalMessage::from(chat);
    message.request.client_tools =
        functions(request).into_iter().map(client_tool).collect::<Result<_, _>>()?;
    message.request.conversation_id = previous(app, principal, request).await?;
    let name = match &request.conversation {
        Value::Null => None,
        Value::String(name) => Some(name.as_str()),
        named => Some(named["id"].as_str().unwrap_or_default()),
    };
    if let (Some(name), Some(project)) = (name, &project) {
        conversation::name(app, principal, project, Some(name), &mut message).await?;
    }
    let instructions = request.instructions.iter().filter(|text| !text.trim().is_empty());
    let system = |text: &String| EarlierMessage { role: "system".to_owned(), text: text.clone() };
    message.earlier = instructions.map(system).chain(earlier).collect();
    message.request_hash = Some(body.hash.clone());
    message.is_repeated = body.is_repeated;
    Ok(message)
}

/// The client's own functions. Hosted tools are the project's own, whatever the client says.
fn functions(request: &Request) -> Vec<&Value> {
    if request.tool_choice == "none" {
        return Vec::new();
    }
    request.tools.iter().flatten().filter(|tool| tool["type"] == "function").collect()
}

/// Sends a message; if a prompt is open, the message may answer it.
async fn send(
    app: &App,
    principal: &Principal,
    address: ClientAddress,
    message: ExternalMessage,
) -> Result<Next, OpenAiError> {
    let caller = &principal.caller;
    let text = message.request.message.clone();
    let id = match (message.request.conversation_id, &message.conversation) {
        (Some(id), _) => Some(id),
        (None, Some(named)) => app.chat.external_conversation(caller, named).await?,
        (None, None) => None,
    };
    if let (Some(id), true) = (id, message.is_repeated)
        && let Some(part) = answered_before(app, principal, id, &text).await?
    {
        return Ok(Next::Follow(part));
    }
    match send_external(app, caller, address, message).await {
        Ok(turn) => return Ok(Next::Follow(Part { turn, after_prompt: None })),
        Err(error) if error.is_prompt_open() => {}
        Err(error) => return Err(error.into()),
    }
    let id = id.ok_or_else(ApiError::not_found)?;
    let open = app.chat.open_prompts(caller, id).await?;
    let waiting = open.iter().find(|prompt| prompt.turn_waits).map(|view| view.prompt.get());
    let said = waiting.and_then(|prompt| Some((prompt.id, answers::said(prompt, &text)?)));
    match said {
        Some((prompt, answer)) => {
            let answers = vec![Answer { prompt, answer }];
            Ok(Next::Follow(prompts::answer(app, principal, answers).await?))
        }
        None => Ok(Next::AskAgain(id)),
    }
}

/// What followed a question that the same message answered before: it is no new message.
async fn answered_before(
    app: &App,
    principal: &Principal,
    conversation: ConversationId,
    text: &str,
) -> Result<Option<Part>, OpenAiError> {
    let caller = &principal.caller;
    let view = app.chat.conversation(caller, conversation).await?;
    let was_said = |view: &&PromptView| {
        let given = view.closed.as_ref().and_then(|closed| closed.response.as_ref());
        let said = answers::said(view.prompt.get(), text).map(|answer| answer.response);
        view.turn_waits && said.is_some() && said.as_ref() == given
    };
    let Some(view) = view.prompts.iter().rev().find(was_said) else { return Ok(None) };
    let prompt = view.prompt.get().id;
    let turn = app.chat.turn_of_prompt(caller, prompt).await?;
    Ok(Some(Part { turn, after_prompt: Some(prompt) }))
}

/// A message came while an approval is open: it is asked for again, in a response of the same turn.
async fn ask_again(
    app: &App,
    principal: &Principal,
    request: &Request,
    project: &ProjectId,
    conversation: ConversationId,
    form: Form,
) -> Result<Response, OpenAiError> {
    let open = app.chat.open_prompts(&principal.caller, conversation).await?;
    let waiting: Vec<_> = open.into_iter().filter(|prompt| prompt.turn_waits).collect();
    let first = waiting.first().ok_or_else(ApiError::not_found)?.prompt.get().id;
    let turn = app.chat.turn_of_prompt(&principal.caller, first).await?;
    let part = Part { turn, after_prompt: None };
    let mut dialect = Responses::new(about(app, request, project, &part), form);
    let mut to = BytesMut::new();
    dialect.begin(&mut to);
    for view in &waiting {
        dialect.show(view.prompt.get());
    }
    dialect.end(&End::Waits(waiting), &mut to);
    let response = match form {
        Form::Stream { .. } => event_stream(Body::from(to.freeze())),
        Form::Whole => json(&dialect.object())?,
    };
    Ok(named(response, conversation))
}

fn about(app: &App, request: &Request, project: &ProjectId, part: &Part) -> About {
    let conversation = part.turn.conversation_id;
    About {
        id: ResponseId { turn: part.turn.turn_id, after: part.after_prompt },
        conversation,
        model: request.model.clone(),
        label: project.to_string(),
        page: format!("{}/c/{conversation}", app.public_url.as_str()),
        settings: settings(request),
    }
}

/// What the request said of the response, which is said again.
fn settings(request: &Request) -> Map<String, Value> {
    let tools = functions(request).into_iter().map(|tool| {
        value!({
            "type": "function",
            "name": tool["name"],
            "description": tool["description"],
            "parameters": tool["parameters"],
            "strict": tool["strict"].as_bool().unwrap_or(false),
        })
    });
    let settings = [
        ("previous_response_id", value!(request.previous_response_id)),
        ("instructions", value!(request.instructions)),
        ("tools", Value::Array(tools.collect())),
        ("background", value!(request.background.unwrap_or(false))),
        ("metadata", request.metadata.clone()),
    ];
    settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
