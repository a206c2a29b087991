//! The client of the Anthropic Messages API.

pub(crate) mod answer;
mod error;
mod request;

use parlor_agent::{AgentDescription, Takes};
use reqwest::Url;
use secrecy::SecretString;

use self::answer::AnswerReader;
use self::error::KEY_SETTING;
use self::request::{Template, VENDOR};
use crate::client::{ModelClient, ModelRequest, ModelStream};
use crate::http::endpoint::{Endpoint, parse_base};
use crate::settings::{DEFAULT_MAX_TOKENS, ModelSettings, SettingsError};

const VERSION: &str = "2023-06-01";
const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

/// The model that is asked if the settings name none.
const DEFAULT_MODEL: &str = "claude-sonnet-5-5";

/// A model behind the Anthropic Messages API.
#[derive(Debug)]
pub struct Anthropic {
    endpoint: Endpoint,
    template: Template,
    takes: Takes,
}

impl Anthropic {
    /// The environment variable that holds the key.
    pub const KEY_SETTING: &str = KEY_SETTING;
    /// The environment variable that holds another address than the vendor's.
    pub const BASE_URL_SETTING: &str = "ANTHROPIC_BASE_URL";

    /// A client with these settings. It does not connect yet.
    pub fn new(
        settings: &ModelSettings,
        base_url: Option<&str>,
        key: Option<SecretString>,
    ) -> Result<Self, SettingsError> {
        let url = messages_url(base_url.unwrap_or(DEFAULT_BASE_URL))?;
        let mut endpoint = Endpoint::new(settings, url)?.header("anthropic-version", VERSION);
        if let Some(key) = key {
            endpoint = endpoint.key("x-api-key", "", key, KEY_SETTING)?;
        }
        Ok(Self {
            endpoint: if base_url.is_some() { endpoint.chosen() } else { endpoint },
            template: Template {
                model: settings.model.as_deref().unwrap_or(DEFAULT_MODEL).to_owned(),
                max_tokens: settings.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
                thinking: settings.thinking,
                cache: settings.prompt_cache,
            },
            takes: Takes { pictures: settings.pictures, pdf: settings.pdf.unwrap_or(true) },
        })
    }
}

impl Anthropic {
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The model that is asked.
    pub(crate) fn model(&self) -> &str {
        &self.template.model
    }
}

impl ModelClient for Anthropic {
    fn stream(&self, request: &ModelRequest<'_>) -> ModelStream {
        let body = request::body(&self.template, request);
        self.endpoint.stream(body, AnswerReader::default())
    }

    fn takes(&self) -> Takes {
        self.takes
    }

    fn describe(&self) -> AgentDescription {
        AgentDescription { kind: VENDOR, model: self.template.model.clone() }
    }
}

/// The address of the API below a base, with or without the version in it.
fn messages_url(base: &str) -> Result<Url, SettingsError> {
    let mut url = parse_base(base, Anthropic::BASE_URL_SETTING)?;
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/v1").unwrap_or(path);
    url.set_path(&format!("{path}/v1/messages"));
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_may_have_a_path_and_the_version() {
        for (base, url) in [
            (DEFAULT_BASE_URL, "https://api.anthropic.com/v1/messages"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/messages"),
            ("https://x.example/v1", "https://x.example/v1/messages"),
            (" https://x.example/anthropic/v1/ ", "https://x.example/anthropic/v1/messages"),
        ] {
            assert_eq!(messages_url(base).unwrap().as_str(), url);
        }
    }
}
