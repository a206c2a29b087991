//! Requests to a provider: to allowed addresses only, with a limit on every answer, and a time.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use parlor_http_client::{NotPublic, PublicOnly, describe, read_whole, trusted};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;

use crate::addresses;
use crate::error::OidcError;
use crate::settings::REMEDY;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// For a whole request, with its answer: a person is waiting.
const TIMEOUT: Duration = Duration::from_secs(8);
const LARGEST_ANSWER: usize = 512 << 10;
const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";
const PUBLIC_ONLY: PublicOnly = PublicOnly::new().with_remedy(REMEDY);

/// A client for one provider.
#[derive(Debug)]
pub(crate) struct Requests {
    client: Client,
    allow_private: bool,
}

/// What a provider answered.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Vec<u8>,
}

impl Requests {
    pub(crate) fn new(allow_private: bool) -> Result<Self, OidcError> {
        // No redirects: the addresses are those that the provider says of itself. No idle
        // connections: while a person logs in the other side may close one, and a code can be
        // exchanged only once.
        let mut builder = Client::builder()
            .tls_backend_preconfigured(trusted().map_err(OidcError::TryLater)?)
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .pool_max_idle_per_host(0);
        if !allow_private {
            // A proxy would resolve names by itself.
            builder = builder.no_proxy().dns_resolver(Arc::new(PUBLIC_ONLY));
        }
        let client = builder.build().map_err(|error| OidcError::TryLater(describe(error)))?;
        Ok(Self { client, allow_private })
    }

    /// An address that the provider named, if requests may go there.
    pub(crate) fn allowed(&self, what: &str, address: &str) -> Result<Url, OidcError> {
        let wrong = |why: String| OidcError::Misconfigured(format!("its {what}: {why}"));
        let url = addresses::parse(address).map_err(|why| wrong(why.to_owned()))?;
        if !self.allow_private {
            PUBLIC_ONLY.check(&url).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(url)
    }

    /// Fetches JSON, with a token if there is one.
    pub(crate) async fn json<T: DeserializeOwned>(
        &self,
        what: &str,
        url: &Url,
        token: Option<&SecretString>,
    ) -> Result<T, OidcError> {
        let mut request = self.client.get(url.clone());
        if let Some(token) = token {
            let value = format!("Bearer {}", token.expose_secret());
            request = request.header(AUTHORIZATION, sensitive(&value)?);
        }
        let answer = send(what, request).await?;
        match answer.status {
            StatusCode::OK => serde_json::from_slice(&answer.body).map_err(|error| {
                // The kind and the place, and not the text: it may repeat what was read.
                let why = format!("{:?} in line {}", error.classify(), error.line());
                OidcError::Misconfigured(format!("its {what} cannot be read: {why}"))
            }),
            status => Err(refused(what, status)),
        }
    }

    /// Posts a form.
    pub(crate) async fn form(
        &self,
        what: &str,
        url: &Url,
        authorization: Option<&SecretString>,
        form: String,
    ) -> Result<Answer, OidcError> {
        let mut request = self.client.post(url.clone()).header(CONTENT_TYPE, FORM).body(form);
        if let Some(value) = authorization {
            request = request.header(AUTHORIZATION, sensitive(value.expose_secret())?);
        }
        send(what, request).await
    }
}

/// What a status means that is not a success.
pub(crate) fn refused(what: &str, status: StatusCode) -> OidcError {
    let said = format!("its {what} answers with status {}", status.as_u16());
    if status.is_server_error()
        || [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status)
    {
        OidcError::TryLater(said)
    } else {
        OidcError::Misconfigured(said)
    }
}

async fn send(what: &str, request: RequestBuilder) -> Result<Answer, OidcError> {
    let sent = request.header(ACCEPT, JSON).send().await;
    let mut response = sent.map_err(|error| failure(what, error))?;
    let body = read_whole(&mut response, LARGEST_ANSWER).await;
    let body = body.map_err(|why| OidcError::TryLater(format!("its {what}: {why}")))?;
    Ok(Answer { status: response.status(), body })
}

fn failure(what: &str, error: reqwest::Error) -> OidcError {
    let mut cause = error.source();
    while let Some(why) = cause {
        if let Some(refusal) = why.downcast_ref::<NotPublic>() {
            return OidcError::Misconfigured(format!("its {what}: {refusal}"));
        }
        cause = why.source();
    }
    OidcError::TryLater(format!("its {what}: {}", describe(error)))
}

fn sensitive(value: &str) -> Result<HeaderValue, OidcError> {
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| OidcError::Untrusted("its token has characters that no token has"))?;
    value.set_sensitive(true);
    Ok(value)
}
