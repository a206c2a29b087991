//! The address of a model, and how a request is made to it.
//!
//! One streamed request for each answer, whatever the wire format is. The key is
//! in one header, marked as sensitive; redirects are not followed, because a
//! custom header would go along to wherever they lead. What the other side says
//! about an error is freed of the key before anybody sees it: gateways like to
//! quote the key that they refuse.

use std::fmt;
use std::time::Duration;

use futures_util::StreamExt as _;
use parlor_agent::ModelError;
use parlor_http_client::describe;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, Url};
use secrecy::{ExposeSecret, SecretString};

use super::answer::{Body, HttpAnswer, Limits, Reader};
use super::clients::Clients;
use super::vendor_error::{Refusal, one_line, retry_after};
use crate::client::ModelStream;
use crate::settings::{ModelSettings, SettingsError};

/// The most that is read of an error's body.
const LONGEST_ERROR: usize = 64 << 10;
/// The most that is read of a list of models, and how long that may take.
const LONGEST_LIST: usize = 1 << 20;
const LOOK: Duration = Duration::from_secs(10);

/// Where a model is, and how it is asked.
pub(crate) struct Endpoint {
    clients: Clients,
    url: Url,
    headers: HeaderMap,
    key: Option<SecretString>,
    limits: Limits,
    /// What to ask oneself when nothing answers there.
    hint: Option<String>,
}

impl Endpoint {
    /// An address that is asked without a key. It does not connect yet.
    pub(crate) fn new(settings: &ModelSettings, url: Url) -> Result<Self, SettingsError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(Self {
            clients: Clients::new(settings)?,
            url,
            headers,
            key: None,
            limits: Limits {
                idle_timeout: Duration::from_secs_f64(settings.idle_timeout_seconds),
                max_event_bytes: settings.max_event_bytes,
            },
            hint: None,
        })
    }

    /// Sends a header with every request.
    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Sends the key with every request, after `prefix`.
    pub(crate) fn key(
        mut self,
        header: &'static str,
        prefix: &str,
        key: SecretString,
        setting: &'static str,
    ) -> Result<Self, SettingsError> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", key.expose_secret()))
            .map_err(|_| SettingsError::UnusableKey { setting })?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(header), value);
        self.key = Some(key);
        Ok(self)
    }

    /// The address is one that whoever runs the server chose, and may look after.
    pub(crate) fn chosen(mut self) -> Self {
        let server = match self.url.port() {
            Some(11434) => "Ollama",
            Some(1234) => "LM Studio",
            _ => "the model's server",
        };
        self.hint = Some(format!("is {server} running at {}?", self.origin()));
        self
    }

    /// Makes a request. It is sent when the stream is polled. Must be called within
    /// a tokio runtime.
    pub(crate) fn stream<R: Reader + 'static>(
        &self,
        body: serde_json::Result<Vec<u8>>,
        reader: R,
    ) -> ModelStream {
        let client = self.clients.here();
        let request =
            body.map(|body| client.post(self.url.clone()).headers(self.headers.clone()).body(body));
        let (hint, key) = (self.hint.clone(), self.key.clone());
        let opening = Box::pin(async move {
            let request = request.map_err(|error| ModelError::BadRequest(error.to_string()))?;
            open::<R>(request, hint.as_deref(), key.as_ref()).await
        });
        let answer = HttpAnswer::new(opening, reader, self.limits);
        let key = self.key.clone();
        Box::pin(answer.map(move |event| event.map_err(|error| without(error, key.as_ref()))))
    }

    /// Asks for the list of models, which costs nothing: the status, and the body if it is not too
    /// long. The address of the list is that of the call with another end.
    pub(crate) async fn list_models(&self, call: &str) -> Result<(u16, Vec<u8>), String> {
        let mut url = self.url.clone();
        let base = url.path().strip_suffix(call).unwrap_or_default().to_owned();
        url.set_path(&format!("{base}models"));
        let request = self.clients.here().get(url).headers(self.headers.clone()).timeout(LOOK);
        let mut response = request.send().await.map_err(|error| {
            let hint = self.hint.as_deref();
            redact(&unreachable(error, hint).to_string(), self.key.as_ref())
        })?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Ok(Some(piece)) = response.chunk().await {
            body.extend_from_slice(&piece);
            if body.len() > LONGEST_LIST {
                return Ok((status, Vec::new()));
            }
        }
        Ok((status, body))
    }

    /// The address without what may be secret in it.
    pub(crate) fn address(&self) -> String {
        self.origin()
    }

    /// The part of the address that holds no secrets.
    fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("origin", &self.origin()).finish_non_exhaustive()
    }
}

/// The address that a setting names.
pub(crate) fn parse_base(base: &str, variable: &'static str) -> Result<Url, SettingsError> {
    let url = Url::parse(base.trim()).map_err(|_| SettingsError::BadBaseUrl { variable })?;
    if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
        return Err(SettingsError::BadBaseUrl { variable });
    }
    Ok(url)
}

async fn open<R: Reader>(
    request: RequestBuilder,
    hint: Option<&str>,
    key: Option<&SecretString>,
) -> Result<Body, ModelError> {
    let response = request.send().await.map_err(|error| unreachable(error, hint))?;
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let streams = kind.is_none_or(|kind| kind.starts_with("text/event-stream"));
    if response.status() == reqwest::StatusCode::OK && streams {
        return Ok(Box::pin(response.bytes_stream()));
    }
    Err(refused::<R>(response, key).await)
}

fn unreachable(error: reqwest::Error, hint: Option<&str>) -> ModelError {
    let hint = hint.filter(|_| error.is_connect());
    let mut why = describe(error);
    if let Some(hint) = hint {
        why.push_str("; ");
        why.push_str(hint);
    }
    ModelError::Unreachable(why)
}

async fn refused<R: Reader>(mut response: Response, key: Option<&SecretString>) -> ModelError {
    let status = response.status().as_u16();
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
    let error = R::refused(Refusal { status, body: &body, retry_after: wait });
    if error.is_recoverable() {
        // These say nothing of why, and a server of one's own may be out of memory.
        let said = one_line(&redact(&String::from_utf8_lossy(&body), key));
        tracing::warn!(status, said, "the model's server failed");
    }
    error
}

fn without(error: ModelError, key: Option<&SecretString>) -> ModelError {
    error.map_words(|words| redact(words, key))
}

/// What shorter values than this hide is nothing: servers without access control
/// take `ollama`, `none` or `x` as a key, and those are words of many errors.
const SHORTEST_KEY: usize = 8;

fn redact(words: &str, key: Option<&SecretString>) -> String {
    match key.map(ExposeSecret::expose_secret).filter(|key| key.len() >= SHORTEST_KEY) {
        Some(key) => words.replace(key, "[key]"),
        None => words.to_owned(),
    }
}
