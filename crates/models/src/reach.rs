//! Whether a model can be asked: its list of models is read, which needs the same address and key as an
//! answer, and costs nothing.

use serde_json::Value;

use crate::build::{Client, client};
use crate::http::endpoint::Endpoint;
use crate::settings::{ModelSettings, SettingsError};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reached {
    /// The demo model, which is a part of the program.
    Demo,
    /// Address and key are right.
    Answers {
        /// Where it is.
        address: String,
        /// The model that is asked for.
        model: String,
        /// Whether the list has it; `None` if the server gives no list.
        has_model: Option<bool>,
    },
    /// The key is missing or wrong.
    Refused {
        /// Where it is.
        address: String,
        /// The status of the answer: 401 or 403.
        status: u16,
    },
    /// Nothing useful answers.
    Fails {
        /// Where it is.
        address: String,
        /// What went wrong.
        why: String,
    },
}

/// Asks the server of these settings. `env` looks up an environment variable. Must be called within a
/// tokio runtime, with a TLS provider installed.
///
/// # Errors
///
/// The settings cannot be used.
pub async fn reach(
    settings: &ModelSettings,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Reached, SettingsError> {
    Ok(match client(settings, &env)? {
        Client::Demo(_) => Reached::Demo,
        Client::Anthropic(client) => look(client.endpoint(), "messages", client.model()).await,
        Client::Openai(client) => look(client.endpoint(), "chat/completions", client.model()).await,
    })
}

async fn look(endpoint: &Endpoint, call: &str, model: &str) -> Reached {
    let address = endpoint.address();
    match endpoint.list_models(call).await {
        Err(why) => Reached::Fails { address, why },
        Ok((status @ (401 | 403), _)) => Reached::Refused { address, status },
        Ok((200, body)) => Reached::Answers {
            address,
            model: model.to_owned(),
            has_model: has_model(&body, model),
        },
        // Some servers have no list, and answer all the same.
        Ok((404 | 405, _)) => {
            Reached::Answers { address, model: model.to_owned(), has_model: None }
        }
        Ok((status, _)) => {
            Reached::Fails { address, why: format!("it answers with status {status}") }
        }
    }
}

/// Names with and without a tag are the same model (`qwen3`, `qwen3:latest`).
fn has_model(body: &[u8], model: &str) -> Option<bool> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let list = body.get("data")?.as_array()?;
    // A list in pages is no proof that a model is missing.
    let is_whole = body.get("has_more").and_then(Value::as_bool) != Some(true);
    let is_it = |id: &str| id == model || id.split(':').next() == Some(model);
    let found = list.iter().filter_map(|entry| entry.get("id")?.as_str()).any(is_it);
    (found || is_whole).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-2: a model that is on no page of the list is not called missing while there are more pages.
    #[test]
    fn a_model_is_found_in_a_list() {
        let list = br#"{"data": [{"id": "qwen3:latest"}, {"id": "llama"}]}"#;
        assert_eq!(has_model(list, "qwen3"), Some(true));
        assert_eq!(has_model(list, "gpt"), Some(false));
        assert_eq!(has_model(br#"{"data": [], "has_more": true}"#, "gpt"), None);
        assert_eq!(has_model(b"<html>", "gpt"), None);
    }
}
