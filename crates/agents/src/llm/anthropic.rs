//! The client of the Anthropic Messages API.
//!
//! It makes one streamed request for each answer. The key is in one header,
//! marked as sensitive; redirects are not followed, because a custom header
//! would go along to wherever they lead.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, Url};
use secrecy::{ExposeSecret, SecretString};

use super::anthropic_error::{KEY_SETTING, http_error, retry_after};
use super::anthropic_request::{self, Template, VENDOR};
use super::anthropic_wire::AnswerReader;
use super::http_answer::{Body, HttpAnswer, Limits, Reader, describe};
use super::{Llm, LlmError, LlmEvent, LlmRequest, LlmStream};
use crate::agent::AgentDescription;
use crate::settings::{AgentSettings, SettingsError};

const VERSION: &str = "2023-06-01";
const DEFAULT_BASE_URL: &str = "https://api.anthropic.com";

/// The most that is read of an error's body.
const LONGEST_ERROR: usize = 64 << 10;

/// A model behind the Anthropic Messages API.
#[derive(Debug)]
pub struct Anthropic {
    http: reqwest::Client,
    url: Url,
    key: SecretString,
    key_header: HeaderValue,
    template: Template,
    limits: Limits,
}

impl Anthropic {
    /// The environment variable that holds the key.
    pub const KEY_SETTING: &str = KEY_SETTING;

    /// A client with these settings. It does not connect yet.
    pub fn new(
        settings: &AgentSettings,
        base_url: Option<&str>,
        key: SecretString,
    ) -> Result<Self, SettingsError> {
        let mut key_header = HeaderValue::from_str(key.expose_secret())
            .map_err(|_| SettingsError::UnusableKey { setting: KEY_SETTING })?;
        key_header.set_sensitive(true);
        Ok(Self {
            http: http_client(settings)?,
            url: messages_url(base_url.unwrap_or(DEFAULT_BASE_URL))?,
            key,
            key_header,
            template: Template {
                model: settings.model.clone(),
                max_tokens: settings.max_tokens,
                thinking: settings.thinking,
                cache: settings.prompt_cache,
            },
            limits: Limits {
                idle_timeout: Duration::from_secs_f64(settings.idle_timeout_seconds),
                max_event_bytes: settings.max_event_bytes,
            },
        })
    }

    fn request(&self, body: Vec<u8>) -> RequestBuilder {
        self.http
            .post(self.url.clone())
            .header("x-api-key", self.key_header.clone())
            .header("anthropic-version", VERSION)
            .header(CONTENT_TYPE, "application/json")
            .body(body)
    }
}

impl Llm for Anthropic {
    fn stream(&self, request: &LlmRequest<'_>) -> LlmStream {
        let body = anthropic_request::body(&self.template, request);
        let request = body.map(|body| self.request(body));
        let opening = Box::pin(async move {
            let request = request.map_err(|error| LlmError::BadRequest(error.to_string()))?;
            open(request).await
        });
        let answer = HttpAnswer::new(opening, AnswerReader::default(), self.limits);
        let key = self.key.clone();
        // Gateways like to quote the key that they refuse.
        Box::pin(answer.map(move |event| event.map_err(|e| e.without(key.expose_secret()))))
    }

    fn describe(&self) -> AgentDescription {
        AgentDescription { kind: VENDOR, model: self.template.model.clone() }
    }
}

impl Reader for AnswerReader {
    fn read(&mut self, data: &[u8], out: &mut VecDeque<LlmEvent>) -> Result<(), LlmError> {
        self.read(data, out)
    }

    fn is_finished(&self) -> bool {
        self.is_finished()
    }
}

async fn open(request: RequestBuilder) -> Result<Body, LlmError> {
    let response = request.send().await.map_err(|error| LlmError::Unreachable(describe(error)))?;
    if response.status() != reqwest::StatusCode::OK {
        return Err(refusal(response).await);
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| !kind.starts_with("text/event-stream")) {
        return Err(LlmError::Malformed("its answer is not a stream of events".into()));
    }
    Ok(Box::pin(response.bytes_stream()))
}

async fn refusal(mut response: Response) -> LlmError {
    let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let wait = wait.and_then(retry_after);
    let mut body = Vec::new();
    // A body that breaks off still has its status.
    while let Ok(Some(piece)) = response.chunk().await {
        body.extend_from_slice(&piece);
        if body.len() > LONGEST_ERROR {
            break;
        }
    }
    http_error(response.status().as_u16(), &body, wait)
}

fn http_client(settings: &AgentSettings) -> Result<reqwest::Client, SettingsError> {
    // Without a provider reqwest would panic.
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        return Err(SettingsError::NoTls("no crypto provider is installed".into()));
    }
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs_f64(settings.connect_timeout_seconds))
        .build()
        .map_err(|error| SettingsError::NoTls(describe(error)))
}

/// The address of the API below a base, with or without the version in it.
fn messages_url(base: &str) -> Result<Url, SettingsError> {
    let mut url = Url::parse(base.trim()).map_err(|_| SettingsError::BadBaseUrl)?;
    if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
        return Err(SettingsError::BadBaseUrl);
    }
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
