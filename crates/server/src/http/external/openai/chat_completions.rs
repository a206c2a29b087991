//! `POST /v1/chat/completions`.
//!
//! The last messages are results of the client's own tools, or the last one is the person's. What
//! comes before it is read only if a conversation begins: the log is the authority.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use parlor_chat::{EarlierMessage, ExternalMessage};
use parlor_protocol::{ChatRequest, ClientTool, ProjectId};
use serde::Deserialize;
use serde_json::Value;

use super::body::Repeatable;
use super::content::{Content, client_tool};
use super::conversation::{self, header_of};
use super::errors::OpenAiError;
use crate::app::App;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::dialects::answers;
use crate::dialects::chat_completions::{ChatCompletions, Failure, Form};
use crate::dialects::openai_values::called;
use crate::http::chat::send_external;
use crate::http::errors::ApiError;
use crate::http::external::named;
use crate::http::external::prompts::{self, Answer};
use crate::http::external::turn_response::{Part, TurnResponse};
use crate::http::json;
use crate::http::stream_end::ConnectionGuard;

/// Set by Open WebUI when no person asks, but the app itself, for a title or tags.
const TASK_HEADER: &str = "x-openwebui-task";

/// What a client sends. Other fields are about the model, and have no effect.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    model: String,
    messages: Vec<Message>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    tools: Option<Vec<Tool>>,
    #[serde(default)]
    tool_choice: Value,
    n: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Value,
    tool_call_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Tool {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    function: Value,
}

/// `POST /v1/chat/completions`.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    principal: Principal,
    address: ClientAddress,
    Extension(connection): Extension<ConnectionGuard>,
    headers: HeaderMap,
    body: Repeatable<Request>,
) -> Result<Response, OpenAiError> {
    let project = conversation::model(&app, &principal, &body.request.model)?;
    refuse_unsupported(&body.request, &headers)?;
    let part = match results(&app, &principal, &body.request).await? {
        answers if !answers.is_empty() => prompts::answer(&app, &principal, answers).await?,
        _ => {
            let mut message = message(&body, project.clone())?;
            let name = header_of(&headers);
            conversation::name(&app, &principal, &project, name, &mut message).await?;
            let turn = send_external(&app, &principal.caller, address, message).await?;
            Part { turn, after_prompt: None }
        }
    };
    let id = part.turn.conversation_id;
    let page = format!("{}/c/{id}", app.public_url.as_str());
    let form = form(&body.request);
    let dialect = ChatCompletions::new(part.turn.turn_id, body.request.model, page, form);
    let mut response = TurnResponse::new(&app, &principal, connection, part, dialect);
    if app.config.server.openai.stop_on_disconnect {
        response = response.stop_on_disconnect();
    }
    if form != Form::Whole {
        return Ok(named(response.stream(), id));
    }
    let (dialect, _) = response.whole().await?;
    let whole = dialect.whole().map_err(|failure| match failure {
        Failure::Turn { code, message } => OpenAiError::failed(code, message),
        Failure::Lost => ApiError::unavailable("The server stops; please try again.").into(),
    })?;
    Ok(named(json(&whole)?, id))
}

fn form(request: &Request) -> Form {
    let with_usage = request.stream_options.as_ref().is_some_and(|options| options.include_usage);
    match request.stream {
        Some(true) => Form::Stream { with_usage },
        Some(false) | None => Form::Whole,
    }
}

fn refuse_unsupported(request: &Request, headers: &HeaderMap) -> Result<(), OpenAiError> {
    if headers.get(TASK_HEADER).is_some_and(|task| !task.is_empty()) {
        let why = "Titles and tags are not made here: an agent answers people. Conversations get \
                   a title by themselves.";
        return Err(OpenAiError::invalid("unsupported_task", None, why));
    }
    if request.n.is_some_and(|n| n != 1) {
        let why = "There is one choice: an agent acts once.";
        return Err(OpenAiError::invalid("unsupported_value", Some("n"), why));
    }
    Ok(())
}

/// The results of the client's own tools, if the last messages are some.
async fn results(
    app: &App,
    principal: &Principal,
    request: &Request,
) -> Result<Vec<Answer>, OpenAiError> {
    let mut answers = Vec::new();
    for message in request.messages.iter().rev().take_while(|message| message.role == "tool") {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let unknown = || {
            let why = format!("No call '{id}' waits for a result.");
            OpenAiError::invalid("tool_call_not_found", Some("messages"), why)
        };
        let prompt = called(id).ok_or_else(unknown)?;
        let kind = prompts::prompt_type(app, principal, prompt).await.map_err(|_| unknown())?;
        let output = Value::String(Content::read(&message.content, "messages")?.text);
        answers.push(Answer { prompt, answer: answers::answer(kind, output) });
    }
    Ok(answers)
}

/// The last message, which must be the person's, with what was said before it.
fn message(body: &Repeatable<Request>, project: ProjectId) -> Result<ExternalMessage, OpenAiError> {
    let request = &body.request;
    let Some((last, before)) =
        request.messages.split_last().filter(|(last, _)| last.role == "user")
    else {
        let why = "The last message must be of the role user or tool.";
        return Err(OpenAiError::param("messages", why));
    };
    let Content { text, attached } = Content::read(&last.content, "messages")?;
    let mut chat = ChatRequest {
        message: text,
        project: Some(project),
        client_tools: client_tools(request)?,
        ..ChatRequest::default()
    };
    attached.put_into(&mut chat);
    let mut message = ExternalMessage::from(chat);
    for said in before {
        message.earlier.extend(earlier(said)?);
    }
    message.request_hash = Some(body.hash.clone());
    message.is_repeated = body.is_repeated;
    Ok(message)
}

/// Something that was said before; nothing if it has no text.
fn earlier(said: &Message) -> Result<Option<EarlierMessage>, OpenAiError> {
    match said.role.as_str() {
        "system" | "developer" | "user" | "assistant" | "tool" => {}
        other => {
            let why = format!("A message of the role {other} is not taken.");
            return Err(OpenAiError::param("messages", why));
        }
    }
    let Content { text, .. } = Content::read(&said.content, "messages")?;
    let role = said.role.clone();
    Ok(Some(EarlierMessage { role, text }).filter(|said| !said.text.trim().is_empty()))
}

fn client_tools(request: &Request) -> Result<Vec<ClientTool>, OpenAiError> {
    if request.tool_choice == "none" {
        return Ok(Vec::new());
    }
    let tools = request.tools.iter().flatten().map(|tool| match tool.kind.as_str() {
        "function" => client_tool(&tool.function),
        other => {
            let why = format!("A tool of type {other} is not taken.");
            Err(OpenAiError::param("tools", why))
        }
    });
    tools.collect()
}
