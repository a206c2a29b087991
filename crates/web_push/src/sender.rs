//! Hands messages to push services, and says what their answers mean.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parlor_http_client::{NotPublic, describe, trusted};
use reqwest::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER,
};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};

use crate::encryption::encrypt;
use crate::endpoint::{AllowedServices, Endpoint};
use crate::error::PushError;
use crate::options::PushOptions;
use crate::subscription::Subscription;
use crate::vapid::{Contact, VapidKeys};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For a whole request, with its answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// How long a connection is kept for the next message to the same push service.
const IDLE: Duration = Duration::from_secs(30);

/// What is waited if a push service does not say, and the limits of what it says.
const USUAL_WAIT: u64 = 60;
const SHORTEST_WAIT: u64 = 1;
const LONGEST_WAIT: u64 = 60 * 60;

/// How much of a refusal is read, and how much of its reason is told.
const MOST_READ: usize = 2048;
const LONGEST_REASON: usize = 120;
/// A reason that repeats so much of an endpoint is not told.
const REPEATED: usize = 8;

const TTL: HeaderName = HeaderName::from_static("ttl");
const URGENCY: HeaderName = HeaderName::from_static("urgency");
const TOPIC: HeaderName = HeaderName::from_static("topic");

/// Sends messages in the name of one server. Its connections belong to the runtime that uses it.
#[derive(Debug)]
pub struct Sender {
    client: Client,
    keys: VapidKeys,
    contact: Contact,
    allowed: AllowedServices,
}

/// Nothing can be sent at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no connection to push services can be made: {0}")]
pub struct NoClient(String);

impl Sender {
    /// A sender; rustls must have its crypto provider.
    pub fn new(
        keys: VapidKeys,
        contact: Contact,
        allowed: AllowedServices,
    ) -> Result<Self, NoClient> {
        // A proxy would resolve names by itself, and a redirect leads past the subscription.
        let client = Client::builder()
            .tls_backend_preconfigured(trusted().map_err(NoClient)?)
            .dns_resolver(Arc::new(allowed.addresses()))
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .pool_idle_timeout(IDLE)
            .build()
            .map_err(|error| NoClient(describe(error)))?;
        Ok(Self { client, keys, contact, allowed })
    }

    /// The key that browsers subscribe with.
    pub fn public_key(&self) -> String {
        self.keys.public_key()
    }

    /// Hands a message to the push service of a subscription, once.
    pub async fn send(
        &self,
        subscription: &Subscription,
        payload: &[u8],
        options: &PushOptions,
    ) -> Result<(), PushError> {
        let endpoint = subscription.endpoint();
        endpoint.check(self.allowed).map_err(|_| not_allowed(endpoint))?;
        let headers = self.headers(endpoint, options)?;
        let body = encrypt(subscription, payload)?;
        let request = self.client.post(endpoint.url().clone()).headers(headers).body(body);
        let response = request.send().await.map_err(|error| failure(endpoint, error))?;
        answer(endpoint, response).await
    }

    fn headers(&self, to: &Endpoint, options: &PushOptions) -> Result<HeaderMap, PushError> {
        let token = self.keys.authorization(&to.origin(), &self.contact, SystemTime::now())?;
        let mut headers = HeaderMap::from_iter([
            (AUTHORIZATION, token),
            (CONTENT_ENCODING, HeaderValue::from_static("aes128gcm")),
            (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
            (TTL, HeaderValue::from(options.ttl_seconds())),
            (URGENCY, HeaderValue::from_static(options.urgency.as_str())),
        ]);
        if let Some(topic) = &options.topic {
            let topic = HeaderValue::from_str(topic.as_str()).map_err(|_| PushError::Crypto)?;
            headers.insert(TOPIC, topic);
        }
        Ok(headers)
    }
}

async fn answer(endpoint: &Endpoint, response: Response) -> Result<(), PushError> {
    let status = response.status();
    match status {
        StatusCode::OK | StatusCode::CREATED | StatusCode::ACCEPTED => Ok(()),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(PushError::Gone),
        StatusCode::PAYLOAD_TOO_LARGE => Err(PushError::TooLarge),
        _ if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
            Err(PushError::RetryAfter(wait(response.headers())))
        }
        _ => Err(PushError::Refused {
            host: endpoint.host().to_owned(),
            status: status.as_u16(),
            reason: reason(endpoint, &beginning(response).await),
        }),
    }
}

/// How long to wait. A date is not read: the usual time is waited then.
fn wait(headers: &HeaderMap) -> Duration {
    let said = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = said.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(USUAL_WAIT);
    Duration::from_secs(seconds.clamp(SHORTEST_WAIT, LONGEST_WAIT))
}

fn failure(endpoint: &Endpoint, error: reqwest::Error) -> PushError {
    let mut cause = error.source();
    while let Some(why) = cause {
        if why.is::<NotPublic>() {
            return not_allowed(endpoint);
        }
        cause = why.source();
    }
    PushError::Unreachable { host: endpoint.host().to_owned(), why: describe(error) }
}

fn not_allowed(endpoint: &Endpoint) -> PushError {
    PushError::NotAllowed { host: endpoint.host().to_owned() }
}

/// The beginning of a body, as far as it comes.
async fn beginning(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        let room = MOST_READ - body.len();
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        if body.len() == MOST_READ {
            break;
        }
    }
    body
}

/// Why a push service refuses, in its own words: only as far as they are words, because it might
/// repeat the token or the endpoint.
fn reason(endpoint: &Endpoint, body: &[u8]) -> Option<String> {
    let text = match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(json) => ["reason", "message", "error"]
            .into_iter()
            .find_map(|key| Some(json.get(key)?.as_str()?.to_owned()))?,
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    };
    let words = words(text.trim());
    let url = endpoint.url();
    let secret = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    let is_secret = |part: &[u8]| secret.as_bytes().windows(REPEATED).any(|of| of == part);
    let repeats = words.as_bytes().windows(REPEATED).any(is_secret);
    (!words.is_empty() && !repeats).then(|| words.to_owned())
}

/// The words at the beginning of a text; a part of something else is no word.
fn words(text: &str) -> &str {
    let is_other = |c: char| !c.is_ascii_alphabetic() && !" .,:;'()-".contains(c);
    let words = match text.find(is_other) {
        Some(end) => text[..end].rsplit_once(' ').map_or("", |(words, _)| words),
        None => text,
    };
    words[..words.len().min(LONGEST_REASON)].trim_end()
}
