//! Responses by their ids: reading one again, its input, stopping it, deleting it.
//!
//! Everything comes from the log; what only the request said (instructions, tools, metadata) is not
//! kept.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::response::Response;
use parlor_chat::ChatError;
use parlor_protocol::{ConversationId, PromptOutcome, PromptType, Role};
use parlor_storage::{ConversationView, PromptView};
use serde::Deserialize;
use serde_json::{Map, Value, json as value};

use super::errors::OpenAiError;
use crate::app::App;
use crate::auth::Principal;
use crate::dialects::openai_values::call_name;
use crate::dialects::responses::{About, Form, ResponseId, Responses, approval_name};
use crate::http::body::{Parameters, PathId};
use crate::http::errors::ApiError;
use crate::http::external::named;
use crate::http::external::turn_response::{Part, TurnResponse};
use crate::http::json;
use crate::http::stream_end::ConnectionGuard;

/// How long a turn may take to end after it was stopped.
const STOPPING: Duration = Duration::from_secs(10);

/// How a response is read.
#[derive(Debug, Deserialize)]
pub(crate) struct Reading {
    stream: Option<bool>,
    starting_after: Option<u64>,
}

/// `GET /v1/responses/{id}`.
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    principal: Principal,
    Extension(connection): Extension<ConnectionGuard>,
    PathId(id): PathId<ResponseId>,
    Parameters(reading): Parameters<Reading>,
) -> Result<Response, OpenAiError> {
    let part = part(&app, &principal, id).await?;
    let conversation = part.turn.conversation_id;
    let form = match reading.stream {
        Some(true) => Form::Stream { after: reading.starting_after },
        Some(false) | None => Form::Whole,
    };
    let dialect = dialect(&app, &principal, id, conversation, form).await?;
    let response = TurnResponse::new(&app, &principal, connection, part, dialect);
    if form != Form::Whole {
        return Ok(named(response.stream(), conversation));
    }
    let until = app.chat.conversation(&principal.caller, conversation).await?.cursor;
    let dialect = response.so_far(until).await?;
    Ok(named(json(&dialect.object())?, conversation))
}

/// `POST /v1/responses/{id}/cancel`: stops the turn, if it runs.
pub(crate) async fn cancel(
    State(app): State<Arc<App>>,
    principal: Principal,
    Extension(connection): Extension<ConnectionGuard>,
    PathId(id): PathId<ResponseId>,
) -> Result<Response, OpenAiError> {
    let part = part(&app, &principal, id).await?;
    let (caller, conversation) = (&principal.caller, part.turn.conversation_id);
    let last = app.chat.last_turn(caller, conversation).await?;
    if last.is_some_and(|(turn, is_running)| is_running && turn.turn_id == id.turn) {
        app.chat.stop(caller, conversation).await?;
    }
    let dialect = dialect(&app, &principal, id, conversation, Form::Whole).await?;
    let response = TurnResponse::new(&app, &principal, connection, part, dialect);
    let ended = tokio::time::timeout(STOPPING, response.whole()).await;
    let (dialect, _) = ended.map_err(|_| ApiError::too_slow())??;
    Ok(named(json(&dialect.object())?, conversation))
}

/// `DELETE /v1/responses/{id}`: with its conversation, if that has nothing else.
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ResponseId>,
) -> Result<Response, OpenAiError> {
    let part = part(&app, &principal, id).await?;
    let (caller, conversation) = (&principal.caller, part.turn.conversation_id);
    let view = app.chat.conversation(caller, conversation).await?;
    if view.messages.iter().any(|message| message.get().turn_id != id.turn) {
        let why = format!(
            "The conversation has more than this response; DELETE /api/conversations/{conversation} \
             deletes all of it."
        );
        return Err(OpenAiError::invalid("conversation_has_more", None, why));
    }
    app.chat.delete(caller, conversation, true).await?;
    let deleted = value!({"id": id.to_string(), "object": "response", "deleted": true});
    Ok(json(&deleted)?)
}

/// `GET /v1/responses/{id}/input_items`: the message, or the answer, that the response is about.
pub(crate) async fn input_items(
    State(app): State<Arc<App>>,
    principal: Principal,
    PathId(id): PathId<ResponseId>,
) -> Result<Response, OpenAiError> {
    let part = part(&app, &principal, id).await?;
    let view = app.chat.conversation(&principal.caller, part.turn.conversation_id).await?;
    let items = match id.after {
        Some(prompt) => {
            let prompts = view.prompts.iter().filter(|view| view.prompt.get().id == prompt);
            prompts.filter_map(answer_item).collect()
        }
        None => messages_of(&view, id),
    };
    let end = |item: Option<&Value>| item.map(|item| item["id"].clone());
    let list = value!({
        "object": "list",
        "first_id": end(items.first()),
        "last_id": end(items.last()),
        "has_more": false,
        "data": items,
    });
    Ok(json(&list)?)
}

/// The part of the log that a response is; a refusal if there is none.
async fn part(app: &App, principal: &Principal, id: ResponseId) -> Result<Part, OpenAiError> {
    let caller = &principal.caller;
    let not_found = |error: ChatError| match error {
        ChatError::NotFound => ApiError::not_found(),
        error => error.into(),
    };
    let turn = app.chat.turn(caller, id.turn).await.map_err(not_found)?;
    if let Some(prompt) = id.after {
        let of = app.chat.turn_of_prompt(caller, prompt).await.map_err(not_found)?;
        let is_open = app.chat.prompt(caller, prompt).await.map_err(not_found)?.closed.is_none();
        if of.turn_id != id.turn || is_open {
            return Err(ApiError::not_found().into());
        }
    }
    Ok(Part { turn, after_prompt: id.after })
}

async fn dialect(
    app: &App,
    principal: &Principal,
    id: ResponseId,
    conversation: ConversationId,
    form: Form,
) -> Result<Responses, OpenAiError> {
    let tenant = &principal.caller.tenant;
    let scope = &principal.caller.scope;
    let project = app.store.conversation(scope, conversation).await?.project;
    let about = About {
        id,
        conversation,
        model: format!("{tenant}/{project}"),
        label: project.to_string(),
        page: format!("{}/c/{conversation}", app.public_url.as_str()),
        settings: Map::new(),
    };
    Ok(Responses::new(about, form))
}

fn messages_of(view: &ConversationView, id: ResponseId) -> Vec<Value> {
    let messages = view.messages.iter().map(|message| message.get());
    let of_person =
        messages.filter(|message| message.turn_id == id.turn && message.role == Role::User);
    let item = of_person.map(|message| {
        value!({
            "id": format!("msg_{}", message.id),
            "type": "message",
            "status": "completed",
            "role": "user",
            "content": [{"type": "input_text", "text": message.content}],
        })
    });
    item.take(1).collect()
}

fn answer_item(view: &PromptView) -> Option<Value> {
    let (prompt, closed) = (view.prompt.get(), view.closed.as_ref()?);
    Some(match prompt.prompt_type {
        PromptType::ClientCall => value!({
            "id": format!("fco_{}", prompt.id),
            "type": "function_call_output",
            "status": "completed",
            "call_id": call_name(prompt.id),
            "output": closed.response.as_ref().map(text),
        }),
        PromptType::Confirm | PromptType::Plan => value!({
            "id": format!("mcpa_{}", prompt.id),
            "type": "mcp_approval_response",
            "approval_request_id": approval_name(prompt.id),
            "approve": closed.outcome == PromptOutcome::Answered,
            "reason": closed.reason,
        }),
        PromptType::Input
        | PromptType::Select
        | PromptType::MultiQuestion
        | PromptType::Wizard
        | PromptType::Form => value!({
            "id": format!("msg_{}", prompt.id),
            "type": "message",
            "status": "completed",
            "role": "user",
            "content": [{"type": "input_text", "text": closed.response.as_ref().map(text)}],
        }),
    })
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
