//! What a webhook is told: made of what is stored when it is sent, so that what was deleted meanwhile is
//! told to nobody.
//!
//! How much is told is configured. What a person has to themselves is not: of a conversation that the
//! tenant's administrators may not read, a webhook learns that something happened, and no word of it.

use parlor_protocol::{PromptId, Timestamp};
use parlor_storage::{
    BlockedInput, Prompt, Scope, StorageError, Store, WebhookEvent, WebhookMessage,
};
use serde_json::{Map, Value, json};

use super::Receiver;
use crate::config::WebhookContent;
use crate::timestamp::iso_ms;

/// The body of a message; `None` if what it is about is gone.
pub(super) async fn of(
    store: &Store,
    receiver: &Receiver,
    message: &WebhookMessage,
) -> Result<Option<String>, StorageError> {
    let data = match message.event {
        WebhookEvent::InputBlocked => input(store, receiver, message).await?,
        WebhookEvent::PromptOpened | WebhookEvent::PromptAnswered | WebhookEvent::PromptLapsed => {
            prompt(store, receiver, message).await?
        }
    };
    let Some(mut data) = data else { return Ok(None) };
    data.insert("tenant".to_owned(), message.tenant.as_str().into());
    data.insert("project".to_owned(), message.project.as_str().into());
    data.insert("id".to_owned(), message.subject.as_str().into());
    let body = json!({
        "type": message.event.as_str(),
        "timestamp": iso_ms(message.at),
        "data": data,
    });
    Ok(Some(body.to_string()))
}

/// Whose eyes it is told to: those of the tenant's administrators.
fn scope(receiver: &Receiver) -> Scope {
    let scope = Scope::of(receiver.tenant.clone(), None);
    if receiver.reads_all { scope.reading_all() } else { scope }
}

async fn prompt(
    store: &Store,
    receiver: &Receiver,
    message: &WebhookMessage,
) -> Result<Option<Map<String, Value>>, StorageError> {
    let Ok(id) = message.subject.parse::<PromptId>() else { return Ok(None) };
    let of_server = Scope::of_server(receiver.tenant.clone());
    let Some(prompt) = found(store.prompt(&of_server, id).await)? else { return Ok(None) };
    let mut data = facts(&prompt, message.event);
    let content = receiver.config.content;
    // Whoever may not see it is told facts only.
    if content != WebhookContent::None
        && let Some(prompt) = found(store.prompt(&scope(receiver), id).await)?
    {
        let conversation = store.conversation(&scope(receiver), prompt.conversation).await;
        let title = found(conversation)?.map(|conversation| conversation.title);
        data.insert("title".to_owned(), json!(title));
        data.insert("question".to_owned(), json!(prompt.public.get().question));
        if content == WebhookContent::Full {
            data.insert("prompt".to_owned(), json!(prompt.public));
            if message.event != WebhookEvent::PromptOpened {
                data.insert("closed".to_owned(), json!(prompt.closed()));
            }
        }
    }
    Ok(Some(data))
}

/// What happened, without anything that somebody wrote.
fn facts(prompt: &Prompt, event: WebhookEvent) -> Map<String, Value> {
    let time = |at: Option<Timestamp>| at.map_or(Value::Null, |at| iso_ms(at).into());
    let mut data = Map::new();
    data.insert("conversation_id".to_owned(), prompt.conversation.to_string().into());
    data.insert("kind".to_owned(), json!(prompt.public.get().prompt_type));
    data.insert("opened_at".to_owned(), iso_ms(prompt.opened_at).into());
    match event {
        WebhookEvent::PromptOpened => {
            data.insert("expires_at".to_owned(), time(prompt.expires_at));
        }
        _ => {
            data.insert("closed_at".to_owned(), time(prompt.closed_at));
            data.insert("outcome".to_owned(), json!(prompt.outcome));
        }
    }
    data
}

async fn input(
    store: &Store,
    receiver: &Receiver,
    message: &WebhookMessage,
) -> Result<Option<Map<String, Value>>, StorageError> {
    let Some(input) = store.blocked_input(&scope(receiver), &message.subject).await? else {
        return Ok(None);
    };
    let BlockedInput { rule, category, excerpt, .. } = input;
    let mut data = Map::new();
    data.insert("rule".to_owned(), rule.into());
    data.insert("category".to_owned(), category.into());
    if receiver.config.content == WebhookContent::Full {
        data.insert("excerpt".to_owned(), excerpt.into());
    }
    Ok(Some(data))
}

/// What is not seen is none.
fn found<T>(read: Result<T, StorageError>) -> Result<Option<T>, StorageError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(StorageError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}
