//! AG-UI: runs, and the four routes with which CopilotKit needs no server of its own.
//!
//! What a run is about: answers to interrupts (`resume`), results of the client's own tools (the
//! last messages are of the role `tool`), or the last message of the person.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use axum::response::Response;
use bytes::BytesMut;
use parlor_chat::ExternalMessage;
use parlor_protocol::{ChatRequest, ClientTool, PromptId};
use parlor_storage::{ExternalConversation, Surface};
use serde::Deserialize;
use serde_json::{Map, Value, json as value};

use super::prompts::{self, Answer};
use super::turn_response::{Part, TurnResponse, event_stream, open_prompts};
use super::{ids, named, project};
use crate::app::App;
use crate::attached::Attached;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::dialects::agui::{AgUi, Version};
use crate::dialects::answers;
use crate::dialects::turn_dialect::{End, TurnDialect};
use crate::http::body::Json;
use crate::http::chat::send_external;
use crate::http::errors::ApiError;
use crate::http::json;
use crate::http::stream_end::ConnectionGuard;

/// What a client sends to run, or to connect.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunInput {
    thread_id: String,
    run_id: String,
    protocol_version: Option<String>,
    #[serde(default)]
    messages: Vec<Message>,
    #[serde(default)]
    tools: Vec<Tool>,
    #[serde(default)]
    resume: Vec<Resume>,
}

/// A message; those of other roles are history, which the log has.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: String,
    role: String,
    #[serde(default)]
    content: Value,
    tool_call_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Tool {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
}

/// The answer to an interrupt.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resume {
    interrupt_id: String,
    status: ResumeStatus,
    #[serde(default)]
    payload: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResumeStatus {
    Resolved,
    Cancelled,
}

type ProjectPath = Result<Path<(String, String)>, PathRejection>;

/// `GET /agui/{tenant}/info`.
pub(crate) async fn info(
    State(app): State<Arc<App>>,
    principal: Principal,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path(tenant) = path.map_err(|_| ApiError::not_found())?;
    if tenant != principal.caller.tenant.as_str() {
        return Err(ApiError::not_found());
    }
    let projects = app.chat.projects().of(&principal.caller.tenant);
    let projects = projects.filter(|project| principal.caller.scope.has_project(&project.id));
    let agents: Map<String, Value> = projects
        .map(|project| {
            let capabilities = value!({
                "tools": {"supported": true, "clientProvided": project.agent.takes_client_tools()},
                "humanInTheLoop": {"supported": true, "approvals": true, "interrupts": true},
            });
            let agent = value!({
                "name": project.name,
                "description": "",
                "capabilities": capabilities,
            });
            (project.id.to_string(), agent)
        })
        .collect();
    json(&value!({
        "version": env!("CARGO_PKG_VERSION"),
        "mode": "sse",
        "audioFileTranscriptionEnabled": false,
        "telemetryDisabled": true,
        "agents": agents,
    }))
}

/// `POST /agui/{tenant}/agent/{project}/run`.
pub(crate) async fn run(
    State(app): State<Arc<App>>,
    principal: Principal,
    address: ClientAddress,
    Extension(connection): Extension<ConnectionGuard>,
    path: ProjectPath,
    Json(input): Json<RunInput>,
) -> Result<Response, ApiError> {
    let conversation = conversation_of(&app, &principal, path, &input.thread_id)?;
    let dialect = dialect(&input);
    let part = match answers_of(&app, &principal, &input).await? {
        answers if !answers.is_empty() => prompts::answer(&app, &principal, answers).await?,
        _ => {
            let message = message(&input, conversation.clone())?;
            match send_external(&app, &principal.caller, address, message).await {
                Ok(turn) => Part { turn, after_prompt: None },
                Err(error) if error.is_prompt_open() => {
                    return asked_again(&app, &principal, &conversation, dialect).await;
                }
                Err(error) => return Err(error),
            }
        }
    };
    let id = part.turn.conversation_id;
    Ok(named(TurnResponse::new(&app, &principal, connection, part, dialect).stream(), id))
}

/// `POST /agui/{tenant}/agent/{project}/connect`: the conversation as it is, and the rest of the
/// turn that runs.
pub(crate) async fn connect(
    State(app): State<Arc<App>>,
    principal: Principal,
    Extension(connection): Extension<ConnectionGuard>,
    path: ProjectPath,
    Json(input): Json<RunInput>,
) -> Result<Response, ApiError> {
    let conversation = conversation_of(&app, &principal, path, &input.thread_id)?;
    let mut dialect = dialect(&input);
    let mut to = BytesMut::new();
    let caller = &principal.caller;
    let Some(id) = app.chat.external_conversation(caller, &conversation).await? else {
        dialect.connect(None, &mut to);
        dialect.end(&End::Nothing, &mut to);
        return Ok(event_stream(Body::from(to.freeze())));
    };
    let view = app.chat.conversation(caller, id).await?;
    dialect.connect(Some(&view), &mut to);
    let open = app.chat.open_prompts(caller, id).await?;
    let running = app.chat.last_turn(caller, id).await?.filter(|(_, is_running)| *is_running);
    let waits = open.iter().any(|prompt| prompt.turn_waits);
    let response = match running.filter(|_| !waits) {
        Some((mut turn, _)) => {
            turn.after = view.cursor;
            let part = Part { turn, after_prompt: None };
            TurnResponse::new(&app, &principal, connection, part, dialect).stream_after(to)
        }
        None => {
            dialect.end(&End::Waits(open), &mut to);
            event_stream(Body::from(to.freeze()))
        }
    };
    Ok(named(response, id))
}

/// `POST /agui/{tenant}/agent/{project}/stop/{thread}`.
pub(crate) async fn stop(
    State(app): State<Arc<App>>,
    principal: Principal,
    path: Result<Path<(String, String, String)>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path((tenant, name, thread)) = path.map_err(|_| ApiError::not_found())?;
    let project = project(&app, &principal, &tenant, &name)?;
    let conversation = ids::conversation(&principal, Surface::AgUi, &project, &thread)?;
    let caller = &principal.caller;
    let stopped = match app.chat.external_conversation(caller, &conversation).await? {
        Some(id) => app.chat.stop(caller, id).await?,
        None => false,
    };
    json(&value!({"stopped": stopped}))
}

/// The conversation that a client names so, in the project of the address.
fn conversation_of(
    app: &App,
    principal: &Principal,
    path: ProjectPath,
    thread: &str,
) -> Result<ExternalConversation, ApiError> {
    let Path((tenant, name)) = path.map_err(|_| ApiError::not_found())?;
    let project = project(app, principal, &tenant, &name)?;
    ids::conversation(principal, Surface::AgUi, &project, thread)
}

fn dialect(input: &RunInput) -> AgUi {
    let version = match input.protocol_version {
        Some(_) => Version::One,
        None => Version::Zero,
    };
    AgUi::new(input.thread_id.clone(), input.run_id.clone(), version)
}

/// A message came while a prompt is open: the prompt is shown again.
async fn asked_again(
    app: &App,
    principal: &Principal,
    conversation: &ExternalConversation,
    dialect: AgUi,
) -> Result<Response, ApiError> {
    let caller = &principal.caller;
    let id = app.chat.external_conversation(caller, conversation).await?;
    let id = id.ok_or_else(ApiError::not_found)?;
    let open = app.chat.open_prompts(caller, id).await?;
    Ok(named(open_prompts(dialect, open), id))
}

/// The answers that a run brings: to interrupts, and the results of the client's own tools.
async fn answers_of(
    app: &App,
    principal: &Principal,
    input: &RunInput,
) -> Result<Vec<Answer>, ApiError> {
    let mut given = Vec::new();
    for Resume { interrupt_id, status, payload } in &input.resume {
        let prompt = prompt_id(interrupt_id)?;
        let kind = prompts::prompt_type(app, principal, prompt).await?;
        let answer = match status {
            ResumeStatus::Resolved => answers::answer(kind, payload.clone()),
            ResumeStatus::Cancelled => answers::refusal(None),
        };
        given.push(Answer { prompt, answer });
    }
    if !given.is_empty() {
        return Ok(given);
    }
    let results = input.messages.iter().rev().take_while(|message| message.role == "tool");
    for message in results {
        let id = message.tool_call_id.as_deref().unwrap_or_default();
        let prompt = prompt_id(id)?;
        let kind = prompts::prompt_type(app, principal, prompt).await?;
        let output = Value::String(text_of(&message.content)?);
        given.push(Answer { prompt, answer: answers::answer(kind, output) });
    }
    Ok(given)
}

fn prompt_id(id: &str) -> Result<PromptId, ApiError> {
    id.parse().map_err(|_| ApiError::not_found())
}

/// The last message, which must be the person's.
fn message(
    input: &RunInput,
    conversation: ExternalConversation,
) -> Result<ExternalMessage, ApiError> {
    let last = input.messages.last().filter(|message| message.role == "user");
    let last = last.ok_or_else(|| {
        ApiError::malformed("messages: the last one must be of the role user, or resume be given")
    })?;
    let client_tools = input.tools.iter().map(|tool| ClientTool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: tool.parameters.clone(),
    });
    let mut request = ChatRequest {
        message: text_of(&last.content)?,
        project: Some(conversation.project.clone()),
        client_message_id: Some(ids::message(&conversation, &last.id)?),
        client_tools: client_tools.collect(),
        ..ChatRequest::default()
    };
    attached(&last.content)?.put_into(&mut request);
    Ok(ExternalMessage { conversation: Some(conversation), ..request.into() })
}

/// The text of a message: a string, or parts.
fn text_of(content: &Value) -> Result<String, ApiError> {
    match content {
        Value::String(text) => Ok(text.clone()),
        Value::Null => Ok(String::new()),
        Value::Array(parts) => {
            let mut texts = Vec::new();
            for part in parts {
                match part["type"].as_str() {
                    Some("text") => texts.push(part["text"].as_str().unwrap_or_default()),
                    Some("image" | "document" | "binary") => {}
                    other => {
                        let other = other.unwrap_or("?");
                        let why = format!("content: a part of type {other} is not taken");
                        return Err(ApiError::malformed(why));
                    }
                }
            }
            Ok(texts.join("\n"))
        }
        _ => Err(ApiError::malformed("content: it must be a text or a list of parts")),
    }
}

/// The pictures and documents of a message. Older clients call both `binary`.
fn attached(content: &Value) -> Result<Attached, ApiError> {
    let mut attached = Attached::default();
    for part in content.as_array().map(Vec::as_slice).unwrap_or_default() {
        let (data, media_type) = match part["type"].as_str() {
            Some("image" | "document") if part["source"]["type"] == "data" => {
                (&part["source"]["value"], &part["source"]["mimeType"])
            }
            Some("binary") => (&part["data"], &part["mimeType"]),
            Some("image" | "document") => (&Value::Null, &Value::Null),
            _ => continue,
        };
        let Some(data) = data.as_str() else {
            let why = "content: a picture or document must come as data, not as an address";
            return Err(ApiError::malformed(why));
        };
        let name = part["filename"].as_str().or(part["metadata"]["filename"].as_str());
        attached.add(name, media_type.as_str().unwrap_or_default(), data.to_owned());
    }
    Ok(attached)
}
