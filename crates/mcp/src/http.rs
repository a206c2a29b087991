//! A server over streamable HTTP: the requests of the protocol, with a limit on every body.
//!
//! - Unless the configuration allows private addresses, names resolve to public addresses only, and
//!   no proxy is used, because it would resolve the names itself.
//! - Redirects are followed within the same origin only: headers hold secrets.
//! - Errors say whether anything was sent. That decides whether a call did not run or whether its
//!   outcome is unknown.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use parlor_http_client::{describe, trusted};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::auth::WWWAuthenticateParams;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use super::address::PUBLIC_ONLY;
use super::resolve::HttpEndpoint;
use super::task_support;
use super::transport::LARGEST_MESSAGE;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MOST_REDIRECTS: usize = 5;
/// How much of an error response's body is read.
const LARGEST_REFUSAL: usize = 64 << 10;
const BOTH: &str = "application/json, text/event-stream";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
/// How often a broken stream is resumed, and the longest delay before that.
const RESUMES: usize = 3;
const LONGEST_RESUME_DELAY: Duration = Duration::from_secs(10);

type Failure = StreamableHttpError<HttpError>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// An HTTP client for the requests of the protocol, with limits.
#[derive(Debug, Clone)]
pub(super) struct HttpClient {
    client: Client,
    /// Whether a refusal says how to log in, for a client that can.
    may_log_in: bool,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpError {
    /// No connection was made, so nothing was sent.
    #[error("{0}")]
    NotSent(String),
    /// The server wants to know who asks, or that they may: it did nothing.
    #[error("{0}")]
    LoginNeeded(&'static str),
    /// The connection broke; the request may have had an effect.
    #[error("{0}")]
    Broken(String),
    /// The response is larger than any usable message.
    #[error("the answer is longer than {LARGEST_MESSAGE} bytes")]
    TooLarge,
}

/// How it begins what is said of a server that asks for a login.
pub const ASKS_FOR_LOGIN: &str = "it asks for a login";

/// The transport to a server at a URL.
pub(super) fn transport(
    endpoint: &HttpEndpoint,
) -> Result<StreamableHttpClientTransport<HttpClient>, HttpError> {
    Ok(StreamableHttpClientTransport::with_client(HttpClient::new(endpoint)?, config(endpoint)))
}

/// What a transport needs beside a client.
pub(super) fn config(endpoint: &HttpEndpoint) -> StreamableHttpClientTransportConfig {
    let mut resume = ExponentialBackoff::default();
    resume.max_times = Some(RESUMES);
    resume.max_delay = Some(LONGEST_RESUME_DELAY);
    let headers = endpoint.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    let mut config = StreamableHttpClientTransportConfig::with_uri(endpoint.url.as_str())
        .custom_headers(headers.collect())
        .max_sse_event_size(LARGEST_MESSAGE);
    config.retry_config = Arc::new(resume);
    config
}

/// Whether it is certain that the server did not run the call.
pub(super) fn did_not_run(error: &(dyn std::error::Error + 'static)) -> bool {
    match error.downcast_ref::<Failure>() {
        Some(StreamableHttpError::Client(HttpError::NotSent(_) | HttpError::LoginNeeded(_))) => {
            true
        }
        Some(StreamableHttpError::HttpStatus(refusal)) => refusal.status < 500,
        Some(StreamableHttpError::SessionExpired | StreamableHttpError::AuthRequired(_)) => true,
        _ => false,
    }
}

/// What has to be done first, if that is why a request failed.
pub(super) fn login_needed(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    match error.downcast_ref::<Failure>() {
        Some(StreamableHttpError::Client(HttpError::LoginNeeded(why))) => Some(why),
        // Nobody can log in: there is no way configured, or nobody is there.
        Some(StreamableHttpError::AuthRequired(_)) => Some(ASKS_FOR_LOGIN),
        _ => None,
    }
}

impl HttpClient {
    pub(super) fn new(endpoint: &HttpEndpoint) -> Result<Self, HttpError> {
        // No idle connections are kept: one of them may be half closed, and then it would be
        // unknown whether a call reached the server.
        let mut builder = Client::builder()
            .tls_backend_preconfigured(trusted().map_err(HttpError::NotSent)?)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(0)
            .redirect(Policy::custom(on_the_same_origin));
        if !endpoint.allow_private {
            builder = builder.no_proxy().dns_resolver(Arc::new(PUBLIC_ONLY));
        }
        let client = builder.build().map_err(|error| HttpError::NotSent(describe(error)))?;
        Ok(Self { client, may_log_in: endpoint.login.is_some() })
    }

    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let body = serde_json::to_vec(message)?;
        let request = self.client.post(uri).header(ACCEPT, BOTH).header(CONTENT_TYPE, JSON);
        let request = request.body(body);
        let request = bearer.into_iter().fold(request, |request, key| request.bearer_auth(key));
        let request = request.headers(headers.into_iter().collect());
        let request = session.into_iter().fold(request, |request, id| request.header(SESSION, id));
        let response = request.send().await.map_err(failure)?;
        let status = response.status();
        match status {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => {
                Ok(StreamableHttpPostResponse::Accepted)
            }
            StatusCode::NOT_FOUND if session.is_some() => Err(StreamableHttpError::SessionExpired),
            _ if status.is_success() => answer(response, message).await,
            _ if self.may_log_in && is_about_access(status) => Err(challenge(&response)),
            _ => refusal(response, message).await,
        }
    }
}

/// Follows a redirect that keeps the body and stays on the same origin; any other is returned as
/// the response.
fn on_the_same_origin(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_body =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let first = attempt.previous().first();
    let same = first.is_some_and(|first| first.origin() == attempt.url().origin());
    if keeps_body && same && attempt.previous().len() <= MOST_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

async fn answer(
    response: Response,
    message: &ClientJsonRpcMessage,
) -> Result<StreamableHttpPostResponse, Failure> {
    let header = |name: &str| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let (session, content_type) = (header(SESSION), header("content-type"));
    let is = |kind: &str| content_type.as_deref().is_some_and(|value| value.starts_with(kind));
    if is(EVENTS) {
        let events = SseStream::from_bytes_stream(bounded(response, LARGEST_MESSAGE));
        let events = events.map(|event| event.map(with_marks)).boxed();
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    let asked = asked(message);
    if !is(JSON) && asked.is_some() {
        return Err(StreamableHttpError::UnexpectedContentType(content_type));
    }
    let body = read(response, LARGEST_MESSAGE).await.map_err(StreamableHttpError::Client)?;
    match serde_json::from_slice::<ServerJsonRpcMessage>(&task_support::marked(&body)) {
        Ok(answer) => match correlated(answer, asked) {
            Some(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            None => Err(StreamableHttpError::UnexpectedServerResponse("it answers another".into())),
        },
        // Some servers send a body even if no response is expected.
        Err(_) if asked.is_none() => Ok(StreamableHttpPostResponse::Accepted),
        Err(_) => Err(StreamableHttpError::UnexpectedServerResponse("it is not a message".into())),
    }
}

fn with_marks(mut event: Sse) -> Sse {
    if let Some(data) = &event.data
        && let Cow::Owned(marked) = task_support::marked(data.as_bytes())
    {
        event.data = String::from_utf8(marked).ok();
    }
    event
}

/// An error response may hold a protocol error, which says more than the status.
async fn refusal(
    response: Response,
    message: &ClientJsonRpcMessage,
) -> Result<StreamableHttpPostResponse, Failure> {
    let status = response.status();
    if !is_about_access(status) {
        let body = read(response, LARGEST_REFUSAL).await.unwrap_or_default();
        let refused = serde_json::from_slice::<ServerJsonRpcMessage>(&body);
        if let Ok(error @ ServerJsonRpcMessage::Error(_)) = refused
            && let Some(error) = correlated(error, asked(message))
        {
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
    }
    Err(HttpStatusError::new(status.as_u16(), None).into())
}

fn is_about_access(status: StatusCode) -> bool {
    matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
}

/// What a refusal says about logging in.
fn challenge(response: &Response) -> Failure {
    let header = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    let header = header.unwrap_or_default().to_owned();
    let said = WWWAuthenticateParams::parse(&header, response.url());
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            StreamableHttpError::AuthRequired(AuthRequiredError::new(header))
        }
        _ if said.is_insufficient_scope() => {
            let error = InsufficientScopeError::new(header, said.scope);
            StreamableHttpError::InsufficientScope(error)
        }
        status => HttpStatusError::new(status.as_u16(), None).into(),
    }
}

/// The request that the response has to answer.
fn asked(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.id),
        _ => None,
    }
}

/// The response belongs to its request. An error without an id is accepted for it; the result of
/// another request is not.
fn correlated(
    answer: ServerJsonRpcMessage,
    asked: Option<&RequestId>,
) -> Option<ServerJsonRpcMessage> {
    match (answer, asked) {
        (ServerJsonRpcMessage::Error(error), Some(id)) => {
            Some(ServerJsonRpcMessage::error(error.error, Some(id.clone())))
        }
        (ServerJsonRpcMessage::Response(response), Some(id)) if response.id != *id => None,
        (answer, _) => Some(answer),
    }
}

/// The body up to a limit; exceeding it is an error.
fn bounded(response: Response, most: usize) -> BoxStream<'static, Result<Bytes, HttpError>> {
    let mut left = most;
    let pieces = response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(|error| HttpError::Broken(describe(error)))?;
        left = left.checked_sub(piece.len()).ok_or(HttpError::TooLarge)?;
        Ok(piece)
    });
    pieces.boxed()
}

async fn read(response: Response, most: usize) -> Result<Vec<u8>, HttpError> {
    let mut pieces = bounded(response, most);
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece?);
    }
    Ok(body)
}

fn failure(error: reqwest::Error) -> Failure {
    let sent = !error.is_connect() && !error.is_builder();
    let words = describe(error);
    StreamableHttpError::Client(if sent {
        HttpError::Broken(words)
    } else {
        HttpError::NotSent(words)
    })
}

/// Converts an error of the library's own client.
fn translated(error: StreamableHttpError<reqwest::Error>) -> Failure {
    match error {
        StreamableHttpError::Client(error) => failure(error),
        StreamableHttpError::HttpStatus(refusal) => StreamableHttpError::HttpStatus(refusal),
        StreamableHttpError::ServerDoesNotSupportSse => {
            StreamableHttpError::ServerDoesNotSupportSse
        }
        StreamableHttpError::AuthRequired(error) => StreamableHttpError::AuthRequired(error),
        StreamableHttpError::InsufficientScope(error) => {
            StreamableHttpError::InsufficientScope(error)
        }
        StreamableHttpError::Sse(error) => StreamableHttpError::Sse(error),
        other => StreamableHttpError::UnexpectedServerResponse(other.to_string().into()),
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post(&uri, &message, session.as_deref(), bearer, headers).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        self.client.delete_session(uri, session, bearer, headers).await.map_err(translated)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        bearer: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let most = LARGEST_MESSAGE;
        self.get_stream_with_max_sse_event_size(uri, session, last_event_id, bearer, headers, most)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        bearer: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let stream = self
            .client
            .get_stream_with_max_sse_event_size(uri, session, last_event_id, bearer, headers, most);
        stream.await.map_err(translated)
    }
}
