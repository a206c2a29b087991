//! AI SDK: `useChat` without a server of its own.
//!
//! 1. A request says something, tries it again, or answers what was asked ([`request`]).
//! 2. The response to an answer continues the message that has the question.
//! 3. A message while something is asked gets the question again, in a message of its own.
//! 4. To resume is to read the last turn from its beginning: with the turns before it, as far as
//!    each began with an answer to the one before, because the client has them as one message.

mod request;

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use parlor_chat::{Accepted, ChatError, ExternalMessage};
use parlor_protocol::{ChatRequest, ConversationId, Message, MessageId, Role, metadata};
use parlor_storage::{ConversationView, ExternalConversation, Surface};
use serde::Deserialize;
use serde_json::json as value;

use self::request::{ChatInput, UiMessage, Wish, nothing_said};
use super::prompts::{self, Answer};
use super::turn_response::{Part, TurnResponse, open_prompts};
use super::{ids, named, project};
use crate::app::App;
use crate::attached::Attached;
use crate::auth::Principal;
use crate::client_address::ClientAddress;
use crate::dialects::ai_sdk::{AiSdk, Continued, Version};
use crate::http::body::{Json, Parameters};
use crate::http::chat::send_external;
use crate::http::errors::ApiError;
use crate::http::json;
use crate::http::stream_end::ConnectionGuard;

/// Says that the response is a UI message stream.
const STREAM_HEADER: &str = "x-vercel-ai-ui-message-stream";

/// The major version of `ai` that the client has: it does not say so itself.
#[derive(Debug, Deserialize)]
pub(crate) struct VersionParameter {
    v: Option<String>,
}

impl VersionParameter {
    fn version(&self) -> Result<Version, ApiError> {
        match self.v.as_deref() {
            Some("5") => Ok(Version::Five),
            None | Some("6") => Ok(Version::Six),
            Some("7") => Ok(Version::Seven),
            Some(_) => Err(ApiError::malformed("v: the AI SDK is known as 5, 6 and 7")),
        }
    }
}

/// A client in a project, and its conversation.
struct Client<'a> {
    app: &'a Arc<App>,
    principal: &'a Principal,
    address: ClientAddress,
    conversation: ExternalConversation,
    version: Version,
}

/// What is written: a part of the log in the dialect, or what is asked once more.
enum Reply {
    Part(Part, Box<AiSdk>),
    Again(Response),
}

/// `POST /ai-sdk/{tenant}/{project}`.
pub(crate) async fn chat(
    State(app): State<Arc<App>>,
    principal: Principal,
    address: ClientAddress,
    Extension(connection): Extension<ConnectionGuard>,
    path: Result<Path<(String, String)>, PathRejection>,
    Parameters(parameters): Parameters<VersionParameter>,
    Json(input): Json<ChatInput>,
) -> Result<Response, ApiError> {
    let Path((tenant, name)) = path.map_err(|_| ApiError::not_found())?;
    let project = project(&app, &principal, &tenant, &name)?;
    let conversation = ids::conversation(&principal, Surface::AiSdk, &project, &input.id)?;
    let version = parameters.version()?;
    let client = Client { app: &app, principal: &principal, address, conversation, version };
    let reply = match input.wish()? {
        Wish::Send(message) => client.send(client.message(&input, message)?, message).await?,
        Wish::Edit(message) => client.edit(&input, message).await?,
        Wish::Regenerate(message, of) => client.regenerate(&input, message, of).await?,
        Wish::Answer(message) => client.answer(message).await?,
    };
    Ok(match reply {
        Reply::Again(response) => response,
        Reply::Part(part, dialect) => {
            let id = part.turn.conversation_id;
            let response = TurnResponse::new(&app, &principal, connection, part, *dialect).stream();
            ui_message_stream(response, id)
        }
    })
}

/// `GET /ai-sdk/{tenant}/{project}/{id}/stream`.
pub(crate) async fn resume(
    State(app): State<Arc<App>>,
    principal: Principal,
    Extension(connection): Extension<ConnectionGuard>,
    path: Result<Path<(String, String, String)>, PathRejection>,
    Parameters(parameters): Parameters<VersionParameter>,
) -> Result<Response, ApiError> {
    let Path((tenant, name, id)) = path.map_err(|_| ApiError::not_found())?;
    let project = project(&app, &principal, &tenant, &name)?;
    let conversation = ids::conversation(&principal, Surface::AiSdk, &project, &id)?;
    let version = parameters.version()?;
    let caller = &principal.caller;
    let nothing = || Ok(StatusCode::NO_CONTENT.into_response());
    let Some(id) = app.chat.external_conversation(caller, &conversation).await? else {
        return nothing();
    };
    let Some((last, is_running)) = app.chat.last_turn(caller, id).await? else {
        return nothing();
    };
    if !is_running && app.chat.open_prompts(caller, id).await?.is_empty() {
        return nothing();
    }
    let view = app.chat.conversation(caller, id).await?;
    let turn = first_of_message(&app, &principal, &view, last.clone()).await?;
    let dialect = AiSdk::new(version, id, turn.turn_id);
    let part = Part { turn, after_prompt: None };
    let response = TurnResponse::new(&app, &principal, connection, part, dialect);
    Ok(ui_message_stream(response.through(last.turn_id).stream(), id))
}

/// `POST /ai-sdk/{tenant}/{project}/{id}/stop`.
pub(crate) async fn stop(
    State(app): State<Arc<App>>,
    principal: Principal,
    path: Result<Path<(String, String, String)>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path((tenant, name, id)) = path.map_err(|_| ApiError::not_found())?;
    let project = project(&app, &principal, &tenant, &name)?;
    let conversation = ids::conversation(&principal, Surface::AiSdk, &project, &id)?;
    let caller = &principal.caller;
    let stopped = match app.chat.external_conversation(caller, &conversation).await? {
        Some(id) => app.chat.stop(caller, id).await?,
        None => false,
    };
    json(&value!({"stopped": stopped}))
}

impl Client<'_> {
    /// A message of the person, as it is sent for the first time.
    fn message(&self, input: &ChatInput, message: &UiMessage) -> Result<ChatRequest, ApiError> {
        let (text, attached) = message.content()?;
        let mut request = ChatRequest {
            message: text,
            project: Some(self.conversation.project.clone()),
            client_message_id: Some(ids::message(&self.conversation, &message.id)?),
            client_tools: input.tools()?,
            ..ChatRequest::default()
        };
        attached.put_into(&mut request);
        Ok(request)
    }

    async fn send(&self, request: ChatRequest, message: &UiMessage) -> Result<Reply, ApiError> {
        let conversation = Some(self.conversation.clone());
        let external = ExternalMessage { conversation, ..request.into() };
        let caller = &self.principal.caller;
        match send_external(self.app, caller, self.address, external).await {
            Ok(turn) => Ok(self.whole(turn)),
            Err(error) if error.is_prompt_open() => self.ask_again(message).await,
            Err(error) => Err(error),
        }
    }

    /// A turn from its beginning, as a message of its own.
    fn whole(&self, turn: Accepted) -> Reply {
        let dialect = AiSdk::new(self.version, turn.conversation_id, turn.turn_id);
        Reply::Part(Part { turn, after_prompt: None }, Box::new(dialect))
    }

    /// The person changed a message: a branch begins in its place.
    async fn edit(&self, input: &ChatInput, message: &UiMessage) -> Result<Reply, ApiError> {
        let mut request = self.message(input, message)?;
        if let Some(tried) = self.tried(&request).await? {
            let mut parts = vec![request.message.as_bytes()];
            match Attached::contents(&request) {
                attached if attached.is_empty() => parts.push(b""),
                attached => parts.extend(attached),
            }
            let content = ids::hash(&parts);
            let id = format!("{}\0edited\0{content}", message.id);
            request.client_message_id = Some(ids::message(&self.conversation, &id)?);
            in_place_of(tried.message, &mut request);
        }
        self.send(request, message).await
    }

    /// Another answer to a message, as the client has it now: a branch too. A request that comes twice is known by the answer that it
    /// replaces, or because that answer is being written.
    async fn regenerate(
        &self,
        input: &ChatInput,
        message: &UiMessage,
        of: Option<&str>,
    ) -> Result<Reply, ApiError> {
        let mut request = self.message(input, message)?;
        if let Some(tried) = self.tried(&request).await? {
            let number = tried.again.to_string();
            let id = match (of, tried.running) {
                (Some(of), _) => format!("{}\0again\0of\0{of}", message.id),
                (None, Some(turn)) => return Ok(self.whole(turn)),
                (None, None) => format!("{}\0again\0{number}", message.id),
            };
            request.client_message_id = Some(ids::message(&self.conversation, &id)?);
            in_place_of(tried.message, &mut request);
        }
        self.send(request, message).await
    }

    /// What became of a message that was sent before; `None` if it never came.
    async fn tried(&self, request: &ChatRequest) -> Result<Option<Tried>, ApiError> {
        let (chat, caller) = (&self.app.chat, &self.principal.caller);
        let Some(id) = &request.client_message_id else { return Ok(None) };
        let Some(first) = chat.turn_of_message(caller, id).await? else { return Ok(None) };
        let view = chat.conversation(caller, first.conversation_id).await?;
        let messages = || view.messages.iter().map(|message| message.get());
        let said = messages()
            .find(|message| message.turn_id == first.turn_id && message.role == Role::User);
        let Some(message) = said.map(|message| message.id) else { return Ok(None) };
        let is_again = |said: &&Message| {
            let of = metadata::EDIT_OF.get(&said.metadata);
            // As earlier versions of the server wrote it.
            of.or_else(|| metadata::RETRY_OF.get(&said.metadata)) == Some(message)
        };
        let again = || messages().filter(is_again);
        let last = chat.last_turn(caller, first.conversation_id).await?;
        let running = last.filter(|(turn, is_running)| {
            *is_running && again().any(|said| said.turn_id == turn.turn_id)
        });
        let running = running.map(|(turn, _)| turn);
        Ok(Some(Tried { message, again: again().count(), running }))
    }

    /// Takes answers, and continues the message that has them.
    async fn answer(&self, message: &UiMessage) -> Result<Reply, ApiError> {
        let (chat, caller) = (&self.app.chat, &self.principal.caller);
        let id = chat.external_conversation(caller, &self.conversation).await?;
        let id = id.ok_or_else(nothing_said)?;
        let mut answers = Vec::new();
        for given in message.answers() {
            let view = match chat.prompt(caller, given.prompt).await {
                Ok(view) if view.prompt.get().conversation_id == id => view,
                // A call of the server, or a prompt of another conversation.
                Ok(_) | Err(ChatError::NotFound) => continue,
                Err(error) => return Err(error.into()),
            };
            let (prompt, prompt_type) = (given.prompt, view.prompt.get().prompt_type);
            answers.push(Answer { prompt, answer: given.answer(prompt_type) });
        }
        if answers.is_empty() {
            return Err(nothing_said());
        }
        let part = prompts::answer(self.app, self.principal, answers).await?;
        let after = part.after_prompt.ok_or_else(ApiError::internal)?;
        let continued = Continued { message: message.id.clone(), holds: message.holds(), after };
        let dialect = AiSdk::new(self.version, id, part.turn.turn_id).continuing(continued);
        Ok(Reply::Part(part, Box::new(dialect)))
    }

    /// A message came while something is asked: it is asked again.
    async fn ask_again(&self, message: &UiMessage) -> Result<Reply, ApiError> {
        let (chat, caller) = (&self.app.chat, &self.principal.caller);
        let id = chat.external_conversation(caller, &self.conversation).await?;
        let id = id.ok_or_else(ApiError::not_found)?;
        let (turn, _) = chat.last_turn(caller, id).await?.ok_or_else(ApiError::not_found)?;
        let open = chat.open_prompts(caller, id).await?;
        let tag = ids::hash(&[message.id.as_bytes()]);
        let tag = tag.get(..8).unwrap_or_default();
        let dialect = AiSdk::new(self.version, id, turn.turn_id).again(tag);
        Ok(Reply::Again(ui_message_stream(open_prompts(dialect, open), id)))
    }
}

/// Puts a request in the place of a message. The client tells all of it: without a picture or a file
/// there is none.
fn in_place_of(message: MessageId, request: &mut ChatRequest) {
    request.edit_of = Some(message);
    request.image.get_or_insert(None);
    request.files.get_or_insert_default();
}

/// What became of a message.
struct Tried {
    message: MessageId,
    /// How often it was tried again.
    again: usize,
    /// The last of these, if it still runs.
    running: Option<Accepted>,
}

/// The turn with which the message began that the client has of this turn.
async fn first_of_message(
    app: &App,
    principal: &Principal,
    view: &ConversationView,
    mut turn: Accepted,
) -> Result<Accepted, ApiError> {
    let began = |turn: &Accepted| {
        let mut messages = view.messages.iter().map(|message| message.get());
        let said = messages
            .find(|message| message.turn_id == turn.turn_id && message.role == Role::User)?;
        metadata::ANSWERS.get(&said.metadata)
    };
    while let Some(prompt) = began(&turn) {
        let before = app.chat.turn_of_prompt(&principal.caller, prompt).await?;
        if before.after >= turn.after {
            break;
        }
        turn = before;
    }
    Ok(turn)
}

fn ui_message_stream(mut response: Response, id: ConversationId) -> Response {
    response.headers_mut().insert(STREAM_HEADER, HeaderValue::from_static("v1"));
    named(response, id)
}
